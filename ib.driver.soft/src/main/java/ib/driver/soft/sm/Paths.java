package ib.driver.soft.sm;

import ib.driver.soft.topology.Node;
import ib.driver.soft.topology.NodePort;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The shortest routes between the switches of a subnet, over links that are up. */
final class Paths {
  private final Map<Node, Map<Node, List<Integer>>> first = new HashMap<>();

  /**
   * Finds the routes.
   *
   * @param switches all switches
   */
  Paths(List<Node> switches) {
    for (Node from : switches) {
      first.put(from, from(from));
    }
  }

  /**
   * Returns the port by which a switch sends to another one. The LID selects among routes of equal
   * length.
   *
   * @param from the switch
   * @param to the other switch
   * @param lid the destination LID
   * @return the port, 0 when both are the same switch, or {@link Node#NO_PORT}
   */
  int port(Node from, Node to, int lid) {
    if (from.equals(to)) {
      return 0;
    }
    List<Integer> ports = first.getOrDefault(from, Map.of()).get(to);
    return ports == null ? Node.NO_PORT : ports.get(lid % ports.size());
  }

  /** Returns the switch at the other end of a link that is up, or null. */
  static @Nullable Node across(NodePort port) {
    NodePort peer = port.linked() ? port.peer() : null;
    return peer != null && peer.node().isSwitch() ? peer.node() : null;
  }

  private static Map<Node, List<Integer>> from(Node root) {
    Map<Node, Integer> distance = new HashMap<>();
    Map<Node, List<Integer>> ports = new HashMap<>();
    Deque<Node> open = new ArrayDeque<>();
    distance.put(root, 0);
    open.add(root);
    while (!open.isEmpty()) {
      Node node = open.remove();
      int next = distance.getOrDefault(node, 0) + 1;
      for (NodePort port : node.ports()) {
        Node other = across(port);
        if (other == null) {
          continue;
        }
        Integer known = distance.putIfAbsent(other, next);
        if (known == null) {
          open.add(other);
        }
        if (known == null || known == next) {
          List<Integer> ways = ports.computeIfAbsent(other, k -> new ArrayList<>());
          for (Integer way :
              node.equals(root) ? List.of(port.number()) : ports.getOrDefault(node, List.of())) {
            if (!ways.contains(way)) {
              ways.add(way);
            }
          }
        }
      }
    }
    return ports;
  }
}
