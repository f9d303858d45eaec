package ib.driver.base;

/**
 * A valid configuration of one device.
 *
 * @param <C> the driver's kind of configuration
 */
public interface DeviceConfig<C extends DeviceConfig<C>> {
  /** {@return device name} */
  String name();

  /** {@return node GUID} */
  long guid();

  /**
   * Returns whether a running device can change to this configuration.
   *
   * @param running configuration of the running device
   * @return true: {@link Plugged#change} suffices; false: the device must be unplugged and plugged
   *     again
   */
  boolean liveChangeOf(C running);

  /**
   * Returns whether two devices cannot be plugged at the same time.
   *
   * @param other configuration of another device
   * @return whether a GUID of this device is one of the other's
   */
  boolean sharesGuidWith(C other);
}
