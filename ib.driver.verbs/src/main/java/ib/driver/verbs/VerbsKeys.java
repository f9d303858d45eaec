package ib.driver.verbs;

import ib.core.config.ConfigKey.Text;
import ib.core.config.ConfigSchema;
import ib.driver.base.DeviceKeys;
import java.util.List;
import java.util.Set;

/** The keys of the configuration, and those of one device that is opened without OSGi. */
final class VerbsKeys {
  private static final String NAME_ALLOWED = "names such as mlx5_0, '*' for any text, '!' for not";

  static final Text DEVICES =
      Text.list(
          "devices",
          "*",
          64,
          NAME_ALLOWED,
          "Which RDMA devices of the host become devices of ib, by their names in the kernel. The"
              + " last pattern that fits decides: '*, !mlx5_1' are all but one. A change plugs and"
              + " unplugs the devices concerned only.");

  static final Text PREFIX =
      Text.of(
          "prefix",
          "a letter, then letters, digits, '_', '.', '-'",
          "Put before the kernel's name of each device, where another driver has a device of that"
              + " name. Default: none.");

  static final Text DEVICE =
      Text.of("device", "a name in the kernel such as mlx5_0", "The device of the host.");

  static final Text NODE_GUID =
      DeviceKeys.guid("Node GUID, for a device that is opened twice. Default: the device's own.");

  /** The configuration in OSGi. */
  static final ConfigSchema SCHEMA =
      new ConfigSchema(
          VerbsDriver.PID,
          false,
          "ib devices of the host",
          "The host's own RDMA devices (ConnectX, Soft-RoCE and others) through libibverbs. Without"
              + " a configuration the driver opens no device.",
          List.of(DEVICES, PREFIX));

  /** The keys of one device, for programs without a framework. */
  static final Set<String> DEVICE_KEYS =
      Set.of(DeviceKeys.NAME.name(), DEVICE.name(), NODE_GUID.name());

  private VerbsKeys() {}
}
