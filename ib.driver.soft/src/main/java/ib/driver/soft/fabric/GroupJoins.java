package ib.driver.soft.fabric;

import ib.core.verbs.Gid;
import java.util.HashMap;
import java.util.Map;

/** The groups that software has joined at a port, with counts. Guarded by the fabric's monitor. */
final class GroupJoins {
  /** A group and its multicast LID. */
  private record Joined(Gid group, int mlid) {}

  private final FabricPort port;
  private final Map<Joined, Integer> groups = new HashMap<>();

  GroupJoins(FabricPort port) {
    this.port = port;
  }

  void join(Gid group, int mlid) {
    Joined which = new Joined(group, mlid);
    if (!groups.containsKey(which)) {
      port.subnet().join(port.place(), group, mlid, true); // throws when the subnet manager refuses
    }
    groups.merge(which, 1, Integer::sum);
  }

  void leave(Gid group, int mlid) {
    Joined which = new Joined(group, mlid);
    boolean was = groups.containsKey(which);
    if (was && groups.computeIfPresent(which, (g, n) -> n == 1 ? null : n - 1) == null) {
      port.subnet().join(port.place(), group, mlid, false);
    }
  }
}
