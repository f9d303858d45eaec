package ib.core.spi;

import ib.core.verbs.MaySleep;

/**
 * A place where a device is plugged in: a service that a driver registers per configured instance
 * and keeps while the device is unplugged. {@code ib:plug} and {@code ib:unplug} reach drivers
 * through it.
 */
public interface DeviceSlot {
  /** Service property, of the slot and of its device: the device name, String. */
  String DEVICE_NAME = "ib.device.name";

  /** Service property, of the device: its node GUID, 16 hex digits. */
  String NODE_GUID = "ib.node.guid";

  /**
   * Service property, of the slot: whether the device is there and all clients were added, Boolean.
   */
  String PLUGGED = "ib.device.plugged";

  /** {@return the configured device name} */
  String name();

  /** {@return whether the device is plugged in} */
  boolean plugged();

  /**
   * Builds and registers the device; nothing happens when it is plugged in.
   *
   * @throws ib.core.verbs.IbException when it cannot be built
   */
  @MaySleep
  void plug();

  /** Unregisters the device and takes it down; nothing happens when it is not plugged in. */
  @MaySleep
  void unplug();
}
