package ib.engine.direct;

import ib.engine.qp.QpCore;
import ib.engine.qp.Ready;
import ib.engine.qp.SendState;
import ib.engine.ring.SendRing;
import ib.engine.ring.SendSlots;
import ib.engine.run.RunList;

/**
 * The requests of a send queue that go the descriptor way: in order, from the oldest on, until one
 * needs packets. {@link Ready} says when the way is open at this end; {@link DirectPath} executes.
 * Only the thread that holds the queue pair's claim may call these methods.
 */
public final class DirectSends {
  private DirectSends() {}

  /**
   * Executes what is posted at the peer, until a request needs packets or the budget is used up.
   *
   * @return whether nothing is left to do here
   */
  public static boolean run(QpCore qp, RunList run) {
    SendState sending = qp.sending;
    SendRing ring = sending.ring;
    long index = ring.head();
    while (!run.exhausted()
        && isOpen(qp, run)
        && sending.extend(index)
        && DirectPath.execute(qp, sending.slots, ring.base(index), index, run)) {
      index++;
    }
    boolean more = sending.extend(index);
    DirectPath.end(qp, run, more && !run.exhausted());
    return qp.blocked == 0 && !more;
  }

  /** Executes requests at the peer that are not in the ring: see {@link QpCore#express}. */
  public static int express(QpCore qp, SendSlots staged, int n, long index) {
    RunList run = qp.runList;
    int done = 0;
    if (isOldest(qp, index)) {
      int b = 0;
      while (done < n
          && !run.exhausted()
          && isOpen(qp, run)
          && staged.holds(b)
          && DirectPath.execute(qp, staged, b, index + done, run)) {
        b = staged.place(++done);
      }
      DirectPath.end(qp, run, done < n && !run.exhausted());
    }
    return done;
  }

  /** Whether no other poster has claimed a slot before this one, and not published it yet. */
  private static boolean isOldest(QpCore qp, long index) {
    return index == qp.sending.ring.head();
  }

  /** Whether the next request may go the descriptor way, as far as this end knows. */
  private static boolean isOpen(QpCore qp, RunList run) {
    return qp.blocked == 0 && qp.seenEpoch == qp.epoch.now() || reopened(qp, run);
  }

  /** Looks again at what has blocked the way; after a change of the medium, for the way itself. */
  private static boolean reopened(QpCore qp, RunList run) {
    if ((qp.blocked & Ready.UNDER_WAY) != 0 && qp.sending.isQuiet()) {
      qp.blocked &= ~Ready.UNDER_WAY;
    }
    if ((qp.blocked & (Ready.UNDER_WAY | Ready.NOT_RTS)) == 0 && qp.seenEpoch != qp.epoch.now()) {
      DirectPath.end(qp, run, false);
      Join.look(qp, run);
    }
    return qp.blocked == 0;
  }
}
