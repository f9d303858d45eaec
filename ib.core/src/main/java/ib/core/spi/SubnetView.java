package ib.core.spi;

import ib.core.mad.smp.SmpAttribute;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;

/**
 * Reads what the subnet management agents of a simulated fabric would answer, out of the memory of
 * this JVM. No datagram is sent: no fault rule, counter or capture notices the reading. A driver
 * whose fabric is in this JVM registers this service for each device while the device is plugged
 * in, with the service property {@link DeviceSlot#DEVICE_NAME}.
 *
 * <p>Any thread may call all methods. They wait for the lock of the fabric only.
 */
public interface SubnetView {

  /** {@return the name of the device} */
  String device();

  /**
   * Reads an attribute of the node at the end of a directed route (IBA 14.2.2), as SubnGet would.
   *
   * @param port the device's port at which the route begins, from 1
   * @param hops the port by which the route leaves each node, the first one being {@code port}
   *     itself; empty for the device's own node
   * @param attribute the attribute
   * @param modifier the attribute modifier
   * @return the attribute, 64 bytes, a copy; empty when the route ends at a link that is down, or
   *     the node has no such attribute
   */
  Optional<MemorySegment> read(int port, List<Integer> hops, SmpAttribute attribute, int modifier);
}
