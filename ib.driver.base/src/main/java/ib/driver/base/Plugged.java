package ib.driver.base;

import ib.core.spi.DriverDevice;
import java.util.Map;

/**
 * A device while it is plugged. Used on the slot's worker thread only.
 *
 * @param <C> the driver's kind of configuration
 */
public interface Plugged<C extends DeviceConfig<C>> {

  /**
   * Builds a device and brings its ports up.
   *
   * @param <C> the driver's kind of configuration
   */
  @FunctionalInterface
  interface Factory<C extends DeviceConfig<C>> {
    /**
     * Builds a device.
     *
     * @param config configuration of the device
     * @return the complete device, not announced yet
     * @throws ib.core.verbs.IbAgainException when a resource of the system is in use: the slot
     *     tries again later, repeatedly
     * @throws ib.core.verbs.IbException when the device cannot be built; all its resources are
     *     released then
     */
    Plugged<C> plug(C config);
  }

  /** {@return the device to announce} */
  DriverDevice device();

  /** {@return further services of the device beside verbs, by interface} */
  default Map<Class<?>, Object> offers() {
    return Map.of();
  }

  /**
   * Changes the configuration while the device runs, and raises the events that belong to the
   * change.
   *
   * @param config a configuration for which {@link DeviceConfig#liveChangeOf} is true
   */
  void change(C config);

  /**
   * Returns whether the same configuration would now build another device, because the device's
   * surroundings have changed. The slot then unplugs the device and plugs it again.
   *
   * @return whether the device must be built again
   */
  default boolean outdated() {
    return false;
  }

  /**
   * Destroys the device, after it was withdrawn. When this returns, all threads of the device have
   * ended.
   */
  void unplug();
}
