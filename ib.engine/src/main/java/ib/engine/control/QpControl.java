package ib.engine.control;

import ib.core.spi.QpDiagnosis;
import ib.core.verbs.AltPath;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.IbTimedOutException;
import ib.core.verbs.QpAttr;
import ib.core.verbs.QpAttrMask;
import ib.core.verbs.QpState;
import ib.core.verbs.QpTransitions;
import ib.engine.direct.Join;
import ib.engine.link.HcaCounter;
import ib.engine.link.Link;
import ib.engine.link.Refusals;
import ib.engine.packet.receive.ConnectedResponder;
import ib.engine.qp.ControlPath;
import ib.engine.qp.QpCore;
import ib.engine.qp.QpHistory;
import ib.engine.qp.QpPath;
import ib.engine.qp.Ready;
import ib.engine.ring.ReceiveRing;
import ib.engine.ring.SendRing;
import ib.engine.run.Holder;
import ib.engine.run.RunList;
import ib.engine.wire.Route;
import ib.engine.wire.Syndrome;
import org.jspecify.annotations.Nullable;

/**
 * The control path of a queue pair. It claims the queue pair (a run is bounded, so that takes
 * bounded time), changes it, and then runs it once before it releases the claim, so that no work
 * that arrived meanwhile is lost. One object with the history, the exceptions and the run list of
 * the queue pair, so that a queue pair is small: requests that succeed touch the run list only.
 */
final class QpControl extends ControlPath {
  private static final int PASS_TRIES = 5_000;

  private QpAttr known = new QpAttr();

  QpControl(QpCore qp) {
    super(qp);
  }

  private QpSteps steps() {
    return (QpSteps) qp; // which has made this
  }

  private RunList enter(String what) {
    return enter(what, deadline());
  }

  /**
   * Claims the queue pair for the calling thread; throws {@link #stuck} when it is too late. Of
   * several callers one waits for the claim, and the others for that one.
   */
  private RunList enter(String what, long end) {
    boolean wants = false;
    boolean entered = false;
    try {
      for (int tries = 0; !entered; tries++) {
        wants = wants || qp.want();
        entered = wants && qp.tryClaimWanted();
        if (!entered && System.nanoTime() - end >= 0) {
          throw stuck(what);
        }
        if (!entered) {
          qp.hca.worker().pause(tries);
        }
      }
      qp.owner = qp.runList;
      qp.heldBy(Thread.currentThread().threadId());
      steps().sync();
      return qp.runList;
    } finally {
      if (wants && !entered) {
        giveUp();
      }
    }
  }

  /**
   * Withdraws the caller's wish for the claim. Runs the queue pair if work arrived meanwhile that
   * no other thread would see.
   */
  private void giveUp() {
    if (qp.unwant()) {
      qp.runList.run(qp);
    }
  }

  private IbTimedOutException stuck(String what) {
    return new IbTimedOutException(
        String.format("%s of QP 0x%06x", what, qp.qpn),
        "for 5 s the thread that holds its claim has not released it: " + Holder.text(qp),
        "report it with this text; the queue pair is lost");
  }

  private void leave(RunList run) {
    run.run(qp);
  }

  @Override
  public void modify(QpAttr attr, QpState to) {
    RunList run = enter("modify");
    try {
      Join.part(qp);
      if (qp.buried()) {
        qp.verbs.control().enterAnyContext("modify"); // the text says: closed, or disassociated
        throw Refusals.gone("modify");
      }
      QpState from = qp.state; // it may have failed since the core looked
      QpTransitions.check(qp.type, from, to, attr);
      Route route = ModifyCheck.check(qp, attr, from, to);
      if (to == QpState.RESET) {
        reset(run);
      } else {
        apply(attr, route);
        enter(from, to, attr);
      }
    } finally {
      qp.changed();
      leave(run);
    }
  }

  @Override
  public Link port(String method) {
    RunList run = enter(method);
    try {
      if (qp.state == QpState.RESET) {
        throw new IbInvalidException(method, "in RESET it belongs to no port", "INIT first");
      }
      return qp.port();
    } finally {
      leave(run);
    }
  }

  private void apply(QpAttr a, @Nullable Route route) {
    QpPath path = qp;
    if (qp.specialNumber() >= 0) {
      qp.port(qp.hca.port(qp.init.port()));
    }
    if (route != null && a.av() != null) {
      route(route);
      known.av(a.av());
    }
    for (QpAttrMask m : QpAttrMask.of(a.mask())) {
      switch (m) {
        case PKEY_INDEX -> known.pkeyIndex(path.pkeyIndex = a.pkeyIndex());
        case PORT -> {
          known.port(a.port());
          qp.port(qp.hca.port(a.port()));
        }
        case ACCESS_FLAGS -> known.accessFlags(path.access = a.accessFlags());
        case QKEY -> known.qkey(path.qkey = a.qkey());
        case PATH_MTU -> {
          known.pathMtu(a.pathMtu());
          path.mtu(a.pathMtu().bytes());
        }
        case DEST_QPN -> known.destQpn(path.destQpn = a.destQpn());
        case RQ_PSN -> known.rqPsn(a.rqPsn());
        case SQ_PSN -> known.sqPsn(a.sqPsn());
        case TIMEOUT -> {
          known.timeout(a.timeout());
          path.ackTimeoutNs = Syndrome.ackTimeoutNs(a.timeout());
        }
        case RETRY_CNT -> {
          known.retryCount(path.retryCount = a.retryCount());
          steps().requester.retries();
        }
        case RNR_RETRY -> {
          known.rnrRetry(path.rnrRetry = a.rnrRetry());
          steps().requester.retries();
        }
        case MIN_RNR_TIMER -> known.minRnrTimer(path.minRnrTimer = a.minRnrTimer());
        case MAX_QP_RD_ATOMIC -> known.maxRdAtomic(path.maxRdAtomic = a.maxRdAtomic());
        case MAX_DEST_RD_ATOMIC -> {
          known.maxDestRdAtomic(a.maxDestRdAtomic());
          if (qp.responder instanceof ConnectedResponder r) {
            r.resources(a.maxDestRdAtomic());
          }
        }
        case PATH_MIG_STATE -> known.pathMigState(a.pathMigState()); // kept: see Cap.AUTO_PATH_MIG
        case ALT_PATH -> alternate(a.altPath());
        case AV, STATE, CUR_STATE, EN_SQD_ASYNC_NOTIFY, CAP -> {
          // done above, below, or not in any rule of the table
        }
      }
    }
    Ready.granted(qp);
  }

