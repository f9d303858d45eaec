package ib.tools.fabric;

import ib.core.mad.smp.MadField;
import ib.core.mad.smp.NodeInfo;
import ib.core.mad.smp.PortInfo;
import ib.core.mad.smp.SmInfo;
import ib.core.mad.smp.SmpAttribute;
import ib.core.mad.smp.SwitchInfo;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The fabric that the originals were recorded on: two switches of eight ports, joined twice, and
 * four adapters; the attributes are those that the recorded output shows. Asked from Hca2.
 */
final class GoldenNet implements SmpQuery {
  private static final int DATA = 64;
  private static final int CAP_MASK = 0x50c048;
  private final List<Node> nodes = new ArrayList<>();
  private final Node own;
  final List<String> told = new ArrayList<>();

  /** Directed routes without an answer, those through an adapter among them (IBA 14.2.2). */
  final List<String> unanswered = new ArrayList<>();

  int questions;

  GoldenNet() {
    Node s1 = node("Switch1", 0x200000, 8, 2, 255, 1, 0, 3, 3, 2, 5);
    Node s2 = node("Switch2", 0x200001, 8, 3, 255, 3, 3, 0, 1, 5, 2);
    Node h1 = node("Hca1", 0x100000, 2, 1);
    own = node("Hca2", 0x100003, 2, 4);
    Node h3 = node("Hca3", 0x100006, 2, 5);
    Node h4 = node("Hca4", 0x100009, 2, 6);
    link(s1, 1, h1, 1);
    link(s1, 2, h3, 1);
    link(s1, 3, s2, 3);
    link(s1, 5, s2, 5);
    link(s2, 1, own, 1);
    link(s2, 2, h4, 1);
  }

  private record Far(Node node, int port) {}

  private record Node(
      String name, long guid, int ports, int lid, int[] lft, Map<Integer, Far> links) {
    boolean isSwitch() {
      return lft.length > 0;
    }
  }

  private Node node(String name, long guid, int ports, int lid, int... lft) {
    Node n = new Node(name, guid, ports, lid, lft, new HashMap<>());
    nodes.add(n);
    return n;
  }

  private static void link(Node a, int port, Node b, int other) {
    a.links.put(port, new Far(b, other));
    b.links.put(other, new Far(a, port));
  }

  @Override
  public int lid() {
    return own.lid;
  }

  @Override
  public int smLid() {
    return 1;
  }

  @Override
  public void close() {}

  @Override
  public MemorySegment get(Route to, SmpAttribute attribute, int modifier)
      throws NoAnswerException {
    questions++;
    return switch (to) {
      case Route.Lid l -> {
        Node n =
            nodes.stream()
                .filter(x -> x.lid == l.lid())
                .findAny()
                .orElseThrow(() -> new NoAnswerException("dport (Lid " + l.lid() + "): timeout"));
        yield answer(n, n.isSwitch() ? 0 : 1, attribute, modifier);
      }
      case Route.Directed d -> {
        Far at = new Far(own, 1);
        for (int hop : d.hops()) {
          boolean passes = at.node.lid == own.lid || at.node.isSwitch();
          at = passes ? at.node.links.get(hop) : null;
          if (at == null) {
            unanswered.add(d.text());
            throw new NoAnswerException("dport (" + d.text() + "): timeout");
          }
        }
        yield answer(at.node, at.port, attribute, modifier);
      }
    };
  }

  @Override
  public MemorySegment set(Route to, SmpAttribute attribute, int modifier, MemorySegment data)
      throws NoAnswerException {
    told.add(attribute + " " + modifier + " by state " + SmInfo.STATE.in(data));
    return get(to, attribute, 0);
  }

  private static MemorySegment answer(Node n, int arrival, SmpAttribute attribute, int modifier)
      throws NoAnswerException {
    MemorySegment out = MemorySegment.ofArray(new byte[DATA]);
    switch (attribute) {
      case NODE_DESCRIPTION -> {
        byte[] name = n.name.getBytes(StandardCharsets.UTF_8);
        MemorySegment.copy(MemorySegment.ofArray(name), 0, out, 0, name.length);
      }
      case NODE_INFO -> nodeInfo(out, n, arrival);
      case SWITCH_INFO -> {
        if (!n.isSwitch()) {
          throw new NoAnswerException("status 0xc");
        }
        switchInfo(out, n);
      }
      case PORT_INFO -> {
        int own = n.isSwitch() ? 0 : arrival;
        portInfo(out, n, modifier == 0 ? own : modifier);
      }
      case PKEY_TABLE -> MadField.write(out, 0, 16, modifier == 0 ? 0xffff : 0);
      case GUID_INFO ->
          MadField.write(out, 0, 64, modifier != 0 ? 0 : n.guid + (n.isSwitch() ? 0 : 1));
      case SL_TO_VL_MAPPING -> {
        for (int sl = 0; sl < 16; sl++) {
          MadField.write(out, sl * 4, 4, sl == 15 ? 7 : sl);
        }
      }
      case LINEAR_FORWARDING -> {
        for (int i = 0; i < DATA; i++) {
          MadField.write(out, i * 8, 8, i < n.lft.length ? n.lft[i] : 255);
        }
      }
      case MULTICAST_FORWARDING -> {} // no groups
      case VL_ARBITRATION -> {
        for (int i = 0; i < 8; i++) {
          MadField.write(out, i * 16, 8, i);
          boolean weighs = modifier >> 16 == 1 == i > 0;
          MadField.write(out, i * 16 + 8, 8, weighs ? 4 : 0);
        }
      }
      case MLNX_EXT_PORT_INFO -> {} // the simulator knows it, and all is 0
      case SM_INFO -> {
        SmInfo.GUID.set(out, 0x100001);
        SmInfo.ACT_COUNT.set(out, 116);
        SmInfo.STATE.set(out, 3);
      }
      default -> throw new NoAnswerException("status 0xc");
    }
    return out;
  }

