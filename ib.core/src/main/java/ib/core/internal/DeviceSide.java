package ib.core.internal;

import ib.core.internal.callback.Contract;
import ib.core.internal.device.DevicePort;
import ib.core.internal.device.LockCheck;
import ib.core.internal.hotplug.DeviceEntry;
import ib.core.internal.hotplug.Form;
import ib.core.internal.hotplug.Hotplug;
import ib.core.internal.waits.WaitGraph;
import ib.core.spi.DeviceRegistration;
import ib.core.spi.DriverDevice;
import ib.core.spi.DriverRegistry;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.IbNoDeviceException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The side of the midlayer that faces drivers: devices are registered, renamed and removed here, by
 * their services or by {@link DriverRegistry}.
 */
public final class DeviceSide {
  private final Hotplug hotplug;
  private final Contract contract;
  private final WaitGraph waits;
  private final DevicePort.Shared shared;
  private final Map<DeviceEntry, DevicePort> ports = new ConcurrentHashMap<>();

  DeviceSide(Hotplug hotplug, Contract contract, WaitGraph waits, DevicePort.Shared shared) {
    this.hotplug = hotplug;
    this.contract = contract;
    this.waits = waits;
    this.shared = shared;
  }

  /**
   * Reports of a driver carry its bundle's name from now on.
   *
   * @param driver the driver's name, of {@link ib.core.verbs.DeviceInfo}
   * @param bundle the symbolic name of its bundle
   */
  public void know(String driver, String bundle) {
    contract.know(driver, bundle);
  }

  /**
   * Takes a device's name and GUID; nothing is called yet.
   *
   * @param device the device
   * @return the entry, to be brought up
   */
  public DeviceEntry announce(DriverDevice device) {
    DevicePort port = new DevicePort(device, shared, gone -> ports.values().remove(gone));
    DeviceEntry entry = hotplug.announce(port, device.info(), device.info().driver(), null);
    ports.put(entry, port);
    return entry;
  }

  /**
   * Probes and adds all clients (S27, S31, S39).
   *
   * @param entry an announced device
   */
  public void bringUp(DeviceEntry entry) {
    boolean up = false;
    try {
      hotplug.bringUp(entry);
      up = true;
    } finally {
      if (!up) {
        ports.remove(entry);
      }
    }
  }

  /**
   * Removes a device whose service goes (I3). Where it cannot be waited for it is removed by
   * another thread and a violation is recorded: in a callback of its own (CC-7, CC-8), and in an
   * atomic section (S29), where a wait could be for the caller itself.
   *
   * @param entry the device
   */
  public void remove(DeviceEntry entry) {
    if (Contract.inAtomic()) {
      String text = entry.name() + " is unregistered in a callback that must not sleep";
      contract.report("S29", entry.info().driver(), text, List.of());
      hotplug.unregisterQueued(entry);
    } else {
      tryFromOutside(entry);
      hotplug.unregister(entry, Form.RECORD);
    }
  }

  /** While checking is on, calls a device that is to go from another thread (S30). */
  private void tryFromOutside(DeviceEntry entry) {
    if (contract.checking()) {
      LockCheck.removal(
          hotplug, contract, entry, shared.reportNs().getAsLong(), waits.deadlineNs());
    }
  }

  /** See {@link DriverRegistry#register}. */
  DeviceRegistration register(DriverDevice device) {
    IbInvalidException.given(device, "DriverRegistry.register", "device");
    contract.requireOutside(device.info().driver(), "DriverRegistry", "register");
    DeviceEntry entry = announce(device);
    bringUp(entry);
    return new DeviceRegistration() {
      @Override
      public void unregister() {
        contract.tellInside(entry.info().driver(), entry, "unregister");
        tryFromOutside(entry);
        hotplug.unregister(entry, Form.THROW);
      }

      @Override
      public void withdraw() {
        remove(entry);
      }

      @Override
      public void unregisterQueued() {
        hotplug.unregisterQueued(entry);
      }
    };
  }

  /** See {@link ib.core.client.IbCore#rename}. */
  void rename(String device, String newName) {
    IbInvalidException.given(device, "IbCore.rename", "device");
    IbInvalidException.given(newName, "IbCore.rename", "newName");
    contract.tellInside("the caller", "IbCore", "rename");
    DeviceEntry entry = hotplug.find(device).orElseThrow(() -> none("rename", device));
    hotplug.rename(entry, newName, Form.THROW);
  }

  /**
   * Renames a device whose service says so.
   *
   * @param entry the device
   * @param newName a free name
   */
  public void rename(DeviceEntry entry, String newName) {
    hotplug.rename(entry, newName, Form.RECORD);
  }

  /** {@return the port of a live device, by its name} */
  Optional<DevicePort> port(String name) {
    return hotplug.find(IbInvalidException.given(name, "IbCore", "device")).map(ports::get);
  }

  /**
   * Returns a live device's port.
   *
   * @param method the caller, for the exception
   * @param device the device's name
   * @throws IbNoDeviceException when there is no such device
   */
  DevicePort live(String method, String device) {
    return port(device).orElseThrow(() -> none(method, device));
  }

  private static IbNoDeviceException none(String method, String device) {
    return new IbNoDeviceException(method + " " + device, "no such device", "ibv_devices");
  }

  /** {@return the ports of all devices, also of those that come up or go now} */
  Collection<DevicePort> all() {
    return ports.values();
  }

  /** Forgets all devices, when the midlayer has removed them. */
  void clear() {
    ports.clear();
  }
}
