package ib.engine.qp;

import ib.core.verbs.SendFlags;
import ib.core.verbs.WcStatus;
import ib.engine.link.HcaCounter;
import ib.engine.ring.SendRing;
import ib.engine.ring.SendWqe;
import ib.engine.run.RunList;

/**
 * Puts the completions of send requests into their queue, in order. Only the thread that holds the
 * queue pair's claim calls in.
 */
final class SendCompletions {
  private SendCompletions() {}

  /**
   * Completes the oldest request; an unsignaled one silently, unless it failed (IBA 10.7.3.1). The
   * order is fixed: a poster must not take the slot of a request whose completion was not polled,
   * and a drain must not miss a completion that is under way.
   */
  static void push(QpCore qp, RunList run, SendWqe w, long index, WcStatus status, int error) {
    SendRing ring = qp.requester.ring();
    try {
      boolean success = status == WcStatus.SUCCESS;
      if (success) {
        qp.counts.count(HcaCounter.RDMA_SENDS);
      }
      if (!success || qp.signalAll || (w.flags & SendFlags.SIGNALED) != 0) {
        boolean fetches = (Verb.what(w.opcode) & (Verb.READ | Verb.ATOMIC)) != 0;
        ring.tell(index);
        qp.sendCq.push(
            run,
            w.wrId,
            status,
            Verb.completed(w.opcode),
            0,
            error,
            fetches && success ? (int) w.length : 0,
            0,
            qp.qpn,
            0,
            0,
            0,
            qp.sendPlace(),
            index + 1,
            w.cqe,
            false);
      }
    } finally {
      ring.retire(index);
    }
  }
}
