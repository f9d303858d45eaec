package ib.driver.soft.fabric;

import ib.core.verbs.IbInvalidException;
import ib.core.verbs.IbNoMemoryException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A switch, and the static assignment of what a subnet manager gives: without one, a port that is
 * cabled gets the lowest free LID from 1 (LMC 0) and keeps it until its adapter is unplugged.
 */
final class Switch {
  private static final int LID_LAST = 0xBFFF;

  private final String name;
  private final ForwardingTable table = new ForwardingTable();
  private final BitSet lids = new BitSet(); // under this
  private final Map<Integer, List<FabricPort>> groups = new TreeMap<>(); // under this
  private int ports; // under the fabric

  Switch(String name) {
    this.name = name;
    lids.set(0); // reserved (IBA 4.1.3)
  }

  String name() {
    return name;
  }

  ForwardingTable table() {
    return table;
  }

  /** {@return ports that belong to it, cabled or not}; for the fabric, under its lock */
  int ports() {
    return ports;
  }

  void ports(int count) {
    ports = count;
  }

  /** Gives a LID. */
  synchronized int assignLid() {
    int lid = lids.nextClearBit(1);
    if (lid > LID_LAST) {
      throw new IbNoMemoryException(name, "all " + LID_LAST + " LIDs are in use", "another switch");
    }
    lids.set(lid);
    return lid;
  }

  /** Forwards to a port, also what is sent to the groups that it has joined. */
  synchronized void plugCable(FabricPort port) {
    table.forward(port.lid(), port);
    publishGroupsOf(port);
  }

  /** Forwards nothing to a port any more; LID and groups stay its own. */
  synchronized void pullCable(FabricPort port) {
    table.forward(port.lid(), null);
    publishGroupsOf(port);
  }

  /** Takes everything back that a port has; its cable is out. */
  synchronized void forget(FabricPort port) {
    groups.values().forEach(members -> members.removeIf(port::equals));
    groups.values().removeIf(List::isEmpty);
    if (port.lid() != 0) {
      lids.clear(port.lid());
    }
  }

  /** A port joins a group, once more for every call. */
  synchronized void join(int mlid, FabricPort port) {
    if (mlid < ForwardingTable.MULTICAST_FIRST || mlid > ForwardingTable.MULTICAST_LAST) {
      throw new IbInvalidException(
          name, String.format("0x%04x is not a multicast LID", mlid), "0xc000 to 0xfffe");
    }
    groups.computeIfAbsent(mlid, k -> new ArrayList<>()).add(port);
    publish(mlid);
  }

  /** Takes one join back. */
  synchronized void leave(int mlid, FabricPort port) {
    List<FabricPort> members = groups.getOrDefault(mlid, List.of());
    if (members.contains(port)) {
      members.remove(port);
      publish(mlid);
      if (members.isEmpty()) {
        groups.remove(mlid);
      }
    }
  }

  private void publishGroupsOf(FabricPort port) {
    groups.forEach(
        (mlid, members) -> {
          if (members.contains(port)) {
            publish(mlid);
          }
        });
  }

  private void publish(int mlid) {
    table.members(
        mlid,
        groups.getOrDefault(mlid, List.of()).stream()
            .filter(FabricPort::cabled)
            .distinct()
            .toArray(FabricPort[]::new));
  }
}