  private static void nodeInfo(MemorySegment out, Node n, int arrival) {
    NodeInfo.BASE_VERSION.set(out, 1);
    NodeInfo.CLASS_VERSION.set(out, 1);
    NodeInfo.NODE_TYPE.set(out, n.isSwitch() ? 2 : 1);
    NodeInfo.NUM_PORTS.set(out, n.ports);
    NodeInfo.SYSTEM_IMAGE_GUID.set(out, n.guid);
    NodeInfo.NODE_GUID.set(out, n.guid);
    NodeInfo.PORT_GUID.set(out, n.guid + (n.isSwitch() ? 0 : arrival));
    NodeInfo.PARTITION_CAP.set(out, n.isSwitch() ? 8 : 64);
    NodeInfo.REVISION.set(out, 0xa1);
    NodeInfo.LOCAL_PORT_NUM.set(out, arrival);
  }

  private static void switchInfo(MemorySegment out, Node n) {
    SwitchInfo.LINEAR_FDB_CAP.set(out, 30720);
    SwitchInfo.MULTICAST_FDB_CAP.set(out, 1024);
    SwitchInfo.LINEAR_FDB_TOP.set(out, n.lft.length - 1);
    SwitchInfo.LIFE_TIME_VALUE.set(out, 18);
    SwitchInfo.PARTITION_ENFORCEMENT_CAP.set(out, 64);
    SwitchInfo.FILTER_RAW_INBOUND_CAP.set(out, 1);
    SwitchInfo.FILTER_RAW_OUTBOUND_CAP.set(out, 1);
  }

  private static void portInfo(MemorySegment out, Node n, int port) {
    boolean up = n.links.containsKey(port);
    boolean external = n.isSwitch() && port != 0;
    if (!external) {
      PortInfo.GID_PREFIX.set(out, 0xfe80000000000000L);
      PortInfo.LID.set(out, n.lid);
      PortInfo.SM_LID.set(out, 1);
      PortInfo.CAPABILITY_MASK.set(out, n.name.equals("Hca1") ? CAP_MASK | 2 : CAP_MASK);
      PortInfo.M_KEY_LEASE_PERIOD.set(out, 4089);
      PortInfo.LOCAL_PORT_NUM.set(out, port);
      PortInfo.GUID_CAP.set(out, 32);
      PortInfo.SUBNET_TIMEOUT.set(out, 31);
      PortInfo.CAPABILITY_MASK_2.set(out, 0x30);
    }
    PortInfo.LINK_WIDTH_ENABLED.set(out, 2);
    PortInfo.LINK_WIDTH_SUPPORTED.set(out, 31);
    PortInfo.LINK_WIDTH_ACTIVE.set(out, 2);
    PortInfo.LINK_SPEED_SUPPORTED.set(out, 7);
    PortInfo.LINK_SPEED_ACTIVE.set(out, 1);
    PortInfo.LINK_SPEED_ENABLED.set(out, 1);
    PortInfo.PORT_STATE.set(out, up || port == 0 ? 4 : 1);
    PortInfo.PORT_PHYS_STATE.set(out, up || port == 0 ? 5 : 2);
    PortInfo.LINK_DOWN_DEFAULT_STATE.set(out, 2);
    PortInfo.NEIGHBOR_MTU.set(out, 4);
    PortInfo.MTU_CAP.set(out, 4);
    PortInfo.VL_CAP.set(out, 4);
    PortInfo.OPERATIONAL_VLS.set(out, 4);
    PortInfo.VL_ARB_HIGH_CAP.set(out, 8);
    PortInfo.VL_ARB_LOW_CAP.set(out, 8);
    PortInfo.VL_STALL_COUNT.set(out, 7);
    PortInfo.HOQ_LIFE.set(out, external && up ? 18 : 0);
    PortInfo.LOCAL_PHY_ERRORS.set(out, external && !up ? 4 : 0);
  }
}
