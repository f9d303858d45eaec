package ib.engine.qp;

import ib.core.verbs.EventType;
import ib.core.verbs.QpState;
import ib.engine.run.RunList;
import org.jspecify.annotations.Nullable;

/**
 * Handles exceptions that a claim holder throws (D4); the claim is released whatever is thrown. The
 * first exception moves the queue pair to ERR, flushes it and raises QP_FATAL. After a second one
 * the queue pair only discards packets, until it is reset or destroyed. One object with the run
 * list of the queue pair, so that a queue pair is small. Only the thread that holds the queue
 * pair's claim calls in.
 */
abstract class QpCrash extends RunList {
  private static final int MAX_CAUGHT = 2;

  public final QpCore qp;
  private @Nullable Throwable caught; // ended a step; the next step makes an error of it
  private int count;
  private boolean untold; // QP_FATAL is still to be raised

  QpCrash(QpCore qp) {
    super(qp.hca.config().runBudgetBytes());
    this.qp = qp;
  }

  /**
   * An exception ended a step. Only stores here: there may be no memory and no stack left.
   *
   * @return whether another step is to follow
   */
  public final boolean caught(Throwable why) {
    caught = why;
    count++;
    return count <= MAX_CAUGHT;
  }

  /** Whether an exception was caught of which no step has made an error yet. */
  public final boolean isPending() {
    return caught != null;
  }

  /** Whether nothing of it is run any more. */
  public final boolean isFinal() {
    return count >= MAX_CAUGHT;
  }

  /** Begins a step; handles the exception that ended the step before. */
  public final void begin(RunList run) {
    Throwable why = caught;
    if (why != null) {
      caught = null;
      recover(why, run);
    }
    if (untold) {
      tell();
    }
  }

  private void recover(Throwable why, RunList run) {
    qp.crashed(why);
    QpState s = qp.state;
    if (!qp.buried() && s != QpState.RESET && s != QpState.ERR) {
      untold = true;
      qp.enter(QpState.ERR, QpHistory.CRASHED);
    }
    qp.letGo(run); // the peer, if it is claimed
  }

  private void tell() {
    try {
      qp.verbs.tell(EventType.QP_FATAL);
      untold = false;
    } catch (Throwable t) { // no memory for it: the next step tries again, the flush goes on
      qp.crashed(t);
    }
  }

  /** Forgets all exceptions, because the queue pair was reset. */
  public final void forgive() {
    count = 0;
    caught = null;
    untold = false;
  }
}
