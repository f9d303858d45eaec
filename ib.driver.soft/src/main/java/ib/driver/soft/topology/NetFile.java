package ib.driver.soft.topology;

import ib.core.mad.smp.PortInfo;
import ib.core.mad.smp.SwitchInfo;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.NodeType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A subnet as text, in the format that {@code ibnetdiscover} prints and {@code ibsim} reads: for
 * each node a line with its type, ports, name and description, then a line for each cable. The
 * values that a line does not give are those of {@code ibsim}: {@link NodeGuids} counts the GUIDs
 * up, a link has 4X and 2.5 Gbit/s, a switch has a base port 0, vendor and device are 0.
 */
public final class NetFile {
  private static final Pattern GUID =
      Pattern.compile("(switch|ca|hca|rt)guids?\\s*([=+])\\s*(0x[0-9a-fA-F]+|\\d+).*");
  private static final Pattern MAKE =
      Pattern.compile(
          "(vendid|devid|sysimgguid|width|speed|extspeed)\\s*=\\s*(0x[0-9a-fA-F]+|\\d+).*");
  private static final Pattern NODE =
      Pattern.compile("(Switch|Ca|Hca|Rt)\\s+(\\d+)\\s+\"([^\"]+)\"\\s*(?:#\\s*\"([^\"]*)\")?(.*)");
  private static final Pattern CABLE =
      Pattern.compile(
          "\\[(\\d+)\\](?:\\[ext \\d+\\])?(?:\\(([0-9a-fA-F]+)\\))?\\s+\"([^\"]+)\"\\s*"
              + "(?:\\[(\\d+)\\](?:\\[ext \\d+\\])?(?:\\(([0-9a-fA-F]+)\\))?)?"
              + "\\s*((?:[wse]=\\d+\\s*)*)(#.*)?");

  /** Lines of ibnetdiscover between the nodes: -g groups these, -s says how each was found. */
  private static final Pattern BETWEEN =
      Pattern.compile("(?:Non-Chassis Nodes|Chassis \\d+\\b.*|DR path .* -> .*)?|#.*");

  private static final Pattern OPTION = Pattern.compile("([wse])=(\\d+)");
  private static final Pattern RATE =
      Pattern.compile("\\b(\\d+)x([A-Z]+\\d*)(\\s+s=\\d+ w=\\d+ v=\\d+)?\\s*$");

  /** Words behind the LID that are no rate. */
  private static final Pattern LEFT =
      Pattern.compile("\\blid \\d+(?: lmc \\d+)?\\s+(?!lmc\\b)[^\"\\s][^\"]*$");

  private static final Pattern LID = Pattern.compile("lid (\\d+) lmc ([0-7])");
  private static final Pattern NAMED = Pattern.compile("[SHR]-([0-9a-fA-F]{1,16})");
  private static final int MAX_PORTS = 254;
  private static final int LID_LAST = 0xBFFF;
  private static final int WIDTH_4X = 2;

  /** The widths and speeds that a port has enabled, as PortInfo codes them. */
  private record Offer(int widths, int speeds, int extended) {}

  private final Map<String, Node> nodes = new LinkedHashMap<>();
  private final Map<NodePort, Integer> cabled = new LinkedHashMap<>(); // cable end to line number
  private final Map<NodePort, Offer> offers = new HashMap<>();
  private final List<Matcher> cables = new ArrayList<>();
  private final List<Integer> lines = new ArrayList<>(); // of cables
  private final List<String> owners = new ArrayList<>(); // of cables
  private final NodeGuids guids = new NodeGuids();
  private final Map<String, Long> make = new HashMap<>();

  private NetFile() {}

  /**
   * Reads a subnet.
   *
   * @param text the contents of the file
   * @return the nodes with their cables; no link is up
   * @throws IbInvalidException when a line is wrong; the exception names the line
   */
  public static List<Node> read(String text) {
    NetFile file = new NetFile();
    file.lines(text);
    file.connect();
    return List.copyOf(file.nodes.values());
  }

