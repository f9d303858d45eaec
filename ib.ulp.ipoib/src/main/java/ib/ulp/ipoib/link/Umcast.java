package ib.ulp.ipoib.link;

import ib.core.verbs.Gid;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The groups that are left to other users of the port, which have joined them before (I12; Linux:
 * /sys/class/net/ib0/umcast). {@link Multicast#collect} checks regularly whether the other users
 * still have them.
 */
final class Umcast {
  /** The text that users see for such a group. */
  static final String SAID = "left to another user of the port (umcast)";

  private final Set<Gid> theirs = new LinkedHashSet<>();

  /**
   * Checks whether another user has joined a group, and runs {@code goOn} on the loop's thread if
   * not.
   */
  void ask(Link link, Gid mgid, Runnable goOn) {
    link.sa
        .multicast()
        .joinedByOthers(mgid)
        .thenAccept( // fails only if the link is closed
            joined ->
                link.loop()
                    .execute(
                        () -> {
                          if (!joined) {
                            theirs.remove(mgid);
                            goOn.run();
                          } else {
                            theirs.add(mgid);
                          }
                        }));
  }

  /** Forgets a group that the host has left. */
  void forget(Gid mgid) {
    theirs.remove(mgid);
  }

  void clear() {
    theirs.clear();
  }

  /** {@return the groups that are left to other users} */
  List<Gid> theirs() {
    return List.copyOf(theirs);
  }
}
