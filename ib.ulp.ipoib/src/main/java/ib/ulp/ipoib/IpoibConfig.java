package ib.ulp.ipoib;

import ib.core.verbs.IbInvalidException;
import ib.ulp.ipoib.link.LinkConfig;
import ib.ulp.ipoib.wire.Ip;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
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

  /** Where the IP stacks are. */
  enum Stacks {
    JVM,
    TAP,
    TUN
  }

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

  private static final int RING_LEAST = 64;
  private static final int RING_MOST = 8192;
  private static final int PROBES_MOST = 10;
  private static final int QUEUES_MOST = 16;

  private static IbInvalidException wrong(
      String key, String value, String good, @Nullable Throwable cause) {
    IbInvalidException refusal =
        new IbInvalidException("ib.ulp.ipoib", "key " + key + " is '" + value + "'", good);
    if (cause != null) {
      refusal.initCause(cause);
    }
    return refusal;
  }

  /**
   * Reads the configuration.
   *
   * @throws IbInvalidException for a wrong value; the message has the key, the value and what is
   *     allowed
   */
  static IpoibConfig read(Map<String, ?> values) {
    String backend = word(values, "backend", "jvm", "tap", "tun");
    LinkConfig link =
        new LinkConfig(
            0,
            number(values, "send_queue_size", 512, RING_LEAST, RING_MOST),
            number(values, "recv_queue_size", 2048, RING_LEAST, RING_MOST),
            number(values, "mtu", 0, 0, 65_520),
            connected("mode", text(values, "mode", "datagram")),
            word(values, "service_id", "linux", "rfc").equals("rfc"),
            word(values, "roce.enabled", "false", "true").equals("true"),
            word(values, "umcast", "false", "true").equals("true"));
    List<Integer> children = new ArrayList<>();
    for (String pkey : list(values, "children")) {
      int full = pkey("children", pkey) | 0x8000;
      if (!children.contains(full)) { // 0x000a and 0x800a are one partition
        children.add(full);
      }
    }
    int probes = number(values, "dad_transmits", 1, 0, PROBES_MOST);
    return new IpoibConfig(
        Stacks.valueOf(backend.toUpperCase(Locale.ROOT)),
        link,
        List.copyOf(children),
        names(values),
        nets(values, "addresses", "ib0 10.0.0.1/24"),
        nets(values, "gateways", "ib0 10.0.0.254"),
        probes,
        number(values, "queues", 1, 1, QUEUES_MOST));
  }

  /** B1: reads the interface names that are reserved for ports. */
  private static Map<String, String> names(Map<String, ?> values) {
    Map<String, String> names = new TreeMap<>();
    for (String entry : list(values, "interfaces")) {
      String[] parts = entry.split("\\s+");
      boolean good =
          parts.length == 2
              && parts[0].matches("ib(0|[1-9]\\d{0,3})")
              && parts[1].matches("\\S+/\\d+");
      if (!good || names.containsValue(parts[0]) || names.put(parts[1], parts[0]) != null) {
        throw wrong("interfaces", entry, "ib0 soft0/1, each name and each port once", null);
      }
    }
    return names;
  }

  private static Map<String, List<Net>> nets(Map<String, ?> values, String key, String good) {
    Map<String, List<Net>> nets = new TreeMap<>();
    for (String entry : list(values, key)) {
      String[] parts = entry.split("\\s+");
      if (parts.length != 2) {
        throw wrong(key, entry, good, null);
      }
      nets.computeIfAbsent(parts[0], k -> new ArrayList<>()).add(Net.parse(parts[1]));
    }
    return nets;
  }

  /** {@return whether {@code mode} is {@code connected}} */
  static boolean connected(String key, String mode) {
    return word(Map.of(key, mode), key, "datagram", "connected").equals("connected");
  }

  /**
   * {@return the value of a key, which must be one of the words; the first word if the key is not
   * set}
   */
  private static String word(Map<String, ?> values, String key, String... words) {
    String word = text(values, key, words[0]);
    if (!List.of(words).contains(word)) {
      throw wrong(key, word, String.join(" or ", words), null);
    }
    return word;
  }

  /** {@return a P_Key of 15 or 16 bits, parsed from decimal, or from hexadecimal with 0x} */
  static int pkey(String key, String text) {
    try {
      int value = Integer.decode(text);
      if ((value & 0x7fff) != 0 && value >>> 16 == 0) {
        return value;
      }
    } catch (NumberFormatException e) {
      throw wrong(key, text, "0x0001 to 0xffff, not 0x8000", e);
    }
    throw wrong(key, text, "0x0001 to 0xffff, not 0x8000", null);
  }

  private static String text(Map<String, ?> values, String key, String otherwise) {
    Object value = values.get(key);
    return value == null ? otherwise : value.toString().trim();
  }

  private static int number(Map<String, ?> values, String key, int otherwise, int least, int most) {
    String text = text(values, key, String.valueOf(otherwise));
    String good = least + " to " + most;
    try {
      int value = Integer.parseInt(text);
      if (value >= least && value <= most) {
        return value;
      }
    } catch (NumberFormatException e) {
      throw wrong(key, text, good, e);
    }
    throw wrong(key, text, good, null);
  }

  /** {@return the trimmed elements of an array, a collection or a text with commas} */
  private static List<String> list(Map<String, ?> values, String key) {
    Object value = values.get(key);
    List<String> all = new ArrayList<>();
    if (value instanceof Object[] array) {
      Arrays.stream(array).forEach(each -> all.add(each.toString().trim()));
    } else if (value instanceof Iterable<?> each) {
      each.forEach(one -> all.add(one.toString().trim()));
    } else if (value != null) {
      Arrays.stream(value.toString().split(",")).forEach(one -> all.add(one.trim()));
    }
    all.removeIf(String::isEmpty);
    return all;
  }
}
