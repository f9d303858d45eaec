package ib.driver.rxe;

import ib.core.verbs.Limit;
import ib.driver.base.NumberKey;
import ib.driver.base.Settings;
import ib.driver.rxe.udp.UdpOptions;
import ib.engine.link.GuardLimits;
import java.net.InetAddress;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Reads raw configuration values into a {@link RxeConfig}; refuses unknown keys and reports all
 * wrong values at once (F25).
 */
final class RxeReader {
  private static final Pattern INTERFACE_NAME = Pattern.compile("[A-Za-z0-9_.:@-]{1,15}");
  private static final Pattern ADDRESS_TEXT =
      Pattern.compile("[0-9A-Fa-f:.]{2,45}(%[\\w.-]{1,15})?");

  private RxeReader() {}

  /**
   * Reads a configuration.
   *
   * @param instance name of the configuration; it is the device name when there is no key {@code
   *     name}
   * @param raw the values; keys of the framework are ignored
   * @return the configuration
   * @throws ib.core.verbs.IbInvalidException naming each key with a wrong value
   */
  static RxeConfig read(String instance, Map<String, ?> raw) {
    Settings settings = new Settings(raw, RxeKeys.SCHEMA.names());
    String name = settings.label(Settings.NAME, instance);
    Optional<String> device = interfaceName(settings);
    List<InetAddress> addresses = addresses(settings);
    if (device.isPresent() == !addresses.isEmpty()) {
      settings.refuse(RxeKeys.ADDRESS);
    }
    Map<Limit, Integer> limits = NumberKey.limits(settings);
    Object guid = settings.value(RxeKeys.NODE_GUID);
    int port = settings.number(RxeKeys.PORT);
    RxeConfig config =
        new RxeConfig(
            name,
            device,
            addresses,
            settings.guid(place(name, addresses, port), 0),
            guid != null && !guid.equals(""),
            settings.choice(RxeKeys.MTU),
            settings.pkeys(RxeKeys.PKEYS),
            settings.number(RxeKeys.WINDOW),
            guard(settings),
            NumberKey.compVectors(settings),
            settings.faults(),
            settings.faultSeed(),
            new UdpOptions(
                port,
                settings.number(RxeKeys.SOCKET_BUFFER),
                settings.number(RxeKeys.BUSY_POLL) * 1000L,
                settings.choice(RxeKeys.IO),
                settings.number(RxeKeys.SOURCE_PORTS),
                settings.choice(RxeKeys.GSO),
                settings.choice(RxeKeys.PROGRESS),
                settings.choice(RxeKeys.ID_CHECK),
                settings.choice(RxeKeys.LOCAL),
                Set.copyOf(settings.choices(RxeKeys.QUIRKS))),
            limits);
    settings.end(instance);
    return config;
  }

  /** {@return what no other device of this network is: JVMs of one host may use the same names} */
  private static String place(String name, List<InetAddress> addresses, int port) {
    return Stream.concat(Stream.of(name), addresses.stream().map(InetAddress::getHostAddress))
        .collect(Collectors.joining(" ", "", ":" + port));
  }

  private static Optional<String> interfaceName(Settings settings) {
    Object value = settings.value(RxeKeys.INTERFACE);
    if (value == null || value.equals("")) {
      return Optional.empty();
    }
    if (value instanceof String s && INTERFACE_NAME.matcher(s.strip()).matches()) {
      return Optional.of(s.strip());
    }
    settings.refuse(RxeKeys.INTERFACE);
    return Optional.empty();
  }

  private static GuardLimits guard(Settings settings) {
    return new GuardLimits(
        settings.number(RxeKeys.GUARD_VIOLATIONS),
        TimeUnit.SECONDS.toNanos(10),
        settings.number(RxeKeys.GUARD_PROBES),
        TimeUnit.SECONDS.toNanos(settings.number(RxeKeys.GUARD_MUTE)));
  }

  private static List<InetAddress> addresses(Settings settings) {
    Object value = settings.value(RxeKeys.ADDRESS);
    if (value == null || value.equals("")) {
      return List.of();
    }
    List<InetAddress> addresses = settings.list(RxeKeys.ADDRESS, List.of(), RxeReader::address);
    boolean different = addresses.stream().distinct().count() == addresses.size();
    return different && addresses.size() <= RxeKeys.ADDRESS.entries() ? addresses : List.of();
  }

  private static Optional<InetAddress> address(String text) {
    if (!ADDRESS_TEXT.matcher(text).matches()) {
      return Optional.empty();
    }
    try {
      InetAddress address = InetAddress.ofLiteral(text);
      boolean one = !address.isAnyLocalAddress() && !address.isMulticastAddress();
      return one ? Optional.of(address) : Optional.empty();
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }
}
