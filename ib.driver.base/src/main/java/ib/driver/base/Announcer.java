package ib.driver.base;

import ib.core.serial.BoundedWaits;
import ib.core.serial.Waits;
import ib.core.spi.DeviceSlot;
import ib.core.verbs.IbExistsException;
import java.util.Optional;

/**
 * Makes devices known to the core: through the OSGi service registry, or directly in a JVM without
 * OSGi.
 *
 * @param <C> the driver's kind of configuration
 */
public interface Announcer<C extends DeviceConfig<C>> {

  /** A device slot that is offered. */
  interface Offer {
    /**
     * Publishes whether the device is plugged.
     *
     * @param in true after all clients were added; false before the first one is removed
     */
    void plugged(boolean in);

    /** Withdraws the slot. */
    void end();
  }

  /**
   * Checks whether a device of another driver has the name or GUID of a configuration; this
   * driver's own devices are not checked.
   *
   * @param pid PID of the configuration
   * @param config a configuration that is not running yet
   * @return the conflict; empty when there is none
   */
  Optional<IbExistsException> conflict(String pid, C config);

  /**
   * Offers a slot.
   *
   * @param slot the slot
   * @return the offer, not plugged
   */
  Offer offer(DeviceSlot slot);

  /**
   * Announces a device that is ready for any call (S27). Blocks until all clients were added.
   *
   * @param device the device
   * @return withdraws the device; when that returns, no client uses the device (S28, I3)
   */
  Runnable announce(Plugged<C> device);

  /**
   * Returns the wait-for graph in which slots wait. The core's refuses a cycle of waits at once.
   *
   * @return the core's graph; without a core, waits that only end by their time limit
   */
  default Waits waits() {
    return new BoundedWaits();
  }
}
