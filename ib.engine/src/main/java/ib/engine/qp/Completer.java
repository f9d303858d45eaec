package ib.engine.qp;

import ib.core.verbs.QpState;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WellKnown;
import ib.core.wire.Psn;
import ib.engine.link.HcaCounter;
import ib.engine.mr.Copier;
import ib.engine.mr.LastKeys;
import ib.engine.run.RunList;
import ib.engine.wire.Opcode;
import ib.engine.wire.Packet;
import ib.engine.wire.Syndrome;
import org.jspecify.annotations.Nullable;

/**
 * Takes responses, completes send requests in order, and decides what is sent again (IBA vol. 1
 * section 9.7.5 ff.). A read is done only when its data has arrived, and an acknowledgement counts
 * only for outstanding requests; Linux rxe differs there. Only the thread that holds this queue
 * pair's claim calls in.
 */
abstract class Completer extends SendState {
  final QpCore qp;
  private long head; // the oldest request
  private int una; // the oldest sequence number that is not acknowledged
  private int retryLeft;
  private int rnrLeft;
  private boolean rnrWaiting;
  private long progress;
  private long progressSeen; // when the timer was started
  private int rewoundFor = -1; // where we asked for a missing answer again
  private @Nullable QpTimer ackTimer; // made when it is first started
  private @Nullable QpTimer rnrTimer; // the same
  private @Nullable AtomicResult original; // made when the first atomic is answered

  /** Makes that of a queue pair. */
  Completer(QpCore qp) {
    super(qp.sends, qp.hca.config().windowPackets());
    this.qp = qp;
  }

  /** Sends everything from a sequence number on once more (go-back-N). */
  abstract void rewind(int psn);

  /** Goes back to the last packet, to send it with AckReq, if none asks. {@return whether so} */
  abstract boolean askLate();

  /** {@return the first sequence number that was never sent; any thread, roughly} */
  abstract int psnSent();

  /** Starts with an empty ring; stops both timers. */
  final void forget() {
    head = qp.sends.head();
    rnrWaiting = false;
    rewoundFor = -1;
    end();
    ackTimer = null;
    rnrTimer = null;
  }

  /** Stops both timers, because the queue pair is being destroyed. */
  final void end() {
    QpTimer.cancel(ackTimer);
    QpTimer.cancel(rnrTimer);
  }

  /** Begins with a sequence number, which is not acknowledged. */
  final void una(int first) {
    una = first;
    retries();
  }

  /** Resets both retry counters, after progress or after a change of the configured counts. */
  final void retries() {
    retryLeft = qp.retryCount;
    rnrLeft = qp.rnrRetry;
  }

  final long head() {
    return head;
  }

  /** {@return the oldest sequence number that is not acknowledged; any thread, roughly} */
  final int una() {
    return qp.directAhead ? qp.directPsn : una;
  }

  /** {@return whether the peer has acknowledged something, or asked to wait} */
  final boolean isHeard() {
    return progress > 0;
  }

  final boolean rnrWaiting() {
    return rnrWaiting;
  }

