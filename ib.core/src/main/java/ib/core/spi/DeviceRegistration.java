package ib.core.spi;

import ib.core.verbs.Fence;
import ib.core.verbs.MaySleep;

/** A device registered by hand. */
public interface DeviceRegistration {
  /**
   * Removes all clients in reverse order, waits until nothing of the device is in use, and forgets
   * it (I3). A second call waits for the first (CC-13).
   *
   * @throws ib.core.verbs.IbDeadlockException from inside a callback of this very device, and where
   *     what it waits for waits, in the end, for the caller: the removal is queued and happens when
   *     the callback has returned (CC-7)
   * @throws ib.core.verbs.IbContractException from an atomic section, while checking is on (S29)
   */
  @MaySleep
  @Fence
  void unregister();

  /**
   * Removes the device as {@link #unregister} does, for a driver that takes the device down
   * afterwards whatever happens, as one whose service goes (S28): where the wait is one of a cycle
   * of waits, another wait of the cycle is given up. A removal that cannot be waited for at all is
   * done by another thread, and recorded as a violation.
   */
  @MaySleep
  @Fence
  void withdraw();

  /** Queues the removal and returns; legal in callbacks (kernel: ib_unregister_device_queued). */
  void unregisterQueued();
}
