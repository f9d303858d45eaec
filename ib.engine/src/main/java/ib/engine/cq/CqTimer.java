package ib.engine.cq;

import ib.engine.run.Worker;
import ib.engine.time.Timer;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A timer of a completion queue, at most once with the worker however many threads start it. Data
 * path, any thread.
 */
abstract class CqTimer extends Timer {
  private final Worker worker;
  private final AtomicBoolean running = new AtomicBoolean(); // the worker has it
  private volatile boolean cancelled;

  CqTimer(Worker worker) {
    this.worker = worker;
  }

  /** Called by the worker when the time is over; may start it anew. */
  abstract void over();

  /** Starts it unless it runs. */
  final void start() {
    if (!running.get() && running.compareAndSet(false, true)) {
      worker.start(this);
    }
  }

  /** Cancels a timer for good, if it was made, because the completion queue is being closed. */
  static void cancel(@Nullable CqTimer timer) {
    if (timer != null) {
      timer.cancelled = true;
      if (timer.running.get()) {
        timer.worker.purge();
      }
    }
  }

  @Override
  protected final void expired() {
    running.set(false); // before the look at the queue: what comes after it starts the timer anew
    if (!cancelled) {
      over();
    }
  }

  @Override
  public final boolean cancelled() {
    return cancelled;
  }
}
