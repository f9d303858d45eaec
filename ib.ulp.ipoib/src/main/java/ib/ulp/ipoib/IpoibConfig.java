package ib.ulp.ipoib;

import ib.core.config.ConfigKey.Text;
import ib.core.config.ConfigValues;
import ib.core.verbs.IbInvalidException;
import ib.ulp.ipoib.IpoibKeys.Stacks;
import ib.ulp.ipoib.link.LinkConfig;
import ib.ulp.ipoib.wire.Ip;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The bundle's configuration, parsed and checked.
 *
 * @param stacks where the IP stacks are
 * @param link the configuration of all links
 * @param children P_Keys; each port gets a child interface for each of them
 * @param names interface names by the device and port that they are reserved for
 * @param addresses addresses with prefix lengths, by interface name; unused with TAP
 * @param gateways default gateways, by interface name; unused with TAP
 * @param probes how many neighbour solicitations precede the use of an IPv6 address; unused with
 *     TAP
 * @param queues number of queues of each TAP or TUN device
 */
record IpoibConfig(
    Stacks stacks,
    LinkConfig link,
    List<Integer> children,
    Map<String, String> names,
    Map<String, List<Net>> addresses,
    Map<String, List<Net>> gateways,
    int probes,
    int queues) {

  /** An address and its prefix length, 0 to 32 bits (IPv4) or 0 to 128 bits (IPv6). */
  record Net(Ip address, int prefix) {
    static Net parse(String text) {
      int slash = text.indexOf('/');
      try {
        Ip ip = Ip.parse(slash < 0 ? text : text.substring(0, slash));
        int most = ip.isV4() ? 32 : 128;
        int prefix = slash < 0 ? most : Integer.parseInt(text.substring(slash + 1));
        if (prefix >= 0 && prefix <= most) {
          return new Net(ip, prefix);
        }
      } catch (IllegalArgumentException e) {
        throw wrong("address", text, "10.0.0.1/24 or fd00::1/64", e);
      }
      throw wrong("address", text, "10.0.0.1/24 or fd00::1/64", null);
    }
  }

  private static IbInvalidException wrong(
      String key, String value, String good, @Nullable Throwable cause) {
    IbInvalidException refusal =
        new IbInvalidException("ib.ulp.ipoib", "key " + key + " is '" + value + "'", good);
    if (cause != null) {
      refusal.initCause(cause);
    }
    return refusal;
  }

  private static IbInvalidException wrong(Text key, String value) {
    return wrong(key.name(), value, key.allowed(), null);
  }

  /**
   * Reads the configuration; unknown keys are ignored.
   *
   * @throws IbInvalidException naming wrong values, each with its key and what is allowed
   */
  static IpoibConfig read(Map<String, ?> raw) {
    ConfigValues values = new ConfigValues(raw);
    LinkConfig link =
        new LinkConfig(
            0,
            values.number(IpoibKeys.SEND_QUEUE_SIZE),
            values.number(IpoibKeys.RECV_QUEUE_SIZE),
            values.number(IpoibKeys.MTU),
            values.choice(IpoibKeys.MODE),
            values.choice(IpoibKeys.SERVICE_ID),
            values.choice(IpoibKeys.ROCE_ENABLED),
            values.choice(IpoibKeys.UMCAST));
    Stacks stacks = values.choice(IpoibKeys.BACKEND);
    int probes = values.number(IpoibKeys.DAD_TRANSMITS);
    int queues = values.number(IpoibKeys.QUEUES);
    values.end(IpoibComponent.PID);
    List<Integer> children = new ArrayList<>();
    for (String pkey : list(values, IpoibKeys.CHILDREN)) {
      int full = pkey(IpoibKeys.CHILDREN.name(), pkey) | 0x8000;
      if (!children.contains(full)) { // 0x000a and 0x800a are one partition
        children.add(full);
      }
    }
    return new IpoibConfig(
        stacks,
        link,
        List.copyOf(children),
        names(values),
        nets(values, IpoibKeys.ADDRESSES),
        nets(values, IpoibKeys.GATEWAYS),
        probes,
        queues);
  }

  /** B1: reads the interface names that are reserved for ports. */
  private static Map<String, String> names(ConfigValues values) {
    Map<String, String> names = new TreeMap<>();
    for (String entry : list(values, IpoibKeys.INTERFACES)) {
      String[] parts = entry.split("\\s+");
      boolean good =
          parts.length == 2
              && parts[0].matches("ib(0|[1-9]\\d{0,3})")
              && parts[1].matches("\\S+/\\d+");
      if (!good || names.containsValue(parts[0]) || names.put(parts[1], parts[0]) != null) {
        throw wrong(IpoibKeys.INTERFACES, entry);
      }
    }
    return names;
  }

  private static Map<String, List<Net>> nets(ConfigValues values, Text key) {
    Map<String, List<Net>> nets = new TreeMap<>();
    for (String entry : list(values, key)) {
      String[] parts = entry.split("\\s+");
      if (parts.length != 2) {
        throw wrong(key, entry);
      }
      nets.computeIfAbsent(parts[0], k -> new ArrayList<>()).add(Net.parse(parts[1]));
    }
    return nets;
  }

  /**
   * {@return whether a mode is {@code connected}}
   *
   * @throws IbInvalidException if it is not {@code datagram} either
   */
  static boolean connected(String mode) {
    ConfigValues values = new ConfigValues(Map.of(IpoibKeys.MODE.name(), mode));
    boolean connected = values.choice(IpoibKeys.MODE);
    values.end(IpoibComponent.PID);
    return connected;
  }

  /** {@return a P_Key of 15 or 16 bits, parsed from decimal, or from hexadecimal with 0x} */
  static int pkey(String key, String text) {
    try {
      int value = Integer.decode(text);
      if ((value & 0x7fff) != 0 && value >>> 16 == 0) {
        return value;
      }
    } catch (NumberFormatException e) {
      throw wrong(key, text, IpoibKeys.CHILDREN.allowed(), e);
    }
    throw wrong(key, text, IpoibKeys.CHILDREN.allowed(), null);
  }

  /** {@return the stripped entries of a list that are not empty} */
  private static List<String> list(ConfigValues values, Text key) {
    Object value = values.value(key);
    return value == null
        ? List.of()
        : ConfigValues.parts(value).stream()
            .map(part -> part.toString().strip())
            .filter(part -> !part.isEmpty())
            .toList();
  }
}
