package ib.core.spi;

import ib.core.verbs.MaySleep;
import java.util.List;

/**
 * Injects faults into the packets of a device. A driver registers this service for each device
 * while the device is plugged in, with the service property {@link DeviceSlot#DEVICE_NAME}. {@code
 * ib:fault} uses it.
 *
 * <p>While a rule exists, every packet is a real one of at most the path MTU. All rules examine a
 * packet, in the order in which they were added: one rule may delay it, another may duplicate it,
 * and it is lost if any rule says so. All random numbers come from one seed, so a program that runs
 * on one thread sees the same faults again.
 *
 * <p>Any thread may call all methods; a change takes effect with the next packet.
 */
public interface FaultInjection {

  /**
   * A rule in effect.
   *
   * @param id the number of the rule, from 1, never used again by the device
   * @param rule the rule
   * @param fitting how many packets the rule has fitted so far
   * @param hit how many packets the rule has hit so far
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
   * Removes a rule; packets that it holds are still delivered when they are due.
   *
   * @param id the number of the rule
   * @return whether a rule had this number
   */
  @MaySleep
  boolean remove(int id);

  /**
   * Removes all rules.
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
