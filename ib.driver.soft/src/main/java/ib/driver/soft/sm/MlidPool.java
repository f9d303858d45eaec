package ib.driver.soft.sm;

import ib.core.sa.SaStatus;
import ib.core.verbs.Gid;
import ib.driver.soft.topology.Node;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * The multicast LIDs of groups. A group that is created again gets its earlier LID if that LID is
 * still free.
 */
final class MlidPool {
  private static final long SIGNATURE_IPV6 = 0x601bL;
  private static final long SOLICITED_LOW = 0x1_ff00_0000L;

  private final BuiltinSm manager;
  private final Map<Gid, Integer> given = new HashMap<>(); // kept while a group has no members

  MlidPool(BuiltinSm manager) {
    this.manager = manager;
  }

  /**
   * Returns the LID of a new group. If ports use a LID for this group since another subnet manager
   * was the master, this method returns that LID, so that these ports receive from a sender that
   * has joined again. Otherwise it returns the earlier LID of the group if that is still free, or
   * else the lowest free LID. When no LID is free, a solicited-node group of IPv6 shares the LID of
   * another solicited-node group.
   *
   * @param mgid the new group
   * @param groups the LIDs of the existing groups, in the order of their creation
   * @throws Refusal when no LID is free
   */
  int mlid(Gid mgid, Map<Gid, Integer> groups) {
    Set<Integer> used = new HashSet<>(groups.values());
    int most = Math.min(Node.MULTICAST_CAP, manager.groupsMost());
    int theirs = manager.attachedBy(mgid);
    if (theirs != 0 && theirs < Node.MULTICAST_FIRST + most && !used.contains(theirs)) {
      given.put(mgid, theirs);
      return theirs;
    }
    Integer before = given.get(mgid);
    if (before != null && !used.contains(before)) {
      return before;
    }
    Set<Integer> others = new HashSet<>(given.values());
    for (int pass = 0; pass < 2; pass++) {
      for (int i = 0; i < most; i++) {
        int mlid = Node.MULTICAST_FIRST + i;
        boolean free = !used.contains(mlid) && !manager.attachedTo(mlid);
        if (free && (pass == 1 || !others.contains(mlid))) {
          given.put(mgid, mlid);
          return mlid;
        }
      }
      given.keySet().retainAll(groups.keySet());
    }
    for (Map.Entry<Gid, Integer> e : groups.entrySet()) {
      boolean alike = solicited(mgid) && solicited(e.getKey());
      if (alike && e.getKey().high() == mgid.high()) { // same scope and partition
        return e.getValue();
      }
    }
    throw new Refusal(SaStatus.NO_RESOURCES);
  }

  /** Returns whether a group is of ff02::1:ffxx:xxxx (RFC 4391 section 4, RFC 4291 2.7.1). */
  private static boolean solicited(Gid mgid) {
    return (mgid.high() >>> 32 & 0xffff) == SIGNATURE_IPV6
        && (mgid.low() & ~0xff_ffffL) == SOLICITED_LOW;
  }
}
