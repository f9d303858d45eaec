package ib.driver.soft.topology;

import ib.core.verbs.NodeType;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Assigns the GUIDs of a topology file. A node for which the file gives no GUID gets the GUID that
 * follows those of the previous node of its type, as in {@code ibsim}: a switch takes one GUID, an
 * adapter takes one more than it has ports. No two nodes, and no two ports with a cable, have the
 * same GUID.
 */
final class NodeGuids {
  private static final long FIRST_CA = 0x100000;
  private static final long FIRST_SWITCH = 0x200000;
  private static final long FIRST_ROUTER = 0x300000;

  private record Owner(Node node, int line) {}

  private final Map<NodeType, Long> base = new EnumMap<>(NodeType.class);
  private final Map<NodeType, Long> next = new EnumMap<>(NodeType.class);
  private final Set<NodeType> explicit = EnumSet.noneOf(NodeType.class);
  private final Map<Long, Owner> nodes = new HashMap<>();
  private final Map<Long, NodePort> ports = new HashMap<>();

  NodeGuids() {
    base.putAll(
        Map.of(
            NodeType.CA, FIRST_CA, NodeType.SWITCH, FIRST_SWITCH, NodeType.ROUTER, FIRST_ROUTER));
    next.putAll(base);
  }

  /** Sets the GUID of the next node of a type, or its distance from the GUID set last. */
  void begin(NodeType type, boolean above, long guid) {
    if (!above) {
      base.put(type, guid);
    }
    next.put(type, above ? base.getOrDefault(type, 0L) + guid : guid);
    explicit.add(type);
  }

  /** {@return whether the file has set the GUID of the next node of a type} */
  boolean isSet(NodeType type) {
    return explicit.contains(type);
  }

  /** {@return the GUID of the next node of a type} */
  long next(NodeType type, int count) {
    long guid = next.getOrDefault(type, 0L);
    next.put(type, guid + (type == NodeType.SWITCH ? 1 : count + 1));
    explicit.remove(type);
    return guid;
  }

  /** {@return what is wrong with the GUID of a node, or null} */
  @Nullable String take(Node node, int line) {
    Owner before = nodes.putIfAbsent(node.guid(), new Owner(node, line));
    if (node.guid() == 0) {
      return "has the GUID 0";
    }
    return before == null
        ? null
        : String.format("has the GUID %016x of the node in line %d", node.guid(), before.line);
  }

  /** {@return what is wrong with the GUID of a port with a cable, or null} */
  @Nullable String take(NodePort port, int line) {
    if (port.node().isSwitch()) {
      return null; // all ports of a switch have the GUID of the node
    }
    NodePort same = ports.putIfAbsent(port.guid(), port);
    Owner owner = nodes.get(port.guid());
    if (same != null && same != port) {
      return String.format("gives %s the port GUID %016x of %s", port, port.guid(), same);
    }
    return owner == null || owner.node.equals(port.node())
        ? null
        : String.format(
            "gives %s the GUID %016x of the node in line %d", port, port.guid(), owner.line);
  }
}
