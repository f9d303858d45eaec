package ib.driver.base;

/**
 * A valid configuration of one device.
 *
 * @param <C> the driver's own kind
 */
public interface DeviceConfig<C extends DeviceConfig<C>> {
  /** {@return device name} */
  String name();

  /** {@return node GUID} */
  long guid();

  /**
   * Whether a device can be changed while it runs.
   *
   * @param running what the device runs with
   * @return whether it can take this configuration live
   */
  boolean liveChangeOf(C running);

  /**
   * Whether two devices cannot be there at the same time.
   *
   * @param other of another device
   * @return whether a GUID of this device is one of the other's
   */
  boolean sharesGuidWith(C other);
}
