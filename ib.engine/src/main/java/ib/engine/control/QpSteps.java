package ib.engine.control;

import ib.core.verbs.EventType;
import ib.core.verbs.QpInit;
import ib.core.verbs.QpState;
import ib.core.wire.Psn;
import ib.engine.cq.SoftCq;
import ib.engine.direct.DirectPath;
import ib.engine.direct.DirectSends;
import ib.engine.packet.receive.ConnectedResponder;
import ib.engine.packet.receive.DatagramReceiver;
import ib.engine.packet.send.Requester;
import ib.engine.qp.ControlPath;
import ib.engine.qp.Hca;
import ib.engine.qp.Packets;
import ib.engine.qp.QpCore;
import ib.engine.qp.Responder;
import ib.engine.qp.SendState;
import ib.engine.qp.SharedReceives;
import ib.engine.ring.SendSlots;
import ib.engine.run.RunList;
import ib.engine.wire.Opcode;
import org.jspecify.annotations.Nullable;

/**
 * A queue pair as the thread that holds its claim runs it: which way its requests go, and what a
 * step does in which order. The two ways do not know each other; this class knows both.
 */
public final class QpSteps extends QpCore {
  final Requester requester; // the object that is sending, too

  /** Makes a queue pair of a device. */
  public QpSteps(
      Hca hca,
      QpInit init,
      int domain,
      SoftCq sendCq,
      SoftCq recvCq,
      @Nullable SharedReceives srq) {
    super(hca, init, domain, sendCq, recvCq, srq);
    this.requester = (Requester) sending;
  }

  @Override
  protected ControlPath newControl() {
    return new QpControl(this);
  }

  @Override
  protected SendState newSending() {
    return new Requester(this);
  }

  @Override
  protected Responder newResponder() {
    return service == Opcode.UD ? new DatagramReceiver(this) : new ConnectedResponder(this);
  }

  @Override
  public void settle(RunList run) {
    DirectPath.settle(this, run);
  }

  @Override
  public void letGo(RunList run) {
    DirectPath.end(this, run, false);
  }

  @Override
  protected boolean direct(RunList run) {
    try {
      return isQuiet() && DirectSends.run(this, run);
    } catch (Throwable t) {
      history.caught(t);
      return false; // the step that follows makes an error of it
    }
  }

  @Override
  public int express(SendSlots staged, int n, long index) {
    try {
      return isQuiet() ? DirectSends.express(this, staged, n, index) : 0;
    } catch (Throwable t) {
      history.caught(t);
      return Math.clamp(sends.head() - index, 0, n); // some may have completed before
    }
  }

  @Override
  protected boolean step(RunList run) {
    try {
      sync();
      history.begin(run);
      return history.isFinal() ? discardPackets(run) : work(run);
    } catch (Throwable t) {
      return history.caught(t);
    }
  }

  @Override
  protected boolean watch() {
    try {
      if (!history.isFinal()) {
        requester.watch();
      }
      return true;
    } catch (Throwable t) {
      return !history.caught(t);
    }
  }

  private boolean work(RunList run) {
    signalled(takeSignals(), run);
    if (buried()) {
      return discardPackets(run);
    }
    boolean more = false;
    for (; ; run.spend(0)) { // the budget bounds this loop, too
      Packets p = madePackets();
      more = false;
      if (p != null) {
        p.wait.end();
        more = requester.responses(run);
        more |= responder.run(run);
      }
      if (state == QpState.ERR) {
        return Flusher.flush(this, run);
      }
      DirectSends.run(this, run);
      sync();
      more |= requester.run(run);
      if (directUnacknowledged > 0) {
        DirectPath.settle(this, run);
      }
      if (state == QpState.ERR) {
        return Flusher.flush(this, run);
      }
      if (state == QpState.SQE) {
        Flusher.flushSends(this, run);
      }
      if (more || !(requester.starved() || responder.starved())) {
        break;
      }
      packets().wait.begin();
      more = requester.starved() && requester.refilled();
      more |= responder.starved() && responder.refilled();
      if (!more || run.exhausted()) {
        break;
      }
    }
    return more;
  }

  /**
   * Makes the packet way know what the descriptor way has executed. Afterwards the numbers of
   * requester and responder count. Called before anything else uses these numbers: at the beginning
   * of each step, before packets are made, and by the control path.
   */
  void sync() {
    if (directAhead) {
      directAhead = false;
      requester.sync(sends.head(), directPsn);
    }
    if (directReceived.ahead && responder instanceof ConnectedResponder r) {
      directReceived.ahead = false;
      r.sync(directReceived);
    }
  }

  private void signalled(int s, RunList run) {
    if (s == 0) {
      return;
    }
    if ((s & ACK_TIMER) != 0) {
      requester.ackTimer(run);
    }
    if ((s & RNR_TIMER) != 0) {
      requester.rnrTimer();
    }
    if ((s & REQUEST_FAULT) != 0) {
      int fault = packets().requestPool.takeFault();
      if (fault != 0) {
        requester.fault(fault & Psn.MAX);
      }
    }
    if ((s & RESPONSE_FAULT) != 0 && responder instanceof ConnectedResponder r) {
      r.fault(packets().responsePool.takeFault());
    }
    if ((s & CQ_LOST) != 0 && state != QpState.RESET && state != QpState.ERR) {
      fail(EventType.QP_FATAL);
    }
  }
}
