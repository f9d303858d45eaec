package ib.engine.packet.send;

import ib.core.verbs.SendFlags;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WrOpcode;
import ib.engine.mr.Key;
import ib.engine.mr.KeyTable;
import ib.engine.mr.Region;
import ib.engine.mr.Window;
import ib.engine.qp.Invalidation;
import ib.engine.qp.QpCore;
import ib.engine.qp.SendState;
import ib.engine.ring.SendWords;
import ib.engine.run.RunList;
import org.jspecify.annotations.Nullable;

/**
 * Executes the send requests that need no packet: memory management (IBA 10.6, 11.4.1). Only the
 * thread that holds the queue pair's claim may call these methods.
 */
final class LocalWork {
  private static final int OP_LOCAL_INV = WrOpcode.LOCAL_INV.value();
  private static final int OP_BIND_MW = WrOpcode.BIND_MW.value();

  private LocalWork() {}

  /**
   * Whether the requester must be run again soon, because no event announces the end of what it
   * waits for: the copies of other queue pairs. The budget bounds how long this call asks for that.
   */
  static boolean insists(QpCore qp, RunList run) {
    boolean unsettled = qp.sending.localUnsettled;
    if (unsettled) {
      Thread.onSpinWait();
      run.spend(0);
    }
    return unsettled;
  }

  /**
   * Executes a request, once.
   *
   * @return SUCCESS, a memory management operation error (IBA 11.6.2), or null while other queue
   *     pairs are in the middle of a copy through what was taken away
   */
  static @Nullable WcStatus start(QpCore qp, SendWords s, int b) {
    SendState r = qp.sending;
    WcStatus status = r.localExecuted ? WcStatus.SUCCESS : execute(qp, s, b);
    if (status != WcStatus.SUCCESS) {
      return status;
    }
    r.localUnsettled = !settled(qp, s, b);
    r.localExecuted = r.localUnsettled;
    return r.localUnsettled ? null : status;
  }

  /**
   * Whether a request must wait: an invalidation until everything before it is complete, since what
   * it takes away may be asked for again until then (IBA 10.8.3.3, local invalidate fence); others
   * when they are fenced.
   */
  static boolean waits(QpCore qp, SendWords s, int b, long index) {
    return isLast(s, b)
        ? qp.sending.head() != index
        : (s.flags(b) & SendFlags.FENCE) != 0 && qp.sending.readsOut > 0;
  }

  /** Whether a request is executed only when all before it are complete. */
  static boolean isLast(SendWords s, int b) {
    return s.opcode(b) == OP_LOCAL_INV;
  }

  private static WcStatus execute(QpCore qp, SendWords s, int b) {
    boolean done;
    int opcode = s.opcode(b);
    if (opcode == OP_LOCAL_INV) {
      done = Invalidation.local(qp, s.immData(b));
    } else if (opcode == OP_BIND_MW) {
      @Nullable Region to =
          object(qp.hca.lkeys(), s.immData(b)) instanceof Region region ? region : null;
      long at = s.remoteAddress(b);
      done =
          object(qp.hca.rkeys(), s.object(b)) instanceof Window window
              && window.bind(qp, to, s.rkey(b), at, s.memoryLength(b), s.access(b));
    } else {
      done =
          object(qp.hca.rkeys(), s.object(b)) instanceof Region region
              && region.register(qp, s.rkey(b), s.access(b));
    }
    return done ? WcStatus.SUCCESS : WcStatus.MW_BIND_ERR;
  }

  private static boolean settled(QpCore qp, SendWords s, int b) {
    int opcode = s.opcode(b);
    if (opcode == OP_LOCAL_INV) {
      return Invalidation.settled(qp, s.immData(b));
    }
    return opcode != OP_BIND_MW
        || !(object(qp.hca.rkeys(), s.object(b)) instanceof Window window)
        || window.settled();
  }

  /** The window or region of a key, as long as it is there. */
  private static @Nullable Object object(KeyTable keys, int number) {
    Key key = keys.find(number);
    return key == null ? null : key.object();
  }
}
