package ib.driver.soft.sm;

import ib.core.mad.smp.MadField;
import ib.core.mad.smp.SmpAttribute;
import ib.core.mad.smp.SwitchInfo;
import ib.driver.soft.fabric.Subnet;
import ib.driver.soft.topology.Node;
import ib.driver.soft.topology.NodePort;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Writes the blocks of the forwarding tables of switches that differ from the wanted ones. */
final class Tables {
  private static final int LIDS = 64; // in a linear block
  private static final int GROUPS = 32; // in a multicast block
  private static final int POSITIONS = 16;

  private final Subnet subnet;

  Tables(Subnet subnet) {
    this.subnet = subnet;
  }

  /** Writes the ports by which a switch sends to each LID. */
  void linear(Node node, Map<Integer, Integer> ports) {
    NodePort zero = node.port(0);
    int top = 0;
    byte[] wanted = new byte[Node.LINEAR_CAP];
    java.util.Arrays.fill(wanted, (byte) Node.NO_PORT);
    for (Map.Entry<Integer, Integer> e : ports.entrySet()) {
      wanted[e.getKey()] = e.getValue().byteValue();
      top = Math.max(top, e.getKey());
    }
    for (int from = 0; zero != null && from < wanted.length; from += LIDS) {
      boolean differs = false;
      for (int i = from; i < from + LIDS && !differs; i++) {
        differs = node.linear(i) != (wanted[i] & 0xff);
      }
      if (differs) {
        MemorySegment data = MemorySegment.ofArray(new byte[LIDS]);
        MemorySegment.copy(wanted, from, data, ValueLayout.JAVA_BYTE, 0, LIDS);
        subnet.set(zero, SmpAttribute.LINEAR_FORWARDING, from / LIDS, data);
      }
    }
    if (zero != null && SwitchInfo.LINEAR_FDB_TOP.in(node.switchInfo()) != top) {
      top(node, zero, top);
    }
  }

  /** Writes the port by which a switch sends to one LID. */
  void linear(Node node, int lid, int port) {
    NodePort zero = node.port(0);
    if (zero == null || node.linear(lid) == port) {
      return;
    }
    int from = lid - lid % LIDS;
    MemorySegment data = MemorySegment.ofArray(new byte[LIDS]);
    for (int i = 0; i < LIDS; i++) {
      int out = from + i == lid ? port : node.linear(from + i);
      data.set(ValueLayout.JAVA_BYTE, i, (byte) out);
    }
    subnet.set(zero, SmpAttribute.LINEAR_FORWARDING, from / LIDS, data);
    if (port != Node.NO_PORT && SwitchInfo.LINEAR_FDB_TOP.in(node.switchInfo()) < lid) {
      top(node, zero, lid);
    }
  }

  private void top(Node node, NodePort zero, int lid) {
    MemorySegment info = MemorySegment.ofArray(new byte[64]).copyFrom(node.switchInfo());
    SwitchInfo.LINEAR_FDB_TOP.set(info, lid);
    subnet.set(zero, SmpAttribute.SWITCH_INFO, 0, info);
  }

  /** Writes the ports by which a switch sends to one group. */
  void multicast(Node node, int mlid, BitSet wanted) {
    BitSet now = node.multicast().get(mlid);
    if (now == null ? wanted.isEmpty() : now.equals(wanted)) {
      return;
    }
    Map<Integer, BitSet> all = new HashMap<>(node.multicast());
    all.put(mlid, wanted);
    block(node, (mlid - Node.MULTICAST_FIRST) / GROUPS, all);
  }

  /** Writes the ports by which a switch sends to each group. */
  void multicast(Node node, Map<Integer, BitSet> wanted) {
    Set<Integer> blocks = new java.util.TreeSet<>();
    for (Map<Integer, BitSet> groups : java.util.List.of(wanted, Map.copyOf(node.multicast()))) {
      groups.forEach(
          (mlid, ports) -> {
            if (!ports.equals(wanted.get(mlid)) || !ports.equals(node.multicast().get(mlid))) {
              blocks.add((mlid - Node.MULTICAST_FIRST) / GROUPS);
            }
          });
    }
    blocks.forEach(block -> block(node, block, wanted));
  }

  private void block(Node node, int block, Map<Integer, BitSet> wanted) {
    NodePort zero = node.port(0);
    int positions = (node.portCount() + POSITIONS) / POSITIONS;
    for (int position = 0; zero != null && position < positions; position++) {
      MemorySegment data = MemorySegment.ofArray(new byte[64]);
      for (int i = 0; i < GROUPS; i++) {
        BitSet ports = wanted.get(Node.MULTICAST_FIRST + block * GROUPS + i);
        for (int b = 0; ports != null && b < POSITIONS; b++) {
          MadField.write(data, i * 16 + 15 - b, 1, ports.get(position * POSITIONS + b) ? 1 : 0);
        }
      }
      subnet.set(zero, SmpAttribute.MULTICAST_FORWARDING, position << 28 | block, data);
    }
  }

  /**
   * Makes the tree of a group along the shortest routes from one root.
   *
   * @param receivers the ports that receive
   * @param senders the ports that only send
   * @param paths the routes
   * @param mlid the multicast LID, which selects the root
   * @param into the table of each switch, to which this method adds ports
   */
  static void tree(
      Set<NodePort> receivers,
      Set<NodePort> senders,
      Paths paths,
      int mlid,
      Map<Node, Map<Integer, BitSet>> into) {
    Node root = null;
    for (Set<NodePort> ports : java.util.List.of(receivers, senders)) {
      for (NodePort member : ports) {
        NodePort peer = member.linked() ? member.peer() : null;
        Node leaf = member.number() == 0 ? member.node() : peer == null ? null : peer.node();
        if (leaf == null || !leaf.isSwitch()) {
          continue;
        }
        root = root == null ? leaf : root;
        if (receivers.contains(member) && member.number() != 0) {
          mark(into, peer, mlid);
        }
        climb(leaf, root, paths, mlid, into);
      }
    }
  }

  private static void climb(
      Node leaf, Node root, Paths paths, int mlid, Map<Node, Map<Integer, BitSet>> into) {
    Node at = leaf;
    for (int hop = 0; hop < 64 && !at.equals(root); hop++) {
      NodePort up = at.port(paths.port(at, root, 0));
      Node next = up == null ? null : Paths.across(up);
      if (up == null || next == null) {
        return;
      }
      mark(into, up, mlid);
      mark(into, up.peer(), mlid);
      at = next;
    }
  }

  private static void mark(
      Map<Node, Map<Integer, BitSet>> into, @Nullable NodePort port, int mlid) {
    if (port != null) {
      into.computeIfAbsent(port.node(), k -> new HashMap<>())
          .computeIfAbsent(mlid, k -> new BitSet())
          .set(port.number());
    }
  }
}
