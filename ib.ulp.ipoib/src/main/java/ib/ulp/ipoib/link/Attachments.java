package ib.ulp.ipoib.link;

import ib.core.verbs.AhAttr;
import ib.core.verbs.Gid;
import ib.core.verbs.GlobalRoute;
import ib.core.verbs.QueuePair;
import ib.ulp.ipoib.roce.RoceGroups;
import java.util.HashMap;
import java.util.Map;

/**
 * The multicast groups that the queue pair is attached to. On InfiniBand each group has its own
 * multicast GID. On RoCE all groups of a partition share one GID, which stays attached while any of
 * them is in use. Used on the loop's thread only.
 */
final class Attachments {
  private final boolean ethernet;
  private final Map<Gid, Integer> uses = new HashMap<>();

  Attachments(boolean ethernet) {
    this.ethernet = ethernet;
  }

  private Gid wire(Gid group) {
    return ethernet ? RoceGroups.of(group) : group;
  }

  void attach(QueuePair qp, Gid group, int mlid) {
    if (!uses.containsKey(wire(group))) {
      qp.attachMulticast(wire(group), mlid);
    }
    uses.merge(wire(group), 1, Integer::sum);
  }

  void detach(QueuePair qp, Gid group, int mlid) {
    if (uses.computeIfPresent(wire(group), (g, n) -> n == 1 ? null : n - 1) == null) {
      qp.detachMulticast(wire(group), mlid);
    }
  }

  /** {@return the address vector to a group, with the source GID at that index} */
  AhAttr way(AhAttr group, int sgidIndex) {
    GlobalRoute is = group.grh();
    if (is == null) {
      return group;
    }
    GlobalRoute to =
        new GlobalRoute(
            wire(is.dgid()), is.flowLabel(), sgidIndex, is.hopLimit(), is.trafficClass());
    return new AhAttr(
        group.dlid(), group.sl(), group.srcPathBits(), group.staticRate(), group.port(), to);
  }
}
