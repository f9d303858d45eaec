package ib.driver.soft.sm;

import ib.driver.soft.topology.NodePort;
import java.util.Comparator;

/** Another subnet manager, as it was when it last said something. Under the fabric's lock. */
final class Peer {
  /** The one that is to be the master compares as greater (IBA 14.4.1). */
  static final Comparator<Peer> RANK =
      Comparator.<Peer>comparingInt(p -> p.priority)
          .thenComparing((a, b) -> Long.compareUnsigned(b.guid, a.guid));

  final NodePort port;
  int priority;
  long guid;
  int activity;
  SmState state = SmState.NOT_ACTIVE;
  boolean heard; // since the last poll

  Peer(NodePort port) {
    this.port = port;
  }
}
