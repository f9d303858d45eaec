package ib.driver.soft.sm;

import ib.driver.soft.fabric.Subnet;
import ib.driver.soft.topology.Node;
import ib.driver.soft.topology.NodePort;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The routes that the built-in subnet manager has written into the switches. A change of the
 * switches, or of the links between them, makes this class find all routes again. A port that comes
 * or goes changes one entry of each switch.
 */
final class Routes {
  private final Subnet subnet;
  private final Tables tables;
  private final LidPool lids;
  private List<Node> switches = List.of();
  private Paths paths = new Paths(List.of());
  private long found = -1; // the count of switch changes at which the routes were found

  Routes(Subnet subnet, Tables tables, LidPool lids) {
    this.subnet = subnet;
    this.tables = tables;
    this.lids = lids;
  }

  /** {@return whether the switches and their links are those for which the routes were found} */
  boolean current() {
    return found == subnet.switchLinks();
  }

  /** Forgets the routes, so that they are found again. */
  void forget() {
    found = -1;
  }

  /** {@return the present switches} */
  List<Node> switches() {
    refresh();
    return switches;
  }

  /** {@return the present routes between the switches} */
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

  /** Writes the routes to all ports, and removes all other routes. */
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

  /** Writes the routes to a port that has come, or removes those to a port that has gone. */
  void write(NodePort port) {
    int lid = lids.given(port);
    for (Node node : lid == 0 ? List.<Node>of() : switches()) {
      int out = port.linked() ? out(node, port, lid) : Node.NO_PORT;
      tables.linear(node, lid, out < 0 ? Node.NO_PORT : out);
    }
  }

  /** Returns the port by which a switch sends to a port; -1 when no switch is there. */
  private int out(Node node, NodePort port, int lid) {
    NodePort leaf = port.number() == 0 ? port : port.peer();
    if (leaf == null || !leaf.node().isSwitch()) {
      return -1;
    }
    return leaf.node().equals(node) ? leaf.number() : paths.port(node, leaf.node(), lid);
  }
}
