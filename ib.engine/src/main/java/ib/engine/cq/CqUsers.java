package ib.engine.cq;

import ib.engine.run.RunList;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The queue pairs that use a completion queue, each once. Each knows its place, so that coming and
 * going cost the same however many there are.
 */
final class CqUsers {
  private final SoftCq cq;
  private volatile @Nullable Member[] users = new @Nullable Member[2];
  private int used; // places that have ever been taken, under this
  private int[] holes = new int[2]; // those that are free again, under this
  private int holeCount; // under this

  CqUsers(SoftCq cq) {
    this.cq = cq;
  }

  synchronized void add(Member qp) {
    @Nullable Member[] all = users;
    if (holeCount == 0 && used == all.length) {
      all = Arrays.copyOf(all, 2 * used);
    }
    int i = holeCount > 0 ? holes[--holeCount] : used++;
    all[i] = qp;
    place(qp, i);
    users = all; // published for who looks at all of them
  }

  @SuppressWarnings("ReferenceEquality") // this queue pair, no other one
  synchronized void remove(Member qp) {
    @Nullable Member[] all = users;
    int i = qp.sendCq == cq ? qp.sendCqPlace : qp.recvCqPlace;
    if (all[i] != qp) {
      return; // removed already: both its queues are this one
    }
    all[i] = null;
    if (holeCount == holes.length) {
      holes = Arrays.copyOf(holes, 2 * holeCount);
    }
    holes[holeCount++] = i;
    users = all;
  }

  private void place(Member qp, int i) {
    if (qp.sendCq == cq) {
      qp.sendCqPlace = i;
    } else {
      qp.recvCqPlace = i;
    }
  }

  /** Tells all of them that an entry is lost; one that comes or goes meanwhile may be missed. */
  void lost(RunList run) {
    for (Member qp : users) {
      if (qp != null) {
        qp.cqLost(run);
      }
    }
  }
}
