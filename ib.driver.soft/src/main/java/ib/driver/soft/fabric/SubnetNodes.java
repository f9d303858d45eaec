package ib.driver.soft.fabric;

import ib.driver.soft.topology.Node;
import ib.driver.soft.topology.NodePort;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The nodes of a subnet, and the adapters at their ports. Guarded by the fabric's monitor. */
final class SubnetNodes {
  private static final Pattern GUID = Pattern.compile("(?:[HSR]-)?([0-9a-f]{16})");

  private final List<Node> nodes = new ArrayList<>();
  private final Set<Node> kept = new HashSet<>();
  private final Map<Node, ForwardingTable> tables = new HashMap<>();
  private final Map<NodePort, FabricPort> ends = new LinkedHashMap<>();

  SubnetNodes() {}

  /** {@return all nodes in the order of their arrival} */
  List<Node> all() {
    return Collections.unmodifiableList(nodes);
  }

  /** {@return the ports that have an adapter} */
  Collection<FabricPort> ends() {
    return ends.values();
  }

  /** {@return the adapter's side of a port, or null without an adapter} */
  @Nullable FabricPort end(NodePort port) {
    return ends.get(port);
  }

  /** {@return the destinations of packets that arrive at a switch} */
  ForwardingTable table(Node node) {
    return tables.computeIfAbsent(node, k -> new ForwardingTable());
  }

  void add(Node node) {
    nodes.add(node);
  }

  /** Keeps a node of a topology also while no adapter is at its ports. */
  void keep(Node node) {
    kept.add(node);
  }

  void add(FabricPort end) {
    ends.put(end.place(), end);
  }

  /** Removes an adapter, and its node and cable too, unless a topology describes them. */
  void remove(FabricPort end) {
    NodePort place = end.place();
    ends.remove(place, end);
    place.adapter(null);
    if (kept.contains(place.node())) {
      place.reset();
    } else {
      if (place.node().ports().stream().noneMatch(ends::containsKey)) {
        nodes.remove(place.node());
      }
      place.cable(null);
    }
  }

  /** Returns the node of a description or GUID, or null; see {@link Subnet#node}. */
  @Nullable Node node(String text) {
    Matcher hex = GUID.matcher(text);
    long guid = hex.matches() ? Long.parseUnsignedLong(hex.group(1), 16) : 0;
    for (Node n : nodes) {
      if (n.description().equals(text) || guid != 0 && n.guid() == guid) {
        return n;
      }
    }
    return null;
  }
}
