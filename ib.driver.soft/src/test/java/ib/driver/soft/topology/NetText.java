package ib.driver.soft.topology;

import ib.core.mad.smp.PortInfo;
import ib.core.mad.smp.SwitchInfo;
import ib.core.verbs.NodeType;

/** Writes what {@code ibnetdiscover} would print of a subnet, without the remarks at the top. */
public final class NetText {
  private NetText() {}

  /** Records of the nodes whose links are up, or of all with a cable. */
  public static String write(Iterable<Node> nodes, boolean onlyUp) {
    StringBuilder text = new StringBuilder();
    for (Node node : nodes) {
      if (node.isSwitch()) {
        node(text, node, onlyUp);
      }
    }
    for (Node node : nodes) {
      if (!node.isSwitch()) {
        node(text, node, onlyUp);
      }
    }
    return text.toString();
  }

  /** A two-level fat tree as if it had been found in a machine room. */
  public static String fatTree(int spines, int leaves, int adapters) {
    Node[] switches = new Node[spines + leaves];
    java.util.List<Node> nodes = new java.util.ArrayList<>();
    for (int i = 0; i < switches.length; i++) {
      String name = (i < spines ? "spine" : "leaf") + i + " U1";
      switches[i] = new Node(NodeType.SWITCH, 0x0002_c902_0040_0000L + 8L * i, 36, name);
      switches[i].make(switches[i].guid() + 3, 0x2c9, 0xbd36);
      SwitchInfo.ENHANCED_PORT_0.set(switches[i].switchInfo(), i % 2);
      switches[i].port(0).firstLid(adapters + 1 + i, 0);
      nodes.add(switches[i]);
    }
    for (int leaf = 0; leaf < leaves; leaf++) {
      for (int spine = 0; spine < spines; spine++) {
        NodePort up = switches[spines + leaf].port(36 - spine);
        offer(up, switches[spine].port(leaf + 1), spine % 2 == 0 ? LinkSpeed.EDR : LinkSpeed.FDR);
      }
    }
    for (int i = 0; i < adapters; i++) {
      long guid = 0xe41d_2d03_00a0_0000L + 16L * i;
      Node node = new Node(NodeType.CA, guid, 1 + i % 2, "n" + i + " HCA-1");
      node.make(guid + 3, 0x2c9, 0x1003 + 16 * (i % 3));
      NodePort port = node.port(1);
      port.firstLid(i + 1, 0);
      LinkSpeed speed = LinkSpeed.values()[i % 5];
      offer(port, switches[spines + i % leaves].port(1 + i / leaves), speed);
      nodes.add(node);
    }
    return write(nodes, false);
  }

  private static void offer(NodePort a, NodePort b, LinkSpeed speed) {
    a.cable(b);
    a.offer(3, speed.upTo(), speed.upToExtended());
    b.offer(3, speed.upTo(), speed.upToExtended());
    a.trains(b);
  }

  private static void node(StringBuilder text, Node node, boolean onlyUp) {
    boolean sw = node.isSwitch();
    String guid = Long.toHexString(node.guid());
    text.append(
        String.format(
            "vendid=0x%x%ndevid=0x%x%nsysimgguid=0x%x%n",
            node.vendorId(), node.deviceId(), node.systemImageGuid()));
    if (sw) {
      boolean enhanced = SwitchInfo.ENHANCED_PORT_0.in(node.switchInfo()) == 1;
      NodePort zero = node.port(0);
      text.append("switchguid=0x").append(guid).append('(').append(guid).append(")\n");
      text.append("Switch\t").append(node.portCount()).append(' ').append(id(node));
      text.append("\t\t# \"").append(node.description()).append('"');
      text.append(enhanced ? " enhanced port 0 lid " : " base port 0 lid ");
      text.append(zero == null ? 0 : zero.lid()).append(" lmc 0\n");
    } else {
      text.append("caguid=0x").append(guid).append('\n');
      text.append("Ca\t").append(node.portCount()).append(' ').append(id(node));
      text.append("\t\t# \"").append(node.description()).append("\"\n");
    }
    for (NodePort port : node.ports()) {
      NodePort peer = port.peer();
      if (peer != null && (port.linked() || !onlyUp)) {
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
    int classic = PortInfo.LINK_SPEED_ACTIVE.in(port.info());
    int extended = PortInfo.extendedSpeed(port.info());
    for (LinkSpeed s : LinkSpeed.values()) {
      if (s.extended == extended && s.classic == classic) {
        return width + "x" + s.name();
      }
    }
    return width + "x???";
  }
}
