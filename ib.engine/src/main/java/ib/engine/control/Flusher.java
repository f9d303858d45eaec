package ib.engine.control;

import ib.core.verbs.EventType;
import ib.core.verbs.WcStatus;
import ib.engine.ring.ReceiveRing;
import ib.engine.ring.SendRing;
import ib.engine.run.RunList;

/**
 * Completes requests that will not be executed: in the error states, and when the queue pair is
 * destroyed. Every accepted request completes exactly once, in order (B20). Only the thread that
 * holds the queue pair's claim may call these methods.
 */
final class Flusher {
  private static final long GIVE_UP_NS = 1_000_000_000;
  private static final int PARK = 1000;

  private Flusher() {}

  /** In ERR: returns whether a poster has claimed a receive and not published it yet. */
  static boolean flush(QpSteps qp, RunList run) {
    if (!qp.responder.lastWord(run)) {
      qp.awaitPacket();
      qp.responder.lastWord(run); // once more: one may have come back before we said that we wait
    }
    qp.discardPackets(run);
    flushSends(qp, run);
    qp.responder.flush(run);
    ReceiveRing ring = qp.receives;
    while (qp.srq == null && qp.responder.takeReceive()) {
      qp.responder.flush(run);
    }
    if (qp.srq != null && !qp.responder.lastTold) {
      qp.responder.lastTold = true;
      qp.verbs.tell(EventType.QP_LAST_WQE_REACHED); // IBA 11.6.3.1
    }
    if (ring.size() > 0) {
      run.spend(
          0); // a poster will publish in a moment; the budget bounds how long this call insists
      return true;
    }
    return false;
  }

  static void flushSends(QpSteps qp, RunList run) {
    while (qp.requester.extend(qp.requester.head())) {
      qp.requester.completeHead(run, WcStatus.WR_FLUSH_ERR, 0);
    }
    qp.requester.skipTo(qp.requester.head());
  }

  /**
   * Seals the rings and flushes all that was accepted; a poster that sleeps in the middle is given
   * up.
   */
  static void finish(QpSteps qp, RunList run) {
    qp.responder.lastTold = true; // the queue pair is destroyed: no handler is left to notify
    flush(qp, run);
    SendRing sends = qp.sends;
    sends.seal();
    long end = sends.tail();
    long start = System.nanoTime();
    while (qp.requester.head() < end) {
      long h = qp.requester.head();
      while (!qp.requester.extend(h) && System.nanoTime() - start < GIVE_UP_NS) {
        qp.hca.worker().pause(PARK);
      }
      if (qp.requester.extend(h)) {
        finishBatch(qp, run, sends, h);
      } else if (sends.kill(h)) {
        qp.requester.completeHead(run, WcStatus.WR_FLUSH_ERR, 0);
      } else {
        qp.requester.skipHead();
      }
    }
    ReceiveRing receives = qp.receives;
    receives.seal();
    start = System.nanoTime(); // anew: the seal must be old before a slot is given up
    end = receives.tail();
    while (receives.head() < end) {
      while (!receives.published(receives.head()) && System.nanoTime() - start < GIVE_UP_NS) {
        qp.hca.worker().pause(PARK);
      }
      if (receives.killOldest()) {
        qp.responder.flushKilled(receives, run);
      }
    }
  }

  private static void finishBatch(QpSteps qp, RunList run, SendRing sends, long first) {
    long after = first + sends.batch(first);
    if (sends.kill(first)) {
      while (qp.requester.head() < after) {
        qp.requester.completeHead(run, WcStatus.WR_FLUSH_ERR, 0);
      }
    } else {
      while (qp.requester.head() < after) {
        qp.requester.skipHead();
      }
    }
  }
}
