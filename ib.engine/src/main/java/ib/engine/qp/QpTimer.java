package ib.engine.qp;

import ib.engine.time.Timer;
import org.jspecify.annotations.Nullable;

/**
 * One of the two timers of a queue pair: acknowledgement (IBA 9.9.2.1.3) or RNR wait (IBA
 * 9.7.5.2.8).
 */
public final class QpTimer extends Timer {
  private final QpCore qp;
  private final int bit;
  private volatile boolean cancelled;

  /** How long; set by the holder of the queue pair's claim before it starts the timer. */
  long waitNs;

  /** Whether the worker has it; for the holder of the queue pair's claim. */
  boolean running;

  public QpTimer(QpCore qp, int bit) {
    this.qp = qp;
    this.bit = bit;
  }

  /** Hands it to the worker; for the holder of the queue pair's claim. */
  public void start(long ns) {
    waitNs = ns;
    running = true;
    qp.hca.worker().start(this);
  }

  /** {@return whether the worker has it; not when it was never made} */
  public static boolean isRunning(@Nullable QpTimer timer) {
    return timer != null && timer.running;
  }

  /** Notes that the worker no longer has it. */
  public static void ended(@Nullable QpTimer timer) {
    if (timer != null) {
      timer.running = false;
    }
  }

  /** Cancels one for good, if it was made. */
  public static void cancel(@Nullable QpTimer timer) {
    if (timer != null) {
      timer.cancel();
    }
  }

  /** Cancels the timer for good: a queue pair that is reset makes new timers. */
  public void cancel() {
    cancelled = true;
    if (running) {
      qp.hca.worker().purge();
    }
  }

  @Override
  protected long durationNs() {
    return waitNs;
  }

  @Override
  protected void expired() {
    if (!cancelled) {
      qp.signal(bit, qp.hca.worker().runList());
    }
  }

  @Override
  public boolean cancelled() {
    return cancelled;
  }
}
