package ib.engine.qp;

import ib.core.verbs.Cqe;
import ib.core.verbs.SendFlags;
import ib.core.verbs.WcStatus;
import ib.engine.link.HcaCounter;
import ib.engine.ring.SendRing;
import ib.engine.ring.SendWqe;
import ib.engine.run.RunList;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * Puts the completions of send requests into their queue, in order. Only the thread that holds the
 * queue pair's claim calls in.
 */
final class SendCompletions {
  private static final VarHandle UNDER_WAY;

  static {
    try {
      UNDER_WAY =
          MethodHandles.lookup().findVarHandle(SendCompletions.class, "underWay", boolean.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final QpCore qp;

  @SuppressWarnings("unused") // used through UNDER_WAY
  private boolean underWay;

  private int silent; // completed without a completion, their slots not given back yet

  SendCompletions(QpCore qp) {
    this.qp = qp;
  }

  /** Whether a request has left its ring and its completion is not there yet; any thread. */
  boolean underWay() {
    return (boolean) UNDER_WAY.getAcquire(this);
  }

  /**
   * Frees the slots of requests that completed without an entry to poll; called at the end of each
   * run.
   */
  void settle(SendRing ring) {
    if (silent > 0) {
      ring.release(silent);
      silent = 0;
    }
  }

  /** Completes a request; unsignaled ones silently, unless they failed (IBA 10.7.3.1). */
  void push(RunList run, SendRing ring, SendWqe w, long index, WcStatus status, int syndrome) {
    boolean told =
        status != WcStatus.SUCCESS || qp.signalAll || (w.flags & SendFlags.SIGNALED) != 0;
    long wrId = w.wrId;
    @Nullable Cqe cqe = w.cqe;
    int opcode = w.opcode;
    boolean fetches = (Verb.what(opcode) & (Verb.READ | Verb.ATOMIC)) != 0;
    int bytes = fetches && status == WcStatus.SUCCESS ? (int) w.length : 0;
    if (status == WcStatus.SUCCESS) {
      qp.count(HcaCounter.RDMA_SENDS);
    }
    UNDER_WAY.setRelease(this, true); // for a drain, which must not miss it
    try {
      ring.retire(index); // before the completion: a thread that polls it finds a free slot
      if (told) {
        settle(ring); // a thread that polls it finds the slots before it free
        qp.sendCq.push(
            run,
            wrId,
            status,
            Verb.completed(opcode),
            0,
            syndrome,
            bytes,
            0,
            qp.qpn,
            0,
            0,
            0,
            cqe,
            false);
      }
      if (!told || qp.releasesAtOnce()) {
        silent++;
      }
    } finally {
      UNDER_WAY.setRelease(this, false);
    }
  }
}
