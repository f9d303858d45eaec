package ib.ulp.ipoib.net;

import ib.core.verbs.Gid;
import ib.ulp.ipoib.link.Link;
import ib.ulp.ipoib.wire.Groups;
import ib.ulp.ipoib.wire.Ip;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The IP groups that a stack has joined; they move with it to another link. Used on the loop's
 * thread only.
 */
final class Memberships {
  private final Link link;
  private final Map<Ip, Integer> joined = new LinkedHashMap<>(); // groups with the number of joins
  private @Nullable Gid linked; // the broadcast group whose link the groups were joined on

  Memberships(Link link) {
    this.link = link;
  }

  boolean contains(Ip group) {
    return joined.containsKey(group);
  }

  void join(Ip group) {
    if (joined.merge(group, 1, Integer::sum) == 1 && linked != null) {
      link.join(Groups.of(group, linked));
    }
  }

  void leave(Ip group) {
    boolean last = joined.computeIfPresent(group, (g, n) -> n == 1 ? null : n - 1) == null;
    if (last && linked != null) {
      link.leave(Groups.of(group, linked));
    }
  }

  /**
   * Moves the memberships to the link of a broadcast group, on which groups have other GIDs (W10).
   *
   * @return whether there was a link before
   */
  boolean relink(Gid broadcast) {
    Gid old = linked;
    if (broadcast.equals(old)) {
      return true;
    }
    linked = broadcast;
    if (old == null) {
      joined.putIfAbsent(Ip.ALL_SYSTEMS, 1);
      joined.putIfAbsent(Ip.ALL_NODES, 1);
    } else {
      joined.keySet().forEach(group -> link.leave(Groups.of(group, old)));
    }
    joined.keySet().forEach(group -> link.join(Groups.of(group, broadcast)));
    return old != null;
  }
}