  private void lines(String text) {
    String current = "";
    int number = 0;
    for (String raw : text.split("\n", -1)) {
      number++;
      String line = raw.strip();
      Matcher g = GUID.matcher(line);
      Matcher m = MAKE.matcher(line);
      Matcher n = NODE.matcher(line);
      Matcher c = CABLE.matcher(line);
      if (BETWEEN.matcher(line).matches()) {
        continue;
      } else if (g.matches()) {
        guids.begin(type(g.group(1)), g.group(2).equals("+"), number(g.group(3), number));
      } else if (m.matches()) {
        make.put(m.group(1), number(m.group(2), number));
      } else if (n.matches()) {
        current = n.group(3);
        add(n, number);
      } else if (c.matches() && nodes.containsKey(current)) {
        cables.add(c);
        lines.add(number);
        owners.add(current);
      } else {
        throw wrong(number, "is neither a node nor a cable: " + line);
      }
    }
  }

  private static NodeType type(String word) {
    return switch (word) {
      case "Switch", "switch" -> NodeType.SWITCH;
      case "Rt", "rt" -> NodeType.ROUTER;
      default -> NodeType.CA;
    };
  }

  private static long number(String text, int line) {
    boolean hex = text.startsWith("0x");
    try {
      return Long.parseUnsignedLong(hex ? text.substring(2) : text, hex ? 16 : 10);
    } catch (NumberFormatException e) {
      throw wrong(line, "has a number of more than 64 bits: " + text);
    }
  }

  private void add(Matcher n, int line) {
    NodeType type = type(n.group(1));
    String id = n.group(3);
    int ports = small(n.group(2));
    if (ports < 1 || ports > MAX_PORTS) {
      throw wrong(line, "has " + n.group(2) + " ports; 1 to " + MAX_PORTS);
    }
    Matcher named = NAMED.matcher(id);
    long guid =
        named.matches() && !guids.isSet(type)
            ? number("0x" + named.group(1), line)
            : guids.next(type, ports);
    String text = n.group(4) == null ? id : n.group(4);
    Node node = new Node(type, guid, ports, text);
    if (nodes.put(id, node) != null) {
      throw wrong(line, "names a node for the second time: " + id);
    }
    String before = guids.take(node, line);
    if (before != null) {
      throw wrong(line, before);
    }
    node.make(
        make.getOrDefault("sysimgguid", guid),
        make.getOrDefault("vendid", 0L).intValue(),
        make.getOrDefault("devid", 0L).intValue());
    make.remove("sysimgguid");
    make.remove("vendid");
    NodePort zero = node.port(0);
    if (zero != null) {
      SwitchInfo.ENHANCED_PORT_0.set(
          node.switchInfo(), n.group(5).contains("enhanced port 0") ? 1 : 0);
      firstLid(zero, n.group(5));
    }
    Offer usual =
        new Offer(
            make.getOrDefault("width", (long) WIDTH_4X).intValue() & 0x1f,
            make.getOrDefault("speed", (long) LinkSpeed.SDR.classic).intValue() & 0x7,
            make.getOrDefault("extspeed", 0L).intValue() & 0xf);
    node.ports().forEach(port -> port.offer(usual.widths, usual.speeds, usual.extended));
  }

  private static void firstLid(NodePort port, String remark) {
    Matcher lid = LID.matcher(remark);
    if (lid.find()) {
      int base = small(lid.group(1));
      int lmc = small(lid.group(2));
      if (base > 0 && base + (1 << lmc) - 1 <= LID_LAST) {
        port.firstLid(base, lmc);
      }
    }
  }

  /** Reads a number; a number of more than six digits is read as {@link Integer#MAX_VALUE}. */
  private static int small(String digits) {
    return digits.length() > 6 ? Integer.MAX_VALUE : Integer.parseInt(digits);
  }

