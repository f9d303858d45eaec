package ib.core.spi;

import ib.core.verbs.Fence;
import ib.core.verbs.MaySleep;
import org.osgi.annotation.versioning.ProviderType;

/** Registers devices by hand; drivers in OSGi register an {@code IbDevice} service instead. */
@ProviderType
public interface DriverRegistry {
  /**
   * Probes the device and adds all clients in order before it returns (S27, S31, S39).
   *
   * @param device complete and ready for any call
   * @return the registration
   * @throws ib.core.verbs.IbExistsException when name or node GUID are in use
   * @throws ib.core.verbs.IbException when the probe fails; no client has seen the device
   */
  @MaySleep
  @Fence
  DeviceRegistration register(DriverDevice device);
}
