package ib.engine.qp;

import ib.engine.ring.SendRing;
import ib.engine.ring.SendWqe;
import ib.engine.run.RunList;
import org.jspecify.annotations.Nullable;

/**
 * The requests of a send queue that go the descriptor way: in order, from the oldest on, until one
 * needs packets. {@link Ready} says when the way is open at this end; {@link DirectPath} executes.
 * Only the thread that holds the queue pair's claim may call these methods.
 */
final class DirectSends {
  private final QpCore qp;
  private final Requester requester;
  final DirectPath path;

  DirectSends(QpCore qp, Requester requester) {
    this.qp = qp;
    this.requester = requester;
    this.path = new DirectPath(qp, requester.lengthMost());
  }

  /**
   * Executes what is posted at the peer, until a request needs packets or the budget is used up.
   *
   * @return whether nothing is left to do here
   */
  boolean run(RunList run) {
    SendRing ring = requester.ring();
    long index = ring.head();
    while (!run.exhausted()
        && isOpen(run)
        && requester.extend(index)
        && path.execute(ring.at(index), index, run)) {
      index++;
    }
    path.end(run);
    return qp.blocked == 0 && !requester.extend(index);
  }

  /** Executes requests at the peer that are not in the ring: see {@link QpCore#express}. */
  int express(@Nullable SendWqe[] staged, int n, long index, RunList run) {
    int done = 0;
    if (isOldest(index)) {
      int end = Math.min(n, staged.length);
      while (done < end && !run.exhausted() && isOpen(run)) {
        SendWqe w = staged[done];
        if (w == null || !path.execute(w, index + done, run)) {
          break;
        }
        done++;
      }
      path.end(run);
    }
    return done;
  }

  /** Whether no other poster has claimed a slot before this one, and not published it yet. */
  private boolean isOldest(long index) {
    return index == requester.ring().head();
  }

  /** Whether the next request may go the descriptor way, as far as this end knows. */
  private boolean isOpen(RunList run) {
    return qp.blocked == 0 && qp.seenEpoch == qp.epoch.now() || reopened(run);
  }

  /** Looks again at what has blocked the way; after a change of the medium, for the way itself. */
  private boolean reopened(RunList run) {
    if ((qp.blocked & Ready.UNDER_WAY) != 0 && requester.isQuiet()) {
      qp.blocked &= ~Ready.UNDER_WAY;
    }
    if ((qp.blocked & (Ready.UNDER_WAY | Ready.NOT_RTS)) == 0 && qp.seenEpoch != qp.epoch.now()) {
      path.end(run);
      Join.look(qp, run);
    }
    return qp.blocked == 0;
  }
}
