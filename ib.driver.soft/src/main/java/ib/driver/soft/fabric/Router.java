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
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Follows the forwarding tables of the switches from the end of an adapter's cable to the port that
 * receives a packet (IBA 18.2.4.3), and keeps the results for all packets until a table changes. A
 * change of one LID, of which a subnet manager makes thousands, makes the router follow only the
 * routes to that LID. Guarded by the fabric's monitor.
 */
final class Router {
  private static final int MAX_HOPS = 64;
  private static final FabricPort[] NOBODY = {};

  private final Subnet subnet;
  private final Map<Node, Tables> tables = new HashMap<>();
  private @Nullable FabricPort[] owners = new @Nullable FabricPort[0]; // LID to port

  Router(Subnet subnet) {
    this.subnet = subnet;
  }

  /** Writes all tables again. */
  void rebuild() {
    tables.clear();
    owners = new @Nullable FabricPort[0];
    own();
    BitSet groups = new BitSet();
    for (Node node : subnet.nodes()) {
      node.multicast().keySet().forEach(groups::set);
      if (node.isSwitch()) {
        tables.put(node, new Tables(node));
      }
    }
    BitSet lids = new BitSet();
    lids.set(0, owners.length);
    tables.values().forEach(t -> t.write(lids, groups));
    for (FabricPort port : subnet.ends()) {
      NodePort peer = port.place().peer();
      if (peer != null && !peer.node().isSwitch()) {
        port.table.replace(across(port.place(), peer), new FabricPort[0][], new PortTally[0][]);
      }
    }
  }

  /**
   * Writes the routes to some LIDs again, and to those LIDs that belong to another port than
   * before.
   *
   * @param lids the LIDs and multicast LIDs whose routes have changed
   */
  void update(BitSet lids) {
    @Nullable FabricPort[] before = owners;
    owners = new @Nullable FabricPort[0];
    own();
    BitSet all = (BitSet) lids.clone();
    for (int lid = 0; lid < Math.max(before.length, owners.length); lid++) {
      FabricPort was = lid < before.length ? before[lid] : null;
      FabricPort is = lid < owners.length ? owners[lid] : null;
      all.set(lid, all.get(lid) || was != is);
    }
    tables.values().forEach(t -> t.write(all, all));
  }

  private void own() {
    for (FabricPort port : subnet.ends()) {
      NodePort p = port.place();
      int base = p.lid();
      if (base != 0 && p.state().value() >= PortState.ARMED.value()) {
        int end = base + (1 << p.lmc());
        if (end > owners.length) {
          owners = Arrays.copyOf(owners, Math.max(end, 2 * owners.length));
        }
        Arrays.fill(owners, base, end, port);
      }
    }
  }

  /** The routes of packets that come from the adapters of one switch. */
  private final class Tables {
    private final Node from;
    private @Nullable FabricPort[] unicast = new @Nullable FabricPort[0];
    private FabricPort[][] groups = {};
    private @Nullable PortTally[][] links = new @Nullable PortTally[0][];
    private final List<PortTally> crossed = new ArrayList<>();

    Tables(Node from) {
      this.from = from;
    }

    /** Copies the arrays, which other threads read; then finds routes to some LIDs and groups. */
    void write(BitSet lids, BitSet mlids) {
      unicast = Arrays.copyOf(unicast, owners.length);
      for (int lid = lids.nextSetBit(0); lid >= 0 && lid < owners.length; ) {
        FabricPort port = owners[lid];
        unicast[lid] = port != null && leadsTo(lid, port.place()) ? port : null;
        cross(lid, unicast[lid] != null);
        lid = lids.nextSetBit(lid + 1);
      }
      int first = mlids.nextSetBit(Node.MULTICAST_FIRST);
      int most = Math.max(groups.length, mlids.length() - Node.MULTICAST_FIRST);
      FabricPort[][] members = first < 0 ? groups : Arrays.copyOf(groups, most);
      Arrays.fill(members, Math.min(groups.length, members.length), members.length, NOBODY);
      for (int mlid = first; mlid >= 0; mlid = mlids.nextSetBit(mlid + 1)) {
        members[mlid - Node.MULTICAST_FIRST] = members(mlid);
        cross(mlid, true);
      }
      groups = members;
      subnet.table(from).replace(unicast, members, links);
    }

    /** Keeps the links between switches that were found last as those of a LID. */
    private void cross(int lid, boolean there) {
      boolean some = there && !crossed.isEmpty();
      if (some && lid >= links.length) {
        links = Arrays.copyOf(links, lid + 1);
      }
      if (lid < links.length) {
        links[lid] = some ? crossed.toArray(PortTally[]::new) : null;
      }
    }

    private boolean leadsTo(int lid, NodePort to) {
      crossed.clear();
      Node node = from;
      for (int hop = 0; hop < MAX_HOPS; hop++) {
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

    /** Returns the ports that receive a group; the sender of a packet leaves out its own port. */
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

  /** Returns the other end of a link that carries data, or null. */
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
