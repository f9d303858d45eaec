package ib.engine.cq;

import ib.engine.run.RunList;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The queue pairs that use a completion queue, each once. Each knows its place, so that coming and
 * going cost the same however many there are, and its serial, which no other one gets in this
 * queue.
 */
final class Members {
  private final SoftCq cq;
  private volatile @Nullable Member[] all = new @Nullable Member[2];
  private int used; // places that have ever been taken, under this
  private int[] holes = new int[2]; // those that are free again, under this
  private int holeCount; // under this
  private long serials; // given so far, under this

  Members(SoftCq cq) {
    this.cq = cq;
  }

  synchronized void add(Member qp) {
    @Nullable Member[] now = all;
    if (holeCount == 0 && used == now.length) {
      now = Arrays.copyOf(now, 2 * used);
    }
    int i = holeCount > 0 ? holes[--holeCount] : used++;
    place(qp, ++serials << 32 | i);
    now[i] = qp;
    all = now; // published for who looks at all of them
  }

  @SuppressWarnings("ReferenceEquality") // this queue pair, no other one
  synchronized void remove(Member qp) {
    @Nullable Member[] now = all;
    int i = (int) (qp.sendCq == cq ? qp.sendPlace : qp.recvPlace);
    if (now[i] != qp) {
      return; // removed already: both its queues are this one
    }
    now[i] = null;
    if (holeCount == holes.length) {
      holes = Arrays.copyOf(holes, 2 * holeCount);
    }
    holes[holeCount++] = i;
    all = now;
  }

  private void place(Member qp, long place) {
    if (qp.sendCq == cq) {
      qp.sendPlace = place;
    }
    if (qp.recvCq == cq) {
      qp.recvPlace = place;
    }
  }

  /**
   * Frees the slots of the requests up to one whose completion was polled (IBA 10.8.5); data path,
   * any thread. At the place of an entry may stand another member by now, and one that came this
   * moment may be seen without its serial: neither is equal to the entry's.
   *
   * @param place the place and serial in the entry
   * @param receive whether it is one of a receive
   * @param end index after the request in its queue, 0 when there is nothing to free
   */
  void release(long place, boolean receive, long end) {
    if (end != 0) {
      Member m = all[(int) place];
      if (m != null && m.owns(place, receive)) {
        m.polled(receive, end);
      }
    }
  }

  /** Tells all of them that an entry is lost; one that comes or goes meanwhile may be missed. */
  void lost(RunList run) {
    for (Member qp : all) {
      if (qp != null) {
        qp.cqLost(run);
      }
    }
  }
}
