package ib.engine.qp;

import ib.core.verbs.WcStatus;
import ib.core.verbs.WrOpcode;
import ib.engine.ring.SendWqe;
import org.jspecify.annotations.Nullable;

/** Executes the send requests that need no packet: memory management (IBA 10.6, 11.4.1). */
final class LocalWork {
  private static final int OP_LOCAL_INV = WrOpcode.LOCAL_INV.value();
  private static final int OP_BIND_MW = WrOpcode.BIND_MW.value();

  private LocalWork() {}

  /**
   * Whether it waits until everything before it is complete: what it takes away may be asked for
   * again until then (IBA 10.8.3.3, local invalidate fence).
   */
  static boolean comesLast(SendWqe w) {
    return w.opcode == OP_LOCAL_INV;
  }

  /** {@return SUCCESS, or a memory management operation error (IBA 11.6.2)} */
  static WcStatus execute(QpCore qp, SendWqe w) {
    boolean done;
    if (w.opcode == OP_LOCAL_INV) {
      done = Invalidation.local(qp, w.immData);
    } else if (w.opcode == OP_BIND_MW) {
      @Nullable SoftMr region = w.boundRegion instanceof SoftMr mr ? mr : null;
      done =
          w.memory instanceof SoftMw window
              && window.bind(qp, region, w.rkey, w.remoteAddress, w.memoryLength, w.access);
    } else {
      done = w.memory instanceof SoftMr mr && mr.register(qp, w.rkey, w.access);
    }
    return done ? WcStatus.SUCCESS : WcStatus.MW_BIND_ERR;
  }

  /** Whether no other queue pair is in the middle of a copy through what was taken away. */
  static boolean settled(QpCore qp, SendWqe w) {
    if (w.opcode == OP_LOCAL_INV) {
      return Invalidation.settled(qp, w.immData);
    }
    return !(w.memory instanceof SoftMw window) || window.settled();
  }
}
