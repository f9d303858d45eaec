package ib.driver.base;

import ib.core.spi.DriverDevice;
import java.util.Map;

/**
 * A device while it is plugged in.
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
     * @param config its configuration
     * @return complete, but not announced
     * @throws ib.core.verbs.IbAgainException when something of the system is in use: it is tried
     *     again later, over and over
     * @throws ib.core.verbs.IbException when it cannot be built; nothing is left then
     */
    Plugged<C> plug(C config);
  }

  /** {@return what is announced} */
  DriverDevice device();

  /** {@return what it offers beside verbs, as services, by their interfaces} */
  default Map<Class<?>, Object> offers() {
    return Map.of();
  }

  /**
   * Changes what can be changed live, with the events that belong to it.
   *
   * @param config a live change of the configuration so far
   */
  void change(C config);

  /**
   * Whether it would become another device if it were built now, of the same configuration, since
   * what is around it has changed. It is taken down and built anew then.
   *
   * @return whether
   */
  default boolean outdated() {
    return false;
  }

  /** Takes everything down; the device has been withdrawn. No thread is left when this returns. */
  void unplug();
}
