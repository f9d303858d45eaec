package ib.engine.qp;

import ib.core.verbs.EventType;
import ib.core.verbs.QpState;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of exceptions inside a claim (D4): the claim is given back whatever is thrown. The
 * first one puts the queue pair into ERR with QP_FATAL, and it is flushed; a second one ends all
 * but throwing packets away, until it is reset or destroyed. Only the thread that holds the queue
 * pair's claim calls in.
 */
final class QpCrash {
  private static final int MOST = 2;

  private final QpCore qp;
  private @Nullable Throwable caught; // ended a step; the next step makes an error of it
  private int count;
  private boolean untold; // QP_FATAL is still to be raised

  QpCrash(QpCore qp) {
    this.qp = qp;
  }

  /**
   * An exception ended a step. Only stores here: there may be no memory and no stack left.
   *
   * @return whether another step is to follow
   */
  boolean caught(Throwable why) {
    caught = why;
    count++;
    return count <= MOST;
  }

  /** Whether nothing of it is run any more. */
  boolean isFinal() {
    return count >= MOST;
  }

  /** A step begins: makes an error of what ended the one before. */
  void begin(RunList run) {
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
    qp.count(HcaCounter.STEPS_CRASHED);
    qp.history.crashed(why);
    QpState s = qp.state;
    if (!qp.buried() && s != QpState.RESET && s != QpState.ERR) {
      untold = true;
      qp.enter(QpState.ERR, QpHistory.CRASHED);
    }
    qp.requester.direct.end(run); // the peer, if it is claimed
  }

  private void tell() {
    try {
      qp.verbs.tell(EventType.QP_FATAL);
      untold = false;
    } catch (Throwable t) { // no memory for it: the next step tries again, the flush goes on
      qp.history.crashed(t);
    }
  }

  /** A new life begins. */
  void reset() {
    count = 0;
    caught = null;
    untold = false;
  }
}
