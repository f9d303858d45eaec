package ib.ulp.ipoib.link;

import ib.core.verbs.Gid;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The groups that are left to another user of the port, who has joined them before (I12; Linux:
 * /sys/class/net/ib0/umcast). It is looked again every now and then whether they still have them.
 */
final class Umcast {
  /** What is said of such a group. */
  static final String SAID = "left to another user of the port (umcast)";

  private final Set<Gid> theirs = new LinkedHashSet<>();

  /** Asks whose a group is; goes on when it is nobody else's. */
  void ask(Link link, Gid mgid, Runnable goOn) {
    link.sa()
        .multicast()
        .joinedByOthers(mgid)
        .thenAccept( // fails when the link has come to its end only
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

  /** The host does not want it any more. */
  void forget(Gid mgid) {
    theirs.remove(mgid);
  }

  void clear() {
    theirs.clear();
  }

  /** {@return the groups that others have} */
  List<Gid> theirs() {
    return List.copyOf(theirs);
  }
}
