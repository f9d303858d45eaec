package ib.driver.rxe;

import ib.core.verbs.Limit;
import ib.driver.base.NumberKey;
import ib.driver.base.Settings;
import ib.driver.rxe.udp.Quirk;
import ib.driver.rxe.udp.UdpOptions;
import ib.engine.qp.GuardLimits;
import java.net.InetAddress;
import java.util.List;
import java.util.Locale;
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
  static final String ADDRESS = "address";
  static final String INTERFACE = "interface";
  static final String IO = "io";
  static final String GSO = "gso";
  static final String PROGRESS = "progress";
  static final String ID_CHECK = "id_check";
  static final String QUIRKS = "quirks";

  private static final Pattern INTERFACE_NAME = Pattern.compile("[A-Za-z0-9_.:@-]{1,15}");
  private static final Pattern ADDRESS_TEXT =
      Pattern.compile("[0-9A-Fa-f:.]{2,45}(%[\\w.-]{1,15})?");
  private static final int ADDRESSES_MOST = 64;

  /** The keys with numbers that are not limits of the device. */
  enum Number {
    /** UDP port. */
    PORT(1, UdpOptions.ROCE_PORT, 65_535),
    /** Microseconds that the receiving thread polls before it sleeps. */
    BUSY_POLL(0, 0, 1_000_000),
    /** Bytes of a socket's receive buffer, and of its send buffer. */
    SOCKET_BUFFER(65_536, 4_194_304, 268_435_456),
    /** Source ports of an address. */
    SOURCE_PORTS(0, 64, 4096),
    /** Violations of one source that are tolerated within 10 s. */
    GUARD_VIOLATIONS(0, 1000, 1_000_000),
    /** Packets of one source to queue pairs that do not exist, tolerated within 1 s. */
    GUARD_PROBES(0, 10_000, 10_000_000),
    /** Seconds that a source is muted when it exceeds a limit. */
    GUARD_MUTE(1, 60, 3600),
    /** Unacknowledged packets of a queue pair. */
    WINDOW(2, 128, 65_536);

    final int least;
    final int standard;
    final int most;

    Number(int least, int standard, int most) {
      this.least = least;
      this.standard = standard;
      this.most = most;
    }

    String key() {
      return name().toLowerCase(Locale.ROOT);
    }

    int read(Settings settings) {
      return settings.number(key(), least, standard, most);
    }
  }

  static final Set<String> TEXTS =
      Set.of(
          Settings.NAME,
          ADDRESS,
          INTERFACE,
          IO,
          GSO,
          PROGRESS,
          ID_CHECK,
          QUIRKS,
          Settings.GUID,
          Settings.MTU,
          Settings.PKEYS,
          Settings.FAULTS,
          Settings.FAULT_SEED);

  private static final Set<String> KEYS =
      Stream.of(
              TEXTS.stream(),
              Stream.of(Number.values()).map(Number::key),
              Stream.of(NumberKey.values()).filter(k -> k != NumberKey.PORTS).map(NumberKey::key))
          .flatMap(s -> s)
          .collect(Collectors.toUnmodifiableSet());

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
    Settings settings = new Settings(raw, KEYS);
    String name = settings.label(Settings.NAME, instance);
    Optional<String> device = interfaceName(settings);
    List<InetAddress> addresses = addresses(settings);
    if (device.isPresent() == !addresses.isEmpty()) {
      settings.refuse(
          ADDRESS,
          Settings.shown(settings.value(ADDRESS)),
          "IPv4 or IPv6 addresses of this host, comma separated; or else interface: its name, for"
              + " all addresses that it has");
    }
    Map<Limit, Integer> limits = NumberKey.limits(settings);
    Object guid = settings.value(Settings.GUID);
    RxeConfig config =
        new RxeConfig(
            name,
            device,
            addresses,
            settings.guid(name, 0),
            guid != null && !guid.equals(""),
            settings.mtu(),
            settings.pkeys(),
            Number.WINDOW.read(settings),
            guard(settings),
            NumberKey.compVectors(settings),
            settings.faults(),
            settings.faultSeed(),
            new UdpOptions(
                Number.PORT.read(settings),
                Number.SOCKET_BUFFER.read(settings),
                Number.BUSY_POLL.read(settings) * 1000L,
                choice(settings, IO, UdpOptions.Path.values()),
                Number.SOURCE_PORTS.read(settings),
                choice(settings, GSO, UdpOptions.Gso.values()),
                choice(settings, PROGRESS, UdpOptions.Progress.values()),
                choice(settings, ID_CHECK, UdpOptions.IdCheck.values()),
                quirks(settings)),
            limits);
    settings.end(instance);
    return config;
  }

  private static Optional<String> interfaceName(Settings settings) {
    Object value = settings.value(INTERFACE);
    if (value == null || value.equals("")) {
      return Optional.empty();
    }
    if (value instanceof String s && INTERFACE_NAME.matcher(s.strip()).matches()) {
      return Optional.of(s.strip());
    }
    settings.refuse(
        INTERFACE, Settings.shown(value), "the name of a network interface such as eth0");
    return Optional.empty();
  }

  private static GuardLimits guard(Settings settings) {
    return new GuardLimits(
        Number.GUARD_VIOLATIONS.read(settings),
        TimeUnit.SECONDS.toNanos(10),
        Number.GUARD_PROBES.read(settings),
        TimeUnit.SECONDS.toNanos(Number.GUARD_MUTE.read(settings)));
  }

  private static Set<Quirk> quirks(Settings settings) {
    Object value = settings.value(QUIRKS);
    if (value == null || value.equals("")) {
      return Set.of();
    }
    List<Quirk> quirks = settings.list(QUIRKS, List.of(), Quirk::of);
    if (quirks.isEmpty()) {
      settings.refuse(
          QUIRKS,
          Settings.shown(value),
          Stream.of(Quirk.values()).map(Quirk::word).collect(Collectors.joining(", ")));
    }
    return Set.copyOf(quirks);
  }

  /**
   * {@return the constant whose lower-case name is the key's value; the first one without a value}
   */
  private static <E extends Enum<E>> E choice(Settings settings, String key, E[] all) {
    Object value = settings.value(key);
    if (value == null) {
      return all[0];
    }
    for (E one : all) {
      if (word(one).equals(value)) {
        return one;
      }
    }
    settings.refuse(
        key,
        Settings.shown(value),
        Stream.of(all).map(RxeReader::word).collect(Collectors.joining(", ")));
    return all[0];
  }

  private static String word(Enum<?> one) {
    return one.name().toLowerCase(Locale.ROOT);
  }

  private static List<InetAddress> addresses(Settings settings) {
    Object value = settings.value(ADDRESS);
    if (value == null || value.equals("")) {
      return List.of();
    }
    List<InetAddress> addresses = settings.list(ADDRESS, List.of(), RxeReader::address);
    boolean different = addresses.stream().distinct().count() == addresses.size();
    return different && addresses.size() <= ADDRESSES_MOST ? addresses : List.of();
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
