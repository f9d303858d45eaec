package ib.driver.soft;

import ib.core.config.ConfigKey;
import ib.core.config.ConfigSchema;
import ib.core.verbs.Limit;
import ib.core.verbs.Mtu;
import ib.driver.base.DeviceKeys;
import ib.driver.base.NumberKey;
import ib.driver.base.Settings;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/** Reads raw configuration values into a {@link SoftConfig}: strict and total (F25). */
final class ConfigReader {
  /** The number of ports. */
  static final ConfigKey.Whole PORTS =
      new ConfigKey.Whole("ports", 1, 1, 8, "Ports of the adapter.");

  private static final String SWITCH = "switch";
  private static final String SWITCH_STANDARD = "ib-sw0";
  private static final ConfigKey.Choice<Boolean> LINK =
      new ConfigKey.Choice<>(
          "link",
          ConfigKey.Choice.words(List.of(true, false), up -> up ? "up" : "down"),
          "up",
          8,
          "Whether the cable is in, for all ports or one value for each. Changes while the device"
              + " runs.");
  private static final ConfigKey.Choice<Mtu> MTU =
      DeviceKeys.mtu("Active MTU of all ports, in bytes.");
  private static final ConfigKey.Text PKEYS =
      DeviceKeys.pkeys(
          "P_Key table of all ports: 16 bits each; the top bit says full membership. Changes while"
              + " the device runs.");

  /** All keys of a device. */
  static final ConfigSchema SCHEMA =
      new ConfigSchema(
          SoftDriver.PID,
          true,
          "ib soft device",
          "One software InfiniBand adapter per configuration. link, pkeys, faults and fault_seed"
              + " change while the device runs; any other change unplugs the device and plugs it"
              + " again.",
          DeviceKeys.with(
              new ConfigKey.Text(
                  SWITCH,
                  SWITCH_STANDARD,
                  0,
                  false,
                  DeviceKeys.NAME.allowed(),
                  "The switch that all ports are cabled to. Devices on different switches cannot"
                      + " reach each other."),
              PORTS,
              DeviceKeys.guid(
                  "Node GUID; port n has the GUID n above it. Default: derived from the device"
                      + " name, locally administered. A topology that has a device of this name"
                      + " replaces it."),
              LINK,
              MTU,
              PKEYS));

  private ConfigReader() {}

  /**
   * Reads a configuration.
   *
   * @param instance its name: the device name when there is no key {@code name}
   * @param raw the values; keys of the framework are ignored
   * @return the configuration
   * @throws ib.core.verbs.IbInvalidException that names each key that is wrong
   */
  static SoftConfig read(String instance, Map<String, ?> raw) {
    Settings settings = new Settings(raw, SCHEMA.names());
    String name = settings.label(Settings.NAME, instance);
    int ports = settings.number(PORTS);
    Map<Limit, Integer> limits = NumberKey.limits(settings);
    SoftConfig config =
        new SoftConfig(
            name,
            settings.label(SWITCH, SWITCH_STANDARD),
            settings.guid(name, ports),
            NumberKey.compVectors(settings),
            settings.choice(MTU),
            link(settings, ports),
            settings.pkeys(PKEYS),
            settings.faults(),
            settings.faultSeed(),
            limits);
    settings.end(instance);
    return config;
  }

  private static List<Boolean> link(Settings settings, int ports) {
    List<Boolean> link = settings.choices(LINK);
    if (link.size() != 1 && link.size() != ports) {
      settings.refuse(
          LINK.name(),
          Settings.shown(settings.value(LINK)),
          LINK.allowed() + "; one value, or one for each port");
      return List.of(true);
    }
    return link.size() == ports ? link : Collections.nCopies(ports, link.getFirst());
  }
}
