package ib.core.spi;

import ib.core.verbs.MaySleep;
import java.util.List;

/**
 * What can be done to the packets of a device: a service that a driver registers for each device
 * while it is plugged in, with the service property {@link DeviceSlot#DEVICE_NAME}. {@code
 * ib:fault} reaches drivers through it.
 *
 * <p>While there is a rule, every packet is a real one of at most the path MTU. A packet is looked
 * at by all rules in the order in which they were added: it may be delayed by one and duplicated by
 * another, and is lost if any says so. All chance comes from one seed, so a program that is driven
 * by one thread sees the same faults again.
 *
 * <p>All methods may be called from any thread; what they change holds for the next packet.
 */
public interface FaultInjection {

  /**
   * A rule at work.
   *
   * @param id its number, from 1, never used again by the device
   * @param rule the rule
   * @param fitting packets that it fits so far
   * @param hit packets that it has hit so far
   */
  record Active(int id, FaultRule rule, long fitting, long hit) {}

  /** {@return the name of the device} */
  String device();

  /**
   * Adds a rule.
   *
   * @param rule the rule
   * @return its number
   * @throws ib.core.verbs.IbInvalidException when the rule names a port that the device has not
   * @throws ib.core.verbs.IbNoMemoryException when there are 256 rules already
   */
  @MaySleep
  int add(FaultRule rule);

  /** {@return the rules, in the order in which they were added} */
  List<Active> list();

  /**
   * Takes a rule away; what it holds back still comes when it is due.
   *
   * @param id its number
   * @return whether there was such a rule
   */
  @MaySleep
  boolean remove(int id);

  /**
   * Takes all rules away.
   *
   * @return how many there were
   */
  @MaySleep
  int clear();

  /**
   * Starts chance anew.
   *
   * @param seed any number
   */
  @MaySleep
  void seed(long seed);
}
