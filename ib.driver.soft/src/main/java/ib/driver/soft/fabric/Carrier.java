package ib.driver.soft.fabric;

import ib.core.mad.smp.DirectedRoute;
import ib.core.mad.smp.Smp;
import ib.driver.soft.sma.Agents;
import ib.driver.soft.topology.Node;
import ib.driver.soft.topology.NodePort;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Carries management datagrams: by their LIDs through the forwarding tables, or hop by hop on a
 * directed route (IBA 14.2.2). At its destination a datagram goes to the agents of the node, to a
 * {@link MadConsumer}, or to the adapter's software. Nothing waits on virtual lane 15: a datagram
 * without a route is lost. Guarded by the fabric's monitor.
 */
final class Carrier {
  /** The reason for which a datagram is refused whose hops lie outside of the datagram. */
  static final String MISLED = "hops of a directed route outside of its datagram";

  private static final int MAX_HOPS = 64;

  private final Subnet subnet;
  private final Agents agents;
  private final Map<NodePort, List<MadConsumer>> consumers = new HashMap<>();

  Carrier(Subnet subnet, Agents agents) {
    this.subnet = subnet;
    this.agents = agents;
  }

  void add(NodePort port, MadConsumer consumer) {
    consumers.computeIfAbsent(port, k -> new ArrayList<>()).add(consumer);
  }

  void remove(NodePort port, MadConsumer consumer) {
    List<MadConsumer> all = consumers.get(port);
    if (all != null && all.remove(consumer) && all.isEmpty()) {
      consumers.remove(port);
    }
  }

  /** Carries a datagram that leaves a node by a port. */
  void sent(NodePort from, Datagram d) {
    if (misled(from, d)) {
      return;
    }
    if (d.directed() && d.dlid == Smp.PERMISSIVE_LID) {
      directed(from, d);
    } else {
      routed(from, d);
    }
  }

  /** {@return whether a datagram is refused because its route has hops beyond its end (A1)} */
  private boolean misled(NodePort at, Datagram d) {
    boolean misled = d.directed() && !DirectedRoute.valid(d.mad);
    if (misled) {
      subnet.fabric().incidents().refused(MISLED, () -> d + " at " + at);
    }
    return misled;
  }

  private void routed(NodePort from, Datagram d) {
    NodePort at = from;
    NodePort own = from.node().managed(from);
    if (own.has(d.dlid)) {
      deliver(from, d);
      return;
    }
    Node node = from.node();
    for (int hop = 0; hop < MAX_HOPS; hop++) {
      if (node.isSwitch()) {
        NodePort out = node.port(node.linear(d.dlid));
        if (out == null || out.number() == 0) {
          return;
        }
        at = out;
      }
      NodePort in = at.linked() ? at.peer() : null;
      if (in == null) {
        return;
      }
      node = in.node();
      if (node.managed(in).has(d.dlid)) {
        deliver(in, d);
        return;
      }
      if (!node.isSwitch()) {
        return;
      }
    }
  }

  private void directed(NodePort from, Datagram d) {
    MemorySegment mad = d.mad;
    NodePort out = from;
    if (Smp.HOP_COUNT.in(mad) == 0) {
      deliver(from, d);
      return;
    }
    for (int hop = 0; hop < MAX_HOPS && out != null; hop++) {
      NodePort in = out.linked() ? out.peer() : null;
      if (in == null) {
        return;
      }
      if (!in.node().isSwitch()) {
        deliver(in, d);
        return;
      }
      int next = DirectedRoute.forward(mad, in.number());
      if (next == DirectedRoute.ENDS) {
        deliver(in, d);
        return;
      }
      out = physical(in.node(), next);
    }
  }

