package ib.driver.soft.topology;

import ib.core.mad.smp.PortInfo;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.NodeType;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A subnet as text, in the format that {@code ibnetdiscover} prints and {@code ibsim} reads: for
 * each node a line with its type, ports, name and description, then a line for each cable.
 */
public final class NetFile {
  private static final Pattern GUID = Pattern.compile("(switch|ca|rt)guid=0x([0-9a-fA-F]+).*");
  private static final Pattern NODE =
      Pattern.compile("(Switch|Ca|Hca|Rt)\\s+(\\d+)\\s+\"([^\"]+)\"\\s*(?:#\\s*\"([^\"]*)\".*)?.*");
  private static final Pattern CABLE =
      Pattern.compile(
          "\\[(\\d+)\\](?:\\([0-9a-fA-F]+\\))?\\s+\"([^\"]+)\"\\s*\\[(\\d+)\\](?:\\([0-9a-fA-F]+\\))?\\s*(#.*)?");
  private static final Pattern RATE = Pattern.compile("(1|4|8|12|2)x([A-Z]+)\\s*$");
  private static final int PORTS_MOST = 254;
  private static final int WIDTH_4X = 2;

  private record Cable(String from, int port, String to, int toPort, String remark, int line) {}

  private final Map<String, Node> nodes = new LinkedHashMap<>();
  private final List<Cable> cables = new ArrayList<>();

  private NetFile() {}

  /**
   * Reads a subnet.
   *
   * @param text the file
   * @return its nodes, cabled; no link is up
   * @throws IbInvalidException that names the line that is wrong
   */
  public static List<Node> read(String text) {
    NetFile file = new NetFile();
    file.lines(text);
    file.connect();
    return List.copyOf(file.nodes.values());
  }

  private void lines(String text) {
    String guid = "";
    String current = "";
    int number = 0;
    for (String raw : text.split("\n", -1)) {
      number++;
      String line = raw.strip();
      Matcher g = GUID.matcher(line);
      Matcher n = NODE.matcher(line);
      Matcher c = CABLE.matcher(line);
      if (line.isEmpty() || line.startsWith("#") || line.matches("(vendid|devid|sysimgguid)=.*")) {
        continue;
      } else if (g.matches()) {
        guid = g.group(2);
      } else if (n.matches()) {
        current = n.group(3);
        add(n, guid, number);
        guid = "";
      } else if (c.matches() && nodes.containsKey(current)) {
        String remark = c.group(4) == null ? "" : c.group(4);
        cables.add(
            new Cable(
                current,
                Integer.parseInt(c.group(1)),
                c.group(2),
                Integer.parseInt(c.group(3)),
                remark,
                number));
      } else {
        throw wrong(number, "is neither a node nor a cable: " + line);
      }
    }
  }

  private void add(Matcher n, String guid, int line) {
    boolean sw = n.group(1).equals("Switch");
    String id = n.group(3);
    int ports = Integer.parseInt(n.group(2));
    Matcher named = Pattern.compile("[SHR]-([0-9a-fA-F]{1,16})").matcher(id);
    String hex = !guid.isEmpty() ? guid : named.matches() ? named.group(1) : "";
    String text = n.group(4) == null ? id : n.group(4);
    if (ports < 1 || ports > PORTS_MOST) {
      throw wrong(line, "has " + ports + " ports; 1 to " + PORTS_MOST);
    }
    long value = hex.isEmpty() ? derived(id) : Long.parseUnsignedLong(hex, 16);
    Node node = new Node(sw ? NodeType.SWITCH : NodeType.CA, value, ports, text);
    if (nodes.put(id, node) != null) {
      throw wrong(line, "names a node for the second time: " + id);
    }
  }

  /** A GUID for a node that has none: locally administered, the same whenever it is read. */
  private static long derived(String id) {
    long hash = 1125899906842597L;
    for (int i = 0; i < id.length(); i++) {
      hash = 31 * hash + id.charAt(i);
    }
    return hash & 0x00ff_ffff_ffff_ff00L | 2L << 56;
  }