  /** Sets the route. The requests executed directly so far count for the old service level. */
  private void route(Route route) {
    if (route.sl() != qp.sl) {
      qp.hca.takeCounts(qp);
    }
    qp.route(route);
  }

  /** Keeps the alternate path for queries; no path migrates here (Cap.AUTO_PATH_MIG). */
  private void alternate(@Nullable AltPath alt) {
    if (alt != null) {
      known.altPath(alt.av(), alt.pkeyIndex(), alt.port(), alt.timeout());
    }
  }

  private void enter(QpState from, QpState to, QpAttr a) {
    if (a.has(QpAttrMask.RQ_PSN) && qp.responder instanceof ConnectedResponder r) {
      r.psn(a.rqPsn());
    }
    if (a.has(QpAttrMask.SQ_PSN)) {
      steps().requester.psn(a.sqPsn());
    }
    if (to == QpState.SQD) {
      steps().requester.drain(a.has(QpAttrMask.EN_SQD_ASYNC_NOTIFY) && a.enSqdAsyncNotify());
    }
    if (to == QpState.ERR) {
      if (from != QpState.ERR) {
        qp.fail(null);
      }
    } else {
      qp.enter(to, QpHistory.ASKED);
    }
  }

  /** Enters RESET; discards all posted requests without completions (IBA 10.3.1.2). */
  private void reset(RunList run) {
    SendRing oldSends = qp.sends;
    ReceiveRing oldReceives = qp.receives;
    SendRing sends = qp.newSends(); // first: with too little memory nothing has happened
    ReceiveRing receives = qp.newReceives();
    qp.history.reset();
    qp.enter(QpState.RESET, QpHistory.ASKED);
    oldSends.seal(); // a late poster finds its request refused
    oldReceives.seal();
    sends.begin(oldSends.tail());
    receives.begin(oldReceives.tail());
    qp.sends = sends;
    qp.receives = receives;
    qp.history.forgive();
    steps().requester.reset();
    qp.responder.reset();
    qp.discardPackets(run);
    known = new QpAttr();
  }

  @Override
  public QpAttr query() {
    RunList run = enter("query");
    try {
      return known.copy().state(qp.state).curState(qp.state);
    } finally {
      leave(run);
    }
  }

  @Override
  public QpDiagnosis.Report diagnose(String device) {
    RunList run = enter("diagnose");
    try {
      long now = qp.hca.worker().now();
      qp.history.look(now, qp.value(HcaCounter.RCVD_PKTS));
      return QpDoctor.examine(qp, device, now);
    } finally {
      leave(run);
    }
  }

  @Override
  public QpDiagnosis.@Nullable Report kill(long end) {
    QpDiagnosis.Report last = null;
    RunList run;
    try {
      run = enter("close", end);
    } catch (IbTimedOutException e) {
      qp.die();
      throw e;
    }
    try {
      Join.part(qp);
      if (!qp.buried()) {
        last = last();
        finish(run);
      }
    } finally {
      steps().requester.end();
      qp.keys.clear();
      qp.bury();
      leave(run);
    }
    return last;
  }

  private QpDiagnosis.@Nullable Report last() {
    try {
      return QpDoctor.last(qp, qp.hca.worker().now());
    } catch (Throwable t) { // no memory for it: destroying goes on
      qp.history.caught(t);
      return null;
    }
  }

  /**
   * Flushes all accepted requests. Destroying must not throw: an exception here, for example
   * because memory is short, is counted and the flush goes on. After the last exception that {@link
   * QpCrash} allows, the queue pair ends without the completions that are still missing.
   */
  private void finish(RunList run) {
    boolean again = true;
    while (again) {
      try {
        if (qp.state != QpState.RESET) {
          qp.enter(QpState.ERR, QpHistory.REMOVED);
        }
        qp.history.begin(run); // counts what was caught
        Flusher.finish(steps(), run);
        letGo();
        again = false;
      } catch (Throwable t) {
        again = qp.history.caught(t);
      }
    }
  }

  /** Lets go of the rings: only a poster that was given up may still hold one. */
  private void letGo() {
    qp.sends = new SendRing(qp.sends);
    qp.receives = new ReceiveRing(qp.receives);
    steps().requester.reset();
    qp.responder.reset();
  }

  @Override
  public void passBy(long end) {
    if (qp.claimed()) {
      RunList run = enter("fence", end);
      leave(run);
    }
    for (int i = 0; i < PASS_TRIES && !qp.isIdle(); i++) {
      if (System.nanoTime() - end >= 0) {
        return;
      }
      qp.hca.worker().pause(i);
    }
  }
}
