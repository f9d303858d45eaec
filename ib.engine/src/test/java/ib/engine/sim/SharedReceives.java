package ib.engine.sim;

import ib.core.verbs.Access;
import ib.core.verbs.PostStatus;

/** The receives of a node's shared receive queue. */
final class SharedReceives {
  final Region region;
  final int slotBytes;
  private final Node node;
  private final boolean[] posted = new boolean[Node.SRQ_DEPTH];
  private int count;

  SharedReceives(Node node, int slotBytes) {
    this.node = node;
    this.slotBytes = slotBytes;
    this.region =
        node.region("shared receives", (long) slotBytes * Node.SRQ_DEPTH, Access.LOCAL_WRITE);
  }

  int count() {
    return count;
  }

  /** Posts up to so many; returns how many. */
  int post(int most) {
    int n = 0;
    for (int i = 0; i < posted.length && n < most; i++) {
      if (!posted[i]) {
        long at = (long) i * slotBytes;
        region.bytes.asSlice(at, slotBytes).fill(Endpoint.EMPTY);
        int result = node.srq.postReceive(i, region.mr.lkey(), region.mr.iova() + at, slotBytes);
        if (result != PostStatus.OK) {
          throw new SimFailure("postReceive of a shared queue returns " + result);
        }
        posted[i] = true;
        count++;
        n++;
      }
    }
    return n;
  }

  /** A receive has completed. */
  void done(long slot) {
    int i = (int) slot;
    if (i < 0 || i >= posted.length || !posted[i]) {
      throw new SimFailure("shared receive " + slot + " completed and was not posted");
    }
    posted[i] = false;
    count--;
  }
}