  /**
   * Carries a datagram on from the port where its route changes between LIDs and hops (IBA
   * 14.2.2.1, C14-6 and C14-12). {@return whether the route changes here}
   */
  private boolean turned(NodePort in, Datagram d) {
    MemorySegment mad = d.mad;
    if (Smp.DR_SLID.in(mad) == Smp.PERMISSIVE_LID || Smp.HOP_COUNT.in(mad) == 0) {
      return false;
    }
    boolean back = Smp.DIRECTION.in(mad) == 1;
    if (!back && d.dlid != Smp.PERMISSIVE_LID && Smp.HOP_POINTER.in(mad) == 0) {
      NodePort out = physical(in.node(), Smp.initialPath(mad, 1));
      Smp.HOP_POINTER.set(mad, 1);
      d.slid = Smp.PERMISSIVE_LID;
      d.dlid = Smp.PERMISSIVE_LID;
      if (out != null) {
        directed(out, d);
      }
      return true;
    }
    if (back && d.dlid == Smp.PERMISSIVE_LID && Smp.HOP_POINTER.in(mad) == 1) {
      Smp.HOP_POINTER.set(mad, 0);
      d.slid = in.node().managed(in).lid();
      d.dlid = Smp.DR_SLID.in(mad);
      routed(in, d);
      return true;
    }
    return false;
  }

  private static @Nullable NodePort physical(Node node, int number) {
    return number == 0 ? null : node.port(number);
  }

  private void deliver(NodePort in, Datagram d) {
    if (d.directed() && turned(in, d)) {
      return;
    }
    FabricPort end = subnet.end(in);
    if ((end == null || !end.receive(d)) && !subnet.arrived(in, d)) {
      // subnet.arrived also hears that a trap of a switch is repressed
      MemorySegment refusal = Agents.refusal(d.mad);
      if (refusal != null) {
        answer(in, d.reply(refusal));
      }
    }
  }

  /**
   * Hands a datagram at its destination to the agents of the node or to a consumer.
   *
   * @return false when the datagram is for software of the adapter
   */
  boolean arrived(NodePort in, Datagram d) {
    MemorySegment mad = d.mad;
    if (misled(in, d)) {
      return true;
    }
    NodePort managed = in.node().managed(in);
    if (Agents.concerns(mad)) {
      MemorySegment asked = d.copy().mad;
      if (d.directed() && Smp.HOP_COUNT.in(mad) > 0) { // IBA 14.2.2.2, the last hop
        int pointer = Math.min(Smp.HOP_POINTER.in(mad), Smp.HOP_COUNT.in(mad));
        Smp.returnPath(asked, pointer, in.number());
        Smp.HOP_POINTER.set(asked, pointer + 1);
      }
      MemorySegment answer = agents.answer(in, asked, d.slid);
      subnet.settle();
      if (answer != null) {
        answer(in, d.reply(answer));
      }
      return true;
    }
    return taken(in, managed, d);
  }

  /** Offers a datagram to the consumers at a port. */
  boolean taken(NodePort in, NodePort managed, Datagram d) {
    for (MadConsumer consumer : List.copyOf(consumers.getOrDefault(managed, List.of()))) {
      if (consumer.take(in, d)) {
        return true;
      }
    }
    return false;
  }

  /** Sends the response of an agent, by hops or by LID. */
  private void answer(NodePort from, Datagram d) {
    if (!d.directed()) {
      if (d.slid == 0 || d.slid == Smp.PERMISSIVE_LID) {
        d.slid = from.node().managed(from).lid();
      }
      launch(from, d);
      return;
    }
    d.slid = Smp.PERMISSIVE_LID;
    d.dlid = Smp.PERMISSIVE_LID;
    int count = Smp.HOP_COUNT.in(d.mad);
    if (count == 0) {
      deliver(from, d);
      return;
    }
    Smp.HOP_POINTER.set(d.mad, count); // the first hop of the way back (IBA 14.2.2.3)
    launch(from, d);
  }

  /** Sends a datagram by the adapter's wire, where captures see it, or else directly. */
  void launch(NodePort from, Datagram d) {
    FabricPort end = subnet.end(from);
    if (end == null || !end.send(d)) {
      sent(from, d);
    }
  }
}