  /** Takes the responses that have arrived; returns whether the budget ended it. */
  final boolean responses(RunList run) {
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
        return false;
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

  /** The opcode of the oldest request. */
  private int opcode() {
    return slots.opcode(place(head));
  }

  /** Goes on behind the requests that were executed at the peer. */
  final void completed(long index) {
    head = index;
    progress++;
    rewoundFor = -1;
  }

  private void advanced(int psn) {
    acknowledged(Psn.diff(psn, una));
    una = psn;
    progress++;
    retries();
  }

  /** Sends the oldest request again, once per gap: its response is lost, a later one arrived. */
  private void askAgain() {
    int expected = Resend.expected(this, head, qp.mtuShift);
    una = Psn.diff(expected, una) > 0 ? expected : una;
    if (rewoundFor != expected) {
      rewoundFor = expected;
      rewind(expected);
    }
  }

  private void receiverNotReady(Packet p, RunList run) {
    qp.count(HcaCounter.RCVD_RNR_ERR);
    qp.history.nakReceived(qp.hca.worker().now(), p.psn, p.syndrome);
    retryLeft = qp.retryCount; // the packet has arrived: these tries count anew
    if (rnrWaiting) {
      return; // a copy of the answer that we wait for already
    }
    if (qp.rnrRetry != WellKnown.RNR_RETRY_INFINITE && rnrLeft-- == 0) {
      qp.count(HcaCounter.RETRY_RNR_EXCEEDED_ERR);
      failHead(run, WcStatus.RNR_RETRY_EXC_ERR, p.syndrome);
      return;
    }
    rewind(p.psn);
    rnrWaiting = true;
    progress++; // an answer: the acknowledgement timer has nothing to complain about
    if (!QpTimer.isRunning(rnrTimer)) {
      if (rnrTimer == null) {
        rnrTimer = new QpTimer(qp, QpCore.RNR_TIMER);
      }
      rnrTimer.start(Syndrome.rnrNs(p.syndrome));
    }
  }

  private void refused(Packet p, RunList run) {
    qp.history.nakReceived(qp.hca.worker().now(), p.psn, p.syndrome);
    switch (p.syndrome) {
      case Syndrome.NAK_SEQUENCE -> {
        qp.count(HcaCounter.RCVD_SEQ_ERR);
        if (!rnrWaiting) { // else of what followed the packet that waits: Linux says it each time
          retry(run, p.psn, true);
        }
      }
      case Syndrome.NAK_INVALID_REQUEST -> failHead(run, WcStatus.REM_INV_REQ_ERR, p.syndrome);
      case Syndrome.NAK_REMOTE_ACCESS -> failHead(run, WcStatus.REM_ACCESS_ERR, p.syndrome);
      default -> failHead(run, WcStatus.REM_OP_ERR, p.syndrome);
    }
  }

  private void retry(RunList run, int psn, boolean told) {
    if (retryLeft == 0) {
      qp.count(HcaCounter.RETRY_EXCEEDED_ERR);
      failHead(run, WcStatus.RETRY_EXC_ERR, 0);
    } else {
      retryLeft--;
      lost(psn, told);
      rewind(psn);
    }
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
    boolean last = (Opcode.what(p.opcode) & Opcode.END) != 0;
    if (bytes > left || last != (bytes == left) || (!last && bytes != p.psnCount << qp.mtuShift)) {
      failHead(run, WcStatus.BAD_RESP_ERR, 0);
      return;
    }
    int result = Copier.toSges(p.payload, elements(), done);
    if (result == Copier.OK) {
      done(head, done + bytes);
      if (last) {
        answered(p, run);
      } else {
        advanced(Psn.add(p.psn, p.psnCount));
      }
    } else if (result == Copier.TARGET) {
      failHead(run, WcStatus.LOC_PROT_ERR, 0);
    } else { // what the peer would have refused had it looked
      p.fault = true;
      failHead(run, WcStatus.REM_ACCESS_ERR, Syndrome.NAK_REMOTE_ACCESS);
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
    readsOut -= head < cursor ? 1 : 0; // unless the request was to be sent again
    completeHead(run, WcStatus.SUCCESS, 0);
    completeLocal(run);
  }

  /** Completes what was executed here without a packet, when its turn has come. */
  final void completeLocal(RunList run) {
    if (qp.service != Opcode.RC) {
      return; // its memory is free when the packets before it are back
    }
    while (head < started && (Verb.what(opcode()) & Verb.LOCAL) != 0) {
      completeHead(run, WcStatus.SUCCESS, 0);
    }
  }

  /** Completes the oldest request. */
  final void completeHead(RunList run, WcStatus status, int syndrome) {
    long index = head++;
    SendCompletions.push(qp, run, slots, place(index), index, status, syndrome);
  }

  /** Fails the oldest request and flushes the others, for RC the receives too (IBA 10.3.1). */
  final void failHead(RunList run, WcStatus status, int syndrome) {
    qp.count(HcaCounter.SEND_ERR);
    qp.history.failed(status, una);
    completeHead(run, status, syndrome);
    if (qp.service == Opcode.RC) {
      qp.fail(null);
    } else {
      qp.enter(QpState.SQE, QpHistory.ASKED); // the history knows the status
    }
  }

  /** Skips the oldest request, which its poster has taken back in the middle of the post. */
  final void skipHead() {
    ring.retire(head);
    head++;
  }

  // ---- timers ----

  /** Makes sure that a lost answer is noticed; called when the holder of the claim leaves. */
  final void watch() {
    if (head < started
        && qp.ackTimeoutNs > 0
        && !QpTimer.isRunning(ackTimer)
        && !rnrWaiting
        && qp.service == Opcode.RC) {
      progressSeen = progress;
      if (ackTimer == null) {
        ackTimer = new QpTimer(qp, QpCore.ACK_TIMER);
      }
      ackTimer.start(qp.ackTimeoutNs);
    }
  }

  /** Restarts the ACK timeout: an acknowledgement is requested, and none is outstanding. */
  final void asked() {
    progressSeen = -1;
  }

  final void ackTimer(RunList run) {
    QpTimer.ended(ackTimer);
    QpState s = qp.state;
    if ((s != QpState.RTS && s != QpState.SQD)
        || head == started
        || rnrWaiting
        || progress != progressSeen) {
      return; // watch starts it again when it is needed
    }
    if (askLate()) {
      return; // nothing was asked for, so nothing is late
    }
    rewoundFor = -1;
    qp.history.timeout(qp.hca.worker().now(), una);
    retry(run, una, false);
  }

  final void rnrTimer() {
    QpTimer.ended(rnrTimer);
    rnrWaiting = false;
  }
}
