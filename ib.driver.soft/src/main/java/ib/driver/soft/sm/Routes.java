package ib.driver.soft.sm;

import ib.driver.soft.fabric.Subnet;
import ib.driver.soft.topology.Node;
import ib.driver.soft.topology.NodePort;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The ways that the built-in subnet manager has given to the switches. Found anew when switches or
 * links between them have come or gone; a port that comes or goes costs one entry of each switch.
 * Under the fabric's lock.
 */
final class Routes {
  private final Subnet subnet;
  private final Tables tables;
  private final LidPool lids;
  private List<Node> switches = List.of();
  private Paths paths = new Paths(List.of());
  private long found = -1; // at which state of the switches

  Routes(Subnet subnet, Tables tables, LidPool lids) {
    this.subnet = subnet;
    this.tables = tables;
    this.lids = lids;
  }

  /** {@return whether the switches and their links are those that the ways were found for} */
  boolean current() {
    return found == subnet.switchLinks();
  }

  /** Nothing of what was found is believed any more. */
  void forget() {
    found = -1;
  }

  /** {@return the switches, as they are now} */
  List<Node> switches() {
    refresh();
    return switches;
  }

  /** {@return the ways between them, as they are now} */
  Paths paths() {
    refresh();
    return paths;
  }

  private void refresh() {
    if (!current()) {
      switches = subnet.nodes().stream().filter(Node::isSwitch).toList();
      paths = new Paths(switches);
      found = subnet.switchLinks();
    }
  }

  /** Writes the ways to all ports, and to nothing else. */
  void write(List<NodePort> endpoints) {
    for (Node node : switches()) {
      Map<Integer, Integer> ports = new HashMap<>();
      for (NodePort port : endpoints) {
        int lid = lids.lid(port);
        int out = out(node, port, lid);
        if (out >= 0) {
          ports.put(lid, out);
        }
      }
      tables.linear(node, ports);
    }
  }

  /** Writes the ways to a port that has come, or takes them away. */
  void write(NodePort port) {
    int lid = lids.given(port);
    for (Node node : lid == 0 ? List.<Node>of() : switches()) {
      int out = port.linked() ? out(node, port, lid) : Node.NO_PORT;
      tables.linear(node, lid, out < 0 ? Node.NO_PORT : out);
    }
  }

  /** Where a switch sends what is for a port; -1 when no switch is there. */
  private int out(Node node, NodePort port, int lid) {
    NodePort leaf = port.number() == 0 ? port : port.peer();
    if (leaf == null || !leaf.node().isSwitch()) {
      return -1;
    }
    return leaf.node().equals(node) ? leaf.number() : paths.port(node, leaf.node(), lid);
  }
}
