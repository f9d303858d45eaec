package ib.engine.packet.send;

import ib.core.verbs.QpState;
import ib.core.verbs.WcStatus;
import ib.core.wire.Psn;
import ib.engine.link.HcaCounter;
import ib.engine.mr.Copier;
import ib.engine.mr.LastKeys;
import ib.engine.qp.AtomicResult;
import ib.engine.qp.QpCore;
import ib.engine.qp.Verb;
import ib.engine.run.RunList;
import ib.engine.wire.Opcode;
import ib.engine.wire.Packet;
import ib.engine.wire.Syndrome;

/**
 * Takes the responses of the peer (IBA vol. 1 section 9.7.5 ff.). A read is done only when its data
 * has arrived, and an acknowledgement counts only for outstanding requests; Linux rxe differs
 * there. Only the thread that holds this queue pair's claim calls in.
 */
abstract class Completer extends Retries {
  /** Makes that of a queue pair. */
  Completer(QpCore qp) {
    super(qp);
  }

  /** Takes the responses that have arrived; returns whether the budget ended it. */
  public final boolean responses(RunList run) {
    for (Packet p = qp.packets().responses.peek(); p != null; p = qp.packets().responses.peek()) {
      if (run.exhausted()) {
        return true;
      }
      qp.packets().responses.remove();
      try {
        receive(p, run);
        run.spend(p.payload.length());
      } finally {
        p.release(run);
      }
    }
    return false;
  }

  private void receive(Packet p, RunList run) {
    qp.received(p);
    QpState s = qp.state;
    if (s != QpState.RTS && s != QpState.SQD) {
      qp.drop(p, HcaCounter.DROP_QP_STATE);
    } else if (!qp.responder.admits(p)) {
      return;
    } else if (p.opcode == Opcode.CNP) {
      qp.count(HcaCounter.RP_CNP_HANDLED);
      congested();
    } else if (Psn.diff(p.psn, una) < 0 || Psn.diff(p.psn, psnSent()) >= 0) {
      qp.drop(p, HcaCounter.DROP_ACK_PSN); // old, or never sent: a ghost
    } else if ((p.opcode & 0x1f) == Opcode.ACKNOWLEDGE) {
      acknowledge(p, run);
    } else if ((Opcode.what(p.opcode) & (Opcode.READ | Opcode.ATOMIC)) != 0) {
      answer(p, run);
    } else {
      qp.drop(p, HcaCounter.DROP_OPCODE);
    }
  }

  private void acknowledge(Packet p, RunList run) {
    switch (Syndrome.kind(p.syndrome)) {
      case Syndrome.CLASS_ACK -> {
        if (!retire(Psn.add(p.psn, 1), run)) {
          askAgain();
        }
      }
      case Syndrome.CLASS_RNR, Syndrome.CLASS_NAK -> {
        if (!retire(p.psn, run)) {
          askAgain();
        } else if (Syndrome.kind(p.syndrome) == Syndrome.CLASS_RNR) {
          receiverNotReady(p, run);
        } else {
          refused(p, run);
        }
      }
      default -> qp.drop(p, HcaCounter.DROP_SYNDROME);
    }
  }

  /** Completes all before a sequence number; false when an answer is missing there. */
  private boolean retire(int end, RunList run) {
    long n = 0;
    while (head < started) {
      int first = psnFirst(head);
      if (Psn.diff(end, first) <= 0 || head == haltIndex) {
        break;
      }
      if ((Verb.what(opcode()) & Verb.ANSWERED) != 0) {
        if (end != Resend.expected(this, head, qp.mtuShift)) {
          return false;
        }
        break; // the next part of a read that has received all before it
      }
      int last = Psn.add(first, psnCount(head));
      if (Psn.diff(end, last) < 0) {
        break;
      }
      completeHead(run, WcStatus.SUCCESS, 0);
      completeLocal(run);
      n++;
    }
    if (qp.directUnacknowledged > 0) { // these left their acknowledgement to this response
      n += qp.directUnacknowledged;
      qp.directUnacknowledged = 0;
    }
    if (n > 1) {
      qp.count(HcaCounter.ACK_DEFERRED);
    }
    if (Psn.diff(end, una) > 0) {
      advanced(end);
    }
    return true;
  }

  private void answer(Packet p, RunList run) {
    boolean ready = retire(p.psn, run); // a response acknowledges all before it
    if (head == started || head == haltIndex) {
      return;
    }
    int what = Verb.what(opcode()) & Verb.ANSWERED;
    int expected = Resend.expected(this, head, qp.mtuShift);
    if (what == 0 || Psn.diff(p.psn, psnFirst(head)) < 0) {
      qp.drop(p, HcaCounter.DROP_RESPONSE);
    } else if (p.psn != expected) {
      if (!ready || Psn.diff(p.psn, expected) > 0) {
        askAgain();
      }
    } else if (((Opcode.what(p.opcode) & Opcode.ATOMIC) != 0) != (what == Verb.ATOMIC)) {
      qp.drop(p, HcaCounter.DROP_RESPONSE); // not what this request is answered with
    } else if (what == Verb.READ) {
      readResponse(p, run);
    } else if (what == Verb.ATOMIC) {
      atomicAcknowledge(p, run);
    } else if (p.opcode != Opcode.READ_RESPONSE_ONLY || p.payload.length() != 0) {
      failHead(run, WcStatus.BAD_RESP_ERR, 0);
    } else {
      answered(p, run);
    }
  }

  private void readResponse(Packet p, RunList run) {
    int bytes = p.payload.length();
    long done = done(head);
    long left = length(head) - done;
    boolean last = bytes == left;
    boolean ends = last || ReadParts.endAfter(this, (done >>> qp.mtuShift) + p.psnCount);
    if (bytes > left
        || ends != ((Opcode.what(p.opcode) & Opcode.END) != 0)
        || (!last && bytes != p.psnCount << qp.mtuShift)) {
      failHead(run, WcStatus.BAD_RESP_ERR, 0);
      return;
    }
    int result = Copier.toSges(p.payload, elements(), done);
    if (result == Copier.OK) {
      done(head, done + bytes);
      if (last) {
        answered(p, run);
      } else {
        readsOut -= ends && wasAsked(p.psn) ? 1 : 0;
        advanced(Psn.add(p.psn, p.psnCount));
      }
    } else if (result == Copier.TARGET) {
      failHead(run, WcStatus.LOC_PROT_ERR, 0);
    } else { // what the peer would have refused had it looked
      p.fault();
      refused(p, run);
    }
  }

  private LastKeys elements() {
    return elements(head, qp.keys);
  }

  private void atomicAcknowledge(Packet p, RunList run) {
    if (original == null) {
      original = new AtomicResult();
    }
    if (Copier.toSges(original.set(p.swapAdd), elements(), 0) == Copier.OK) {
      answered(p, run);
    } else {
      failHead(run, WcStatus.LOC_PROT_ERR, 0);
    }
  }

  private void answered(Packet p, RunList run) {
    advanced(Psn.add(p.psn, p.psnCount));
    readsOut -= wasAsked(p.psn) ? 1 : 0;
    completeHead(run, WcStatus.SUCCESS, 0);
    completeLocal(run);
  }

  /** Whether an answer of the oldest request was asked for since the cursor was moved back. */
  private boolean wasAsked(int psn) {
    return head < cursor || Psn.diff(psn, asked) < 0;
  }
}
