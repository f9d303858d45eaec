package ib.driver.soft;

import ib.core.verbs.Limit;
import ib.driver.base.NumberKey;
import ib.driver.base.Settings;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Raw configuration values to a {@link SoftConfig}: strict and total (F25). */
final class ConfigReader {
  private static final String SWITCH = "switch";
  private static final String LINK = "link";
  private static final Set<String> KEYS =
      Stream.concat(
              Stream.of(
                  Settings.NAME,
                  SWITCH,
                  Settings.GUID,
                  LINK,
                  Settings.MTU,
                  Settings.PKEYS,
                  Settings.FAULTS,
                  Settings.FAULT_SEED),
              Stream.of(NumberKey.values()).map(NumberKey::key))
          .collect(Collectors.toUnmodifiableSet());

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
    Settings settings = new Settings(raw, KEYS);
    String name = settings.label(Settings.NAME, instance);
    int ports = settings.number(NumberKey.PORTS);
    Map<Limit, Integer> limits = NumberKey.limits(settings);
    SoftConfig config =
        new SoftConfig(
            name,
            settings.label(SWITCH, "ib-sw0"),
            settings.guid(name, ports),
            NumberKey.compVectors(settings),
            settings.mtu(),
            link(settings, ports),
            settings.pkeys(),
            settings.faults(),
            settings.faultSeed(),
            limits);
    settings.end(instance);
    return config;
  }

  private static List<Boolean> link(Settings settings, int ports) {
    List<Boolean> link = settings.list(LINK, List.of(true), ConfigReader::linkUp);
    if (link.size() != 1 && link.size() != ports) {
      settings.refuse(
          LINK,
          Settings.shown(settings.value(LINK)),
          "up or down, for all ports or one for each, comma separated");
      return List.of(true);
    }
    return link.size() == ports ? link : Collections.nCopies(ports, link.getFirst());
  }

  private static Optional<Boolean> linkUp(String text) {
    return switch (text) {
      case "up" -> Optional.of(true);
      case "down" -> Optional.of(false);
      default -> Optional.empty();
    };
  }
}
