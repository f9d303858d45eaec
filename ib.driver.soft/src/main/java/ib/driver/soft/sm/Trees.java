package ib.driver.soft.sm;

import ib.core.verbs.Gid;
import ib.driver.soft.topology.Node;
import ib.driver.soft.topology.NodePort;
import java.util.BitSet;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * The trees of the groups: the ports that receive each group, and the entries of the switches. Only
 * the trees whose members have changed are built again, or all after a change of the routes.
 */
final class Trees {
  /** A group and the multicast LID by which software has attached its port to the group. */
  private record Attachment(Gid group, int mlid) {}

  private final Tables tables;
  private final Routes routes;
  private final Administrator administrator;
  private final Map<Attachment, Set<NodePort>> attached = new LinkedHashMap<>();

  Trees(Tables tables, Routes routes, Administrator administrator) {
    this.tables = tables;
    this.routes = routes;
    this.administrator = administrator;
  }

  // ---- the groups to which software has attached its ports ----

  void attach(NodePort port, Gid group, int mlid, boolean joins) {
    Attachment to = new Attachment(group, mlid);
    if (joins) {
      attached.computeIfAbsent(to, k -> new HashSet<>()).add(port);
    } else {
      Set<NodePort> ports = attached.get(to);
      if (ports != null && ports.remove(port) && ports.isEmpty()) {
        attached.remove(to);
      }
    }
  }

  void forget(NodePort port) {
    attached.values().forEach(ports -> ports.remove(port));
    attached.values().removeIf(Set::isEmpty);
  }

  /** {@return whether software uses a multicast LID that it has not requested} */
  boolean attachedTo(int mlid) {
    return attached.keySet().stream().anyMatch(to -> to.mlid == mlid);
  }

  /**
   * {@return the multicast LID that most ports have for a group, from any manager; 0 when no port
   * receives the group}
   */
  int attachedBy(Gid group) {
    return attached.entrySet().stream()
        .filter(each -> each.getKey().group.equals(group))
        .max(Comparator.comparingInt(each -> each.getValue().size()))
        .map(each -> each.getKey().mlid)
        .orElse(0);
  }

  // ---- trees ----

  /** {@return the multicast LIDs of all groups that a port receives or sends to} */
  Set<Integer> of(NodePort port) {
    Set<Integer> found = new TreeSet<>();
    attached.forEach(
        (to, ports) -> {
          if (ports.contains(port)) {
            found.add(to.mlid);
          }
        });
    found.addAll(administrator.groupsOf(port));
    return found;
  }

  /**
   * Writes all trees, and removes the entries that belong to none.
   *
   * @param strangers the ports that are to reach every group
   */
  void write(Collection<NodePort> strangers) {
    Set<Integer> all = new TreeSet<>();
    attached.keySet().forEach(to -> all.add(to.mlid));
    all.addAll(administrator.mlids());
    Map<Node, Map<Integer, BitSet>> wanted = new HashMap<>();
    all.forEach(mlid -> tree(mlid, strangers, wanted));
    for (Node node : routes.switches()) {
      tables.multicast(node, wanted.getOrDefault(node, Map.of()));
    }
  }

  /**
   * Writes some trees.
   *
   * @param mlids the multicast LIDs whose members have changed
   * @param strangers the ports that are to reach every group
   */
  void write(Set<Integer> mlids, Collection<NodePort> strangers) {
    for (int mlid : mlids) {
      Map<Node, Map<Integer, BitSet>> wanted = new HashMap<>();
      tree(mlid, strangers, wanted);
      for (Node node : routes.switches()) {
        BitSet ports = wanted.getOrDefault(node, Map.of()).getOrDefault(mlid, new BitSet());
        tables.multicast(node, mlid, ports);
      }
    }
  }

  private void tree(
      int mlid, Collection<NodePort> strangers, Map<Node, Map<Integer, BitSet>> wanted) {
    Set<NodePort> receivers = new HashSet<>(administrator.members(mlid, true));
    attached.forEach(
        (to, ports) -> {
          if (to.mlid == mlid) {
            receivers.addAll(ports);
          }
        });
    if (!receivers.isEmpty()) {
      Set<NodePort> senders = new HashSet<>(administrator.members(mlid, false));
      senders.addAll(strangers);
      Tables.tree(receivers, senders, routes.paths(), mlid, wanted);
    }
  }
}