  // ---- cables ----

  private void connect() {
    for (int i = 0; i < cables.size(); i++) {
      connect(cables.get(i), owners.get(i), lines.get(i));
    }
    offers.forEach((port, offer) -> port.offer(offer.widths, offer.speeds, offer.extended));
    cabled.forEach(
        (port, line) -> {
          String before = guids.take(port, line);
          if (before != null) {
            throw wrong(line, before);
          }
        });
  }

  private void connect(Matcher c, String owner, int line) {
    NodePort from = port(owner, small(c.group(1)), line);
    NodePort to = port(c.group(3), c.group(4) == null ? 1 : small(c.group(4)), line);
    NodePort before = from.peer();
    boolean taken = before != null && !before.equals(to);
    if (taken || to.peer() != null && !from.equals(to.peer()) || from.equals(to)) {
      throw wrong(line, "puts a second cable into a port");
    }
    from.cable(to);
    guid(from, c.group(2), line);
    guid(to, c.group(5), line);
    cabled.put(from, line);
    cabled.putIfAbsent(to, line);
    String remark = c.group(7) == null ? "" : c.group(7);
    if (!from.node().isSwitch()) {
      firstLid(from, remark);
    }
    Offer offer = offer(from, c.group(6), remark, line);
    if (offer != null) {
      offers.put(from, offer);
      offers.putIfAbsent(to, offer);
    }
  }

  private void guid(NodePort port, @Nullable String hex, int line) {
    if (hex == null || port.node().isSwitch()) {
      return;
    }
    long guid = number("0x" + hex, line);
    if (cabled.containsKey(port) && guid != port.guid()) {
      throw wrong(line, "gives a port another GUID than line " + cabled.get(port) + " does");
    }
    port.guid(guid);
  }

  private static @Nullable Offer offer(NodePort port, String options, String remark, int line) {
    Matcher rate = RATE.matcher(remark);
    boolean rated = rate.find();
    LinkSpeed speed = rated ? LinkSpeed.named(rate.group(2)) : null;
    if (rated ? speed == null || upTo(rate.group(1)) == 0 : LEFT.matcher(remark).find()) {
      throw wrong(line, "has a rate that is none of 1x to 12x of SDR to XDR: " + remark);
    }
    Matcher option = OPTION.matcher(options);
    int widths = PortInfo.LINK_WIDTH_ENABLED.in(port.info());
    int speeds = PortInfo.LINK_SPEED_ENABLED.in(port.info());
    int extended = port.enabledExtended();
    if (speed != null) {
      widths = upTo(rate.group(1));
      speeds = speed.upTo();
      extended = speed.upToExtended();
    }
    boolean any = speed != null;
    while (option.find()) {
      int value = small(option.group(2));
      any = true;
      switch (option.group(1)) {
        case "w" -> widths = value & 0x1f;
        case "s" -> speeds = value == 0 ? LinkSpeed.QDR.classic : value & 0x7;
        default -> extended = value & 0xf;
      }
    }
    return any ? new Offer(widths, speeds, extended) : null;
  }

  /** Returns LinkWidthEnabled of a port of a width, for example 4x. */
  private static int upTo(String lanes) {
    return switch (lanes) {
      case "1" -> 1;
      case "8" -> 4;
      case "12" -> 11;
      case "2" -> 16;
      case "4" -> 3;
      default -> 0;
    };
  }

  private NodePort port(String id, int number, int line) {
    Node node = nodes.get(id);
    NodePort port = node == null || number == 0 ? null : node.port(number);
    if (port == null) {
      throw wrong(line, "names a port that is not there: " + id + "[" + number + "]");
    }
    return port;
  }

  private static IbInvalidException wrong(int line, String what) {
    return new IbInvalidException(
        "line " + line + " of the topology", what, "the format that ibnetdiscover prints");
  }
}
