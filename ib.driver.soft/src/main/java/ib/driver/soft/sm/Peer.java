package ib.driver.soft.sm;

import ib.driver.soft.topology.NodePort;
import java.util.Comparator;

/** Another subnet manager, as its last SMInfo described it. Guarded by the fabric's monitor. */
final class Peer {
  /** Orders managers: the manager that is to be the master compares as greater (IBA 14.4.1). */
  static final Comparator<Peer> RANK =
      Comparator.<Peer>comparingInt(p -> p.priority)
          .thenComparing((a, b) -> Long.compareUnsigned(b.guid, a.guid));

  final NodePort port;
  int priority;
  long guid;
  int activity;
  SmState state = SmState.NOT_ACTIVE;
  boolean heard; // whether the manager has answered the last poll

  Peer(NodePort port) {
    this.port = port;
  }
}
