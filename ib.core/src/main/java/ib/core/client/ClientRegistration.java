package ib.core.client;

import ib.core.verbs.Fence;
import ib.core.verbs.MaySleep;

/** A client registered by hand. */
public interface ClientRegistration {
  /**
   * Removes the client from all devices and forgets it (S38). When this returns, no callback of the
   * client runs or will run (I4). A second call waits for the first and does nothing else.
   *
   * @throws ib.core.verbs.IbDeadlockException from inside a callback of this very client, and where
   *     what it waits for waits, in the end, for the caller: the removal is queued and happens when
   *     the callback has returned (CC-9)
   */
  @MaySleep
  @Fence
  void unregister();

  /**
   * Tries again to add the client to the devices that it rejected (CC-5).
   *
   * @throws ib.core.verbs.IbDeadlockException where what it waits for waits, in the end, for the
   *     caller: it is queued and happens afterwards
   * @throws ib.core.verbs.IbTimedOutException when a call on such a device does not return within
   *     the watchdog's deadline: it stays queued
   */
  @MaySleep
  void rebind();
}