  private void connect() {
    for (Cable c : cables) {
      NodePort from = port(c.from, c.port, c.line);
      NodePort to = port(c.to, c.toPort, c.line);
      NodePort before = from.peer();
      if (before != null && !before.equals(to) || to.peer() != null && !from.equals(to.peer())) {
        throw wrong(c.line, "puts a second cable into a port");
      }
      from.cable(to);
      Matcher rate = RATE.matcher(c.remark);
      LinkSpeed speed = rate.find() ? LinkSpeed.named(rate.group(2)) : null;
      if (speed != null) {
        int width = width(rate.group(1));
        from.speed(speed, width);
        to.speed(speed, width);
      }
    }
  }

  private static int width(String text) {
    return switch (text) {
      case "1" -> 1;
      case "8" -> 4;
      case "12" -> 8;
      case "2" -> 16;
      default -> WIDTH_4X;
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

  // ---- writing ----

  /**
   * Writes a subnet.
   *
   * @param nodes its nodes
   * @return what {@code ibnetdiscover} would print of them, without the remarks at the top
   */
  public static String write(Iterable<Node> nodes) {
    StringBuilder text = new StringBuilder();
    for (Node node : nodes) {
      if (node.isSwitch()) {
        node(text, node);
      }
    }
    for (Node node : nodes) {
      if (!node.isSwitch()) {
        node(text, node);
      }
    }
    return text.toString();
  }

  private static void node(StringBuilder text, Node node) {
    boolean sw = node.isSwitch();
    String guid = Long.toHexString(node.guid());
    text.append("vendid=0x2c9\ndevid=0x5346\nsysimgguid=0x").append(guid).append('\n');
    if (sw) {
      NodePort zero = node.port(0);
      text.append("switchguid=0x").append(guid).append('(').append(guid).append(")\n");
      text.append("Switch\t").append(node.portCount()).append(' ').append(id(node));
      text.append("\t\t# \"").append(node.description()).append("\" enhanced port 0 lid ");
      text.append(zero == null ? 0 : zero.lid()).append(" lmc 0\n");
    } else {
      text.append("caguid=0x").append(guid).append('\n');
      text.append("Ca\t").append(node.portCount()).append(' ').append(id(node));
      text.append("\t\t# \"").append(node.description()).append("\"\n");
    }
    for (NodePort port : node.ports()) {
      NodePort peer = port.peer();
      if (peer != null && port.linked()) {
        cable(text, port, peer, sw);
      }
    }
    text.append('\n');
  }

  private static void cable(StringBuilder text, NodePort port, NodePort peer, boolean sw) {
    Node other = peer.node();
    NodePort managed = other.managed(peer);
    text.append('[').append(port.number()).append(']');
    if (!sw) {
      text.append('(').append(Long.toHexString(port.guid())).append(") ");
    }
    text.append('\t').append(id(other)).append('[').append(peer.number()).append(']');
    if (!other.isSwitch()) {
      text.append('(').append(Long.toHexString(peer.guid())).append(") ");
    }
    text.append("\t\t# ");
    if (!sw) {
      text.append("lid ").append(port.lid()).append(" lmc ").append(port.lmc()).append(' ');
    }
    text.append('"').append(other.description()).append("\" lid ").append(managed.lid());
    text.append(' ').append(rate(port)).append('\n');
  }

  private static String id(Node node) {
    return String.format("\"%s-%016x\"", node.isSwitch() ? "S" : "H", node.guid());
  }

  private static String rate(NodePort port) {
    int width =
        switch (PortInfo.LINK_WIDTH_ACTIVE.in(port.info())) {
          case 1 -> 1;
          case 4 -> 8;
          case 8 -> 12;
          case 16 -> 2;
          default -> 4;
        };
    for (LinkSpeed s : LinkSpeed.values()) {
      if (s.extended() == PortInfo.LINK_SPEED_EXT_ACTIVE.in(port.info())
          && s.classic() == PortInfo.LINK_SPEED_ACTIVE.in(port.info())) {
        return width + "x" + s.name();
      }
    }
    return width + "x???";
  }
}
