package ib.core.client;

import ib.core.verbs.Fence;
import ib.core.verbs.IbDevice;
import ib.core.verbs.MaySleep;

/**
 * A device held for a while by name (CC-21): it is not unregistered before the lease is closed,
 * unless the removal's deadline passes; then the handle is revoked.
 */
public interface DeviceLease extends AutoCloseable {
  /** {@return the holder's own handle} */
  IbDevice device();

  /**
   * Gives the device back; what was made through the handle and is left is reported and destroyed.
   */
  @Override
  @MaySleep
  @Fence
  void close();
}
