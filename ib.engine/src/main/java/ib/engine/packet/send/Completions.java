package ib.engine.packet.send;

import ib.core.verbs.QpState;
import ib.core.verbs.WcStatus;
import ib.core.wire.Psn;
import ib.engine.link.HcaCounter;
import ib.engine.qp.QpCore;
import ib.engine.qp.QpHistory;
import ib.engine.qp.SendCompletions;
import ib.engine.qp.SendState;
import ib.engine.qp.Verb;
import ib.engine.run.RunList;
import ib.engine.wire.Opcode;

/**
 * Completes send requests in order, with success or not: what a response, an error and a flush have
 * in common. Only the thread that holds this queue pair's claim calls in.
 */
abstract class Completions extends SendState {
  /** Makes that of a queue pair. */
  Completions(QpCore qp) {
    super(qp, qp.sends, qp.hca.config().windowPackets());
  }

  /** Begins with a sequence number, which is not acknowledged. */
  public final void una(int first) {
    una = first;
    retries();
  }

  /** Resets both retry counters, after progress or after a change of the configured counts. */
  public final void retries() {
    retryLeft = qp.retryCount;
    rnrLeft = qp.rnrRetry;
  }

  /** The opcode of the oldest request. */
  final int opcode() {
    return slots.opcode(place(head));
  }

  /** Goes on behind the requests that were executed at the peer. */
  final void completed(long index) {
    head = index;
    progress++;
    rewoundFor = -1;
  }

  final void advanced(int psn) {
    acknowledged(Psn.diff(psn, una));
    una = psn;
    progress++;
    retries();
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
  public final void completeHead(RunList run, WcStatus status, int syndrome) {
    long index = head++;
    SendCompletions.push(qp, run, slots, place(index), index, status, syndrome);
  }

  /** Fails the oldest request and flushes the others, for RC the receives too (IBA 10.3.1). */
  final void failHead(RunList run, WcStatus status, int syndrome) {
    qp.count(HcaCounter.SEND_ERR);
    qp.history.failed(status, una);
    if (qp.service == Opcode.RC) { // first the state: who sees the completion sees it, too
      qp.fail(null);
    } else {
      qp.enter(QpState.SQE, QpHistory.ASKED); // the history knows the status
    }
    completeHead(run, status, syndrome);
  }

  /** Skips the oldest request, which its poster has taken back in the middle of the post. */
  public final void skipHead() {
    ring.retire(head);
    head++;
  }
}
