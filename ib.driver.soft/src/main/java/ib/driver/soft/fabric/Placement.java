package ib.driver.soft.fabric;

import ib.core.verbs.IbNoMemoryException;
import ib.core.verbs.NodeType;
import ib.driver.base.Guids;
import ib.driver.soft.topology.Node;
import ib.driver.soft.topology.NodePort;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The subnets of a fabric, and where in them an adapter finds its place: in a described subnet, or
 * else at a switch that is made for it. Guarded by the fabric's monitor.
 */
final class Placement {
  private static final int SWITCH_PORTS = 36;
  private static final int TO_NEXT = 36;
  private static final int TO_PREVIOUS = 35;

  private final Function<String, Subnet> makes;
  private final Map<String, Subnet> subnets = new LinkedHashMap<>(); // by switch
  private final Set<Subnet> described = new LinkedHashSet<>();

  /**
   * Knows no subnet yet.
   *
   * @param makes makes an empty subnet of a name
   */
  Placement(Function<String, Subnet> makes) {
    this.makes = makes;
  }

  /** {@return the subnets, each once} */
  Set<Subnet> subnets() {
    Set<Subnet> all = new LinkedHashSet<>(subnets.values());
    all.addAll(described);
    return all;
  }

  /** {@return how many switches there are by name} */
  int size() {
    return subnets.size();
  }

  /** Adds a described subnet; its switches are found by their descriptions. */
  void describe(Subnet subnet, List<Node> nodes) {
    for (Node node : nodes) {
      if (node.isSwitch()) {
        subnets.put(node.description(), subnet);
      }
    }
    described.add(subnet);
  }

  boolean isDescribed(Subnet subnet) {
    return described.contains(subnet);
  }

  /** Gives out no place of a described subnet any more; its switches are still found. */
  void forgetDescription(Subnet subnet) {
    described.remove(subnet);
  }

  /** Removes the switches of a subnet. */
  void forget(Subnet subnet) {
    subnets.values().removeIf(subnet::equals);
  }

  /** Returns the place of a new adapter; see {@link Fabric#plug}. */
  Place place(String description, long guid, int ports, String switchName) {
    Place place = described(description, guid, ports, List.of());
    if (place != null) {
      return place;
    }
    Subnet home = subnets.computeIfAbsent(switchName, this::begin);
    Node node = new Node(NodeType.CA, guid, ports, description);
    for (NodePort port : node.ports()) {
      port.cable(free(home, switchName));
    }
    home.add(node);
    return new Place(home, node);
  }

  /** Returns whether an adapter would get another place now; see {@link Fabric#misplaced}. */
  boolean misplaced(String description, long guid, String switchName, List<FabricPort> ends) {
    Place place = described(description, guid, ends.size(), ends);
    FabricPort one = ends.getFirst();
    return place != null
        ? !place.node.equals(one.place().node())
        : !one.subnet().equals(subnets.get(switchName));
  }

  /** A place for an adapter: a node, whose cables lead into a subnet. */
  record Place(Subnet subnet, Node node) {}

  /**
   * {@return the described adapter of a GUID, or else of a description, whose ports are free or
   * among the given ones; null when there is none}
   */
  private @Nullable Place described(
      String description, long guid, int ports, List<FabricPort> own) {
    Place named = null;
    for (Subnet s : described) {
      for (Node n : s.nodes()) {
        boolean same = n.guid() == guid;
        boolean alike = same || named == null && n.description().equals(description);
        if (alike && !n.isSwitch() && n.portCount() >= ports && free(s, n, own)) {
          if (same) {
            return new Place(s, n);
          }
          named = new Place(s, n);
        }
      }
    }
    return named;
  }

  private static boolean free(Subnet subnet, Node node, List<FabricPort> own) {
    return node.ports().stream()
        .map(subnet::end)
        .noneMatch(end -> end != null && !own.contains(end));
  }

  private Subnet begin(String switchName) {
    Subnet subnet = makes.apply(switchName);
    subnet.add(newSwitch(switchName));
    return subnet;
  }

  private static Node newSwitch(String name) {
    return new Node(NodeType.SWITCH, Guids.ofName("switch " + name), SWITCH_PORTS, name);
  }

  private static NodePort free(Subnet subnet, String name) {
    Node home = subnet.node(name);
    for (int n = 2; home != null; n++) {
      for (NodePort port : home.ports()) {
        if (port.peer() == null && port.number() < TO_PREVIOUS) {
          return port;
        }
      }
      NodePort next = home.port(TO_NEXT);
      if (next == null) {
        break;
      }
      if (next.peer() == null) {
        Node more = newSwitch(name + "-" + n);
        subnet.add(more);
        next.cable(more.port(TO_PREVIOUS));
        subnet.links().up(next);
      }
      home = next.peer() == null ? null : next.peer().node();
    }
    throw new IbNoMemoryException(
        name, "no port of the switch is free", "another switch, or a larger one");
  }
}
