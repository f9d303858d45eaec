package ib.driver.soft.fabric;

import ib.core.verbs.PortState;
import ib.driver.soft.topology.Node;
import ib.driver.soft.topology.NodePort;
import ib.driver.soft.topology.PortTally;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Follows the forwarding tables of the switches from where an adapter's cable ends to the port that
 * a packet comes out at, once for all packets until something changes (IBA 18.2.4.3). Under the
 * fabric's lock.
 */
final class Router {
  private static final int HOPS_MOST = 64;
  private static final FabricPort[] NOBODY = {};

  private final Subnet subnet;

  Router(Subnet subnet) {
    this.subnet = subnet;
  }

  /** Writes all tables anew. */
  void rebuild() {
    int lids = 0;
    BitSet groups = new BitSet();
    for (FabricPort port : subnet.ends()) {
      NodePort p = port.place();
      if (p.lid() != 0 && p.state().value() >= PortState.ARMED.value()) {
        lids = Math.max(lids, p.lid() + (1 << p.lmc()));
      }
    }
    for (Node node : subnet.nodes()) {
      node.multicast().keySet().forEach(mlid -> groups.set(mlid - Node.MULTICAST_FIRST));
    }
    for (Node node : subnet.nodes()) {
      if (node.isSwitch()) {
        new Tables(node, lids).write(groups);
      }
    }
    for (FabricPort port : subnet.ends()) {
      NodePort peer = port.place().peer();
      if (peer != null && !peer.node().isSwitch()) {
        port.table().replace(across(port.place(), peer), new FabricPort[0][], new PortTally[0][]);
      }
    }
  }

  /** What is found for packets that come from the adapters of one switch. */
  private final class Tables {
    private final Node from;
    private final @Nullable FabricPort[] unicast;
    private @Nullable PortTally[][] links = new @Nullable PortTally[0][];
    private final List<PortTally> crossed = new ArrayList<>();

    Tables(Node from, int lids) {
      this.from = from;
      this.unicast = new @Nullable FabricPort[lids];
    }

    void write(BitSet groups) {
      for (FabricPort port : subnet.ends()) {
        NodePort p = port.place();
        int base = p.lid();
        if (base != 0 && p.state().value() >= PortState.ARMED.value()) {
          for (int lid = base; lid < base + (1 << p.lmc()); lid++) {
            unicast[lid] = leadsTo(lid, p) ? port : null;
            cross(lid);
          }
        }
      }
      FabricPort[][] members = new FabricPort[groups.length()][];
      Arrays.fill(members, NOBODY);
      for (int i = groups.nextSetBit(0); i >= 0; i = groups.nextSetBit(i + 1)) {
        members[i] = members(Node.MULTICAST_FIRST + i);
        cross(Node.MULTICAST_FIRST + i);
      }
      subnet.table(from).replace(unicast, members, links);
    }

    /** The ways between switches that were found last are those to a LID. */
    private void cross(int lid) {
      if (!crossed.isEmpty()) {
        if (lid >= links.length) {
          links = Arrays.copyOf(links, Math.max(lid + 1, unicast.length));
        }
        links[lid] = crossed.toArray(PortTally[]::new);
      }
    }

    private boolean leadsTo(int lid, NodePort to) {
      crossed.clear();
      Node node = from;
      for (int hop = 0; hop < HOPS_MOST; hop++) {
        NodePort out = node.port(node.linear(lid));
        NodePort in = out == null ? null : across(out);
        if (out == null || in == null) {
          return false;
        }
        if (!in.node().isSwitch()) {
          return in.equals(to);
        }
        crossed.add(out.tally());
        node = in.node();
      }
      return false; // a loop
    }

    /** Where a packet goes; the port that it comes from is left out later. */
    private FabricPort[] members(int mlid) {
      crossed.clear();
      Set<FabricPort> found = new LinkedHashSet<>();
      Set<Node> seen = new HashSet<>();
      record Arrival(Node node, int port) {}
      Deque<Arrival> open = new ArrayDeque<>();
      open.add(new Arrival(from, -1));
      while (!open.isEmpty()) {
        Arrival a = open.remove();
        BitSet ports = a.node.multicast().get(mlid);
        if (ports == null || !seen.add(a.node)) {
          continue;
        }
        for (int n = ports.nextSetBit(1); n >= 0; n = ports.nextSetBit(n + 1)) {
          NodePort out = n == a.port ? null : a.node.port(n);
          NodePort in = out == null ? null : across(out);
          FabricPort end = in == null ? null : subnet.end(in);
          if (out != null && in != null && in.node().isSwitch()) {
            crossed.add(out.tally());
            open.add(new Arrival(in.node(), in.number()));
          } else if (end != null) {
            found.add(end);
          }
        }
      }
      return found.toArray(FabricPort[]::new);
    }
  }

  /** The other end of a link that data passes, or null. */
  private static @Nullable NodePort across(NodePort out) {
    NodePort in = out.peer();
    return out.state() == PortState.ACTIVE
            && in != null
            && in.state().value() >= PortState.ARMED.value()
        ? in
        : null;
  }

  private @Nullable FabricPort[] across(NodePort port, NodePort peer) {
    @Nullable FabricPort[] table = new @Nullable FabricPort[peer.lid() + (1 << peer.lmc())];
    FabricPort end = subnet.end(peer);
    if (across(port) != null && peer.lid() != 0) {
      Arrays.fill(table, peer.lid(), table.length, end);
    }
    return table;
  }
}
