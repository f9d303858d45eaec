package ib.engine.packet.send;

import ib.core.verbs.QpState;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WellKnown;
import ib.core.wire.Psn;
import ib.engine.link.HcaCounter;
import ib.engine.qp.QpCore;
import ib.engine.qp.QpTimer;
import ib.engine.run.RunList;
import ib.engine.wire.Opcode;
import ib.engine.wire.Packet;
import ib.engine.wire.Syndrome;

/**
 * Decides what is sent again, and when a request is given up (IBA vol. 1 sections 9.7.5.2.8 and
 * 9.9.2.1): after a NAK, after a missing answer, after the time of one. Only the thread that holds
 * this queue pair's claim calls in.
 */
abstract class Retries extends Completions {
  /** Makes that of a queue pair. */
  Retries(QpCore qp) {
    super(qp);
  }

  /** Sends everything from a sequence number on once more (go-back-N). */
  abstract void rewind(int psn);

  /** Goes back to the last packet, to send it with AckReq, if none asks. {@return whether so} */
  abstract boolean askLate();

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
  public final void end() {
    QpTimer.cancel(ackTimer);
    QpTimer.cancel(rnrTimer);
  }

  /** Sends the oldest request again, once per gap: its response is lost, a later one arrived. */
  final void askAgain() {
    int expected = Resend.expected(this, head, qp.mtuShift);
    una = Psn.diff(expected, una) > 0 ? expected : una;
    if (rewoundFor != expected) {
      rewoundFor = expected;
      lost(expected, false);
      rewind(expected);
    }
  }

  final void receiverNotReady(Packet p, RunList run) {
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

  final void refused(Packet p, RunList run) {
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

  /** Makes sure that a lost answer is noticed; called when the holder of the claim leaves. */
  public final void watch() {
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

  public final void ackTimer(RunList run) {
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

  public final void rnrTimer() {
    QpTimer.ended(rnrTimer);
    rnrWaiting = false;
  }
}
