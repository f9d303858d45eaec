package ib.core.spi;

import ib.core.cm.Connector;
import ib.core.mad.MadSource;
import ib.core.verbs.AnyContext;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.CqInit;
import ib.core.verbs.DeviceAttr;
import ib.core.verbs.Gid;
import ib.core.verbs.IbNotSupportedException;
import ib.core.verbs.MaySleep;
import ib.core.verbs.ObjectControl;
import ib.core.verbs.PortAttr;
import ib.core.verbs.PortCounter;
import ib.core.verbs.PortModify;
import ib.core.verbs.ProtectionDomain;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * The control path of a driver (kernel: ib_device_ops). The core calls it; fully reentrant, never
 * serialized by the core (S13, S15). All methods may sleep and throw {@code IbException}.
 */
@ConsumerType
public interface DeviceOps {
  /** {@return the attributes; read once, when the device is probed} */
  @MaySleep
  DeviceAttr queryDevice();

  /**
   * Reads a port.
   *
   * @param port from 1
   * @return the attributes now
   */
  @MaySleep
  PortAttr queryPort(int port);

  /**
   * Reads a GID.
   *
   * @param port from 1
   * @param index from 0
   * @return the GID, ZERO when the entry is empty
   */
  @MaySleep
  Gid queryGid(int port, int index);

  /**
   * Reads a P_Key.
   *
   * @param port from 1
   * @param index from 0
   * @return 16 bits, 0 when the entry is empty
   */
  @MaySleep
  int queryPkey(int port, int index);

  /**
   * Returns the version of the GID table, so that a caller reads the table again only if it has
   * changed.
   *
   * @param port from 1
   * @return a number that differs after each change of the table, from the change on and before its
   *     event; -1 when the driver keeps no such number
   */
  @AnyContext
  default long gidChanges(int port) {
    return -1;
  }

  /**
   * A number of the P_Key table, as {@link #gidChanges} is of the GID table.
   *
   * @param port from 1
   * @return the number, or -1
   */
  @AnyContext
  default long pkeyChanges(int port) {
    return -1;
  }

  /**
   * Makes a protection domain.
   *
   * @param control the new object's book
   * @return the driver's object
   */
  @MaySleep
  ProtectionDomain allocPd(ObjectControl control);

  /**
   * Makes a completion queue.
   *
   * @param control the new object's book
   * @param init the attributes; its handler, if any, is the core's guard: it checks S20 and S24
   *     when a driver calls it itself from a thread of its own
   * @return the driver's object
   */
  @MaySleep
  CompletionQueue createCq(ObjectControl control, CqInit init);

  /**
   * Changes port attributes.
   *
   * @param port from 1
   * @param change what to change
   */
  @MaySleep
  default void modifyPort(int port, PortModify change) {
    throw new IbNotSupportedException("modifyPort", "the driver has no such operation", "");
  }

  /**
   * Returns the hardware counters, which no call resets: the names of Linux rxe, then {@code drop_}
   * and the reason.
   *
   * @param port from 1
   * @return name to value, in printing order
   */
  @MaySleep
  default Map<String, Long> counters(int port) {
    return Map.of();
  }

  /**
   * Port counters since their last reset (IBA 16.1.3.5, 16.1.4.11).
   *
   * @param port from 1
   * @param form which attribute
   * @return those that the attribute has, in order, as {@link PortCounter#value} gives them
   */
  @MaySleep
  default Map<PortCounter, Long> portCounters(int port, PortCounter.Form form) {
    throw new IbNotSupportedException("portCounters", "the driver has no such operation", "");
  }

  /**
   * Sets port counters to 0. The other attribute's counters keep their values.
   *
   * @param port from 1
   * @param form which attribute
   * @param which which counters of it
   */
  @MaySleep
  default void resetPortCounters(int port, PortCounter.Form form, Set<PortCounter> which) {
    throw new IbNotSupportedException("resetPortCounters", "the driver has no such operation", "");
  }

  /**
   * Offers a management datagram to the driver's own agents, SMA and PMA (M8, kernel: process_mad):
   * every request that arrived on QP0 or QP1 before any other agent gets it, and every one that is
   * sent to the port itself (own LID, or directed route that ends or begins here) before the wire.
   * On the executor of the port, one at a time; may sleep, but all of the port's management waits.
   * A driver raises the events that follow from what was set with {@code dispatchEvent}.
   *
   * @param port from 1
   * @param source where it comes from; {@link MadSource#local} of one that never was on a wire
   * @param in 256 bytes; not to be changed
   * @param out 256 bytes of 0, for the answer: a whole datagram, header included
   * @return what was done
   */
  @MaySleep
  default MadVerdict processMad(int port, MadSource source, MemorySegment in, MemorySegment out) {
    return MadVerdict.PASS;
  }

  /**
   * {@return what makes connections for the device's queue pairs, where QP1 is not the driver's;
   * the same one until the device is unplugged}
   */
  @AnyContext
  default Optional<Connector> connector() {
    return Optional.empty();
  }
}
