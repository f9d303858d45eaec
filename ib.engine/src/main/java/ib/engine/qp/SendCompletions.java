package ib.engine.qp;

import ib.core.verbs.Cqe;
import ib.core.verbs.WcStatus;
import ib.engine.ring.SendKind;
import ib.engine.ring.SendRing;
import ib.engine.ring.SendWords;
import ib.engine.run.RunList;

/**
 * Puts the completions of send requests into their queue, in order. Only the thread that holds the
 * queue pair's claim calls in.
 */
public final class SendCompletions {
  private SendCompletions() {}

  /**
   * Completes the oldest request; an unsignaled one silently, unless it failed (IBA 10.7.3.1). The
   * order is fixed: a poster must not take the slot of a request whose completion was not polled,
   * and a drain must not miss a completion that is under way. The slot may be filled anew as soon
   * as the completion can be polled, so all of it is read before.
   */
  public static void push(
      QpCore qp, RunList run, SendWords s, int b, long index, WcStatus status, int error) {
    SendRing ring = qp.sending.ring;
    try {
      long kind = s.kind(b);
      Cqe cqe = s.takeCqe(b, kind); // also without a completion: it is not kept
      boolean success = status == WcStatus.SUCCESS;
      if (success) {
        qp.directMessages++;
      }
      if (!success || qp.signalAll || SendKind.isSignaled(kind)) {
        int opcode = SendKind.opcode(kind);
        boolean fetches = (Verb.what(opcode) & (Verb.READ | Verb.ATOMIC)) != 0;
        int bytes = fetches && success ? (int) s.messageLength(b, kind) : 0;
        ring.tell(index);
        qp.sendCq.push(
            run,
            s.wrId(b),
            status,
            Verb.completed(opcode),
            0,
            error,
            bytes,
            0,
            qp.qpn,
            0,
            0,
            0,
            qp.sendPlace(),
            index + 1,
            cqe,
            false);
      }
    } finally {
      ring.retire(index);
    }
  }

  /** Ends the oldest request, which has succeeded and of which no completion tells. */
  public static void silent(QpCore qp, long index) {
    qp.directMessages++;
    qp.sending.ring.retire(index);
  }
}
