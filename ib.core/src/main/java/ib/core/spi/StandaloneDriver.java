package ib.core.spi;

import ib.core.verbs.AnyContext;
import ib.core.verbs.Fence;
import ib.core.verbs.IbNoDeviceException;
import ib.core.verbs.MaySleep;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * A driver that a program without a framework can use. The driver's jar names its class in {@code
 * META-INF/services/ib.core.spi.StandaloneDriver}; {@link StandaloneFabric} finds it there. Beside
 * its own keys a driver understands {@code faults} and {@code fault_seed}, and a key for each limit
 * that it can lower, with the limit's label as name.
 */
@ConsumerType
public interface StandaloneDriver {

  /** {@return the driver's name, which is also the PID of its devices: {@code ib.driver.soft}} */
  String name();

  /**
   * Starts the driver without devices.
   *
   * @param core the midlayer to register devices with
   * @param medium the configuration of what is between the devices, with the driver's own keys
   * @return the devices; close them before the midlayer
   * @throws ib.core.verbs.IbInvalidException that names each key that is wrong
   */
  @MaySleep
  Devices open(DriverRegistry core, Map<String, ?> medium);

  /** The devices of a driver that was opened. */
  interface Devices extends AutoCloseable {
    /**
     * Makes a device, or changes one. Returns when it is as configured, with all clients added.
     *
     * @param device its name
     * @param values its configuration, with the driver's own keys
     * @throws ib.core.verbs.IbInvalidException that names each key that is wrong
     * @throws ib.core.verbs.IbExistsException when its name or its GUID is in use
     * @throws ib.core.verbs.IbException when it cannot be built
     */
    @MaySleep
    void configure(String device, Map<String, ?> values);

    /**
     * Where a device is plugged in and out.
     *
     * @param device its name
     * @return the slot
     * @throws IbNoDeviceException when no such device was configured
     */
    @AnyContext
    DeviceSlot slot(String device);

    /**
     * Returns a service of a device beside verbs.
     *
     * @param device name of the device
     * @param type an interface such as {@link FaultInjection} or {@link PacketCapture}
     * @param <T> that interface
     * @return the service, while the device is plugged in
     */
    @AnyContext
    <T> Optional<T> service(String device, Class<T> type);

    /** Takes all devices down, the last one first, and ends the driver's threads. */
    @Override
    @MaySleep
    @Fence
    void close();
  }

  /**
   * Finds a driver.
   *
   * @param name its name
   * @param loader the class loader that sees the driver's jar
   * @return the driver
   * @throws IbNoDeviceException when there is none of that name
   */
  static StandaloneDriver find(String name, ClassLoader loader) {
    return ServiceLoader.load(StandaloneDriver.class, loader).stream()
        .map(ServiceLoader.Provider::get)
        .filter(d -> d.name().equals(name))
        .findFirst()
        .orElseThrow(
            () ->
                new IbNoDeviceException(
                    "driver " + name,
                    "no jar on the class path has it",
                    "a dependency on ib:" + name));
  }
}
