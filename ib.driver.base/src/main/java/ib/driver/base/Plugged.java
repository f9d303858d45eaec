package ib.driver.soft;

import ib.core.spi.DriverDevice;

/** A device while it is plugged in. */
interface Plugged {

  /** Builds a device and brings its ports up. */
  @FunctionalInterface
  interface Factory {
    /**
     * Builds a device.
     *
     * @param config its configuration
     * @return complete, but not announced
     * @throws ib.core.verbs.IbException when it cannot be built; nothing is left then
     */
    Plugged plug(SoftConfig config);
  }

  /** {@return what is announced} */
  DriverDevice device();

  /**
   * Changes what can be changed live, with the events that belong to it.
   *
   * @param config a live change of the configuration so far
   */
  void change(SoftConfig config);

  /** Takes everything down; the device has been withdrawn. No thread is left when this returns. */
  void unplug();
}
