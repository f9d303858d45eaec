package ib.core.spi;

import ib.core.serial.Waits;
import ib.core.verbs.AnyContext;
import ib.core.verbs.Fence;
import ib.core.verbs.MaySleep;
import org.osgi.annotation.versioning.ProviderType;

/** Registers devices by hand; drivers in OSGi register an {@code IbDevice} service instead. */
@ProviderType
public interface DriverRegistry {
  /**
   * Probes the device and adds all clients in order before it returns (S27, S31, S39). Where what
   * is ahead of the adds does not return within the watchdog's deadline, or waits, in the end, for
   * the caller, the adds follow later, and a violation says so (CC-10, CC-19).
   *
   * @param device complete and ready for any call
   * @return the registration
   * @throws ib.core.verbs.IbExistsException when name or node GUID are in use
   * @throws ib.core.verbs.IbException when the probe fails; no client has seen the device
   * @throws ib.core.verbs.IbContractException in a callback that must not sleep, whether that is
   *     checked or not (S29): adds are never run there
   */
  @MaySleep
  @Fence
  DeviceRegistration register(DriverDevice device);

  /**
   * Returns the wait-for graph of the midlayer. A thread of a driver that waits for a thread that
   * may wait for clients enters its wait here, so that a cycle is refused at once (B15).
   *
   * @return the graph
   */
  @AnyContext
  Waits waits();
}
