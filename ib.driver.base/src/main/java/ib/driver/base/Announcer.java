package ib.driver.base;

import ib.core.serial.BoundedWaits;
import ib.core.serial.Waits;
import ib.core.spi.DeviceSlot;
import ib.core.verbs.IbExistsException;
import java.util.Optional;

/**
 * Where devices are made known: the OSGi service registry, or in a plain JVM a midlayer itself.
 *
 * @param <C> the driver's kind of configuration
 */
public interface Announcer<C extends DeviceConfig<C>> {

  /** A slot that is offered. */
  interface Offer {
    /**
     * Says whether the device is there.
     *
     * @param in true when all clients were added, false when the first is about to be removed
     */
    void plugged(boolean in);

    /** Takes the slot back. */
    void end();
  }

  /**
   * Asks whether a device of another driver is in the way; this driver's own are not asked about.
   *
   * @param pid where the configuration comes from
   * @param config a configuration that is not running yet
   * @return what to report when name or GUID are in use
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
   * Announces a device that is complete and ready for any call (S27). All clients are added before
   * this returns.
   *
   * @param device the device
   * @return withdraws it; when that returns, no client uses the device (S28, I3)
   */
  Runnable announce(Plugged<C> device);

  /**
   * Where slots wait: in the graph of the midlayer, which refuses a cycle of waits at once.
   *
   * @return the waits of the midlayer; without one, waits that end
   */
  default Waits waits() {
    return new BoundedWaits();
  }
}
