package ib.driver.soft.topology;

import ib.core.verbs.NodeType;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The GUIDs of a topology file. A node that has none of its own gets the one after those of the
 * node of its type before it, as {@code ibsim} does it: a switch takes one GUID, an adapter one
 * more than it has ports. No two nodes, and no two ports with a cable, have the same.
 */
final class NodeGuids {
  private static final long FIRST_CA = 0x100000;
  private static final long FIRST_SWITCH = 0x200000;
  private static final long FIRST_ROUTER = 0x300000;

  private record Owner(Node node, int line) {}

  private final Map<NodeType, Long> base = new EnumMap<>(NodeType.class);
  private final Map<NodeType, Long> next = new EnumMap<>(NodeType.class);
  private final Set<NodeType> told = EnumSet.noneOf(NodeType.class);
  private final Map<Long, Owner> nodes = new HashMap<>();
  private final Map<Long, NodePort> ports = new HashMap<>();

  NodeGuids() {
    base.putAll(
        Map.of(
            NodeType.CA, FIRST_CA, NodeType.SWITCH, FIRST_SWITCH, NodeType.ROUTER, FIRST_ROUTER));
    next.putAll(base);
  }

  /** A line says where the next nodes of a type begin, or how far above where it said so last. */
  void begin(NodeType type, boolean above, long guid) {
    if (!above) {
      base.put(type, guid);
    }
    next.put(type, above ? base.getOrDefault(type, 0L) + guid : guid);
    told.add(type);
  }

  /** {@return whether the file has said where the next node of a type begins} */
  boolean told(NodeType type) {
    return told.contains(type);
  }

  /** {@return the GUID of the next node of a type} */
  long next(NodeType type, int count) {
    long guid = next.getOrDefault(type, 0L);
    next.put(type, guid + (type == NodeType.SWITCH ? 1 : count + 1));
    told.remove(type);
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
      return null; // all its ports have the node's
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
