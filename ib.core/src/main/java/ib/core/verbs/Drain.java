package ib.core.verbs;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Waits until a queue pair in ERR has completed everything (kernel: ib_drain_qp, B20). */
final class Drain {
  private static final long LIMIT_NS = TimeUnit.SECONDS.toNanos(60);
  private static final long PAUSE_NS = TimeUnit.MICROSECONDS.toNanos(50);

  private Drain() {}

  static void drain(QueuePair qp) {
    if (qp.state() == QpState.RESET) {
      return; // nothing can have been posted
    }
    if (qp.state() != QpState.ERR) {
      qp.modify(new QpAttr().state(QpState.ERR));
    }
    long start = System.nanoTime();
    boolean interrupted = false;
    while (qp.outstanding() > 0) {
      if (System.nanoTime() - start > LIMIT_NS) {
        throw new IbTimedOutException(
            qp + ".drain",
            qp.outstanding() + " requests did not complete in 60 s",
            "report the driver");
      }
      LockSupport.parkNanos(PAUSE_NS);
      interrupted |= Thread.interrupted();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
