package ib.engine.time;

import org.jspecify.annotations.Nullable;

/**
 * A timer of a queue pair or of a wire, which starts it by handing it to the worker. The worker
 * computes when it is due, so the data path reads no clock.
 */
public abstract class Timer {
  /** The next timer in the worker's inbox; for the worker only. */
  public @Nullable Timer next;

  private long dueNs;

  /** For queue pairs and wires. */
  protected Timer() {}

  /** {@return nanoseconds until the timer is due, read when the worker takes it from the inbox} */
  protected abstract long durationNs();

  /** Called by the worker when the timer is due; must not block. */
  protected abstract void expired();

  /** {@return whether the timer is no longer needed} */
  public abstract boolean cancelled();

  final long dueNs() {
    return dueNs;
  }

  final void dueNs(long value) {
    dueNs = value;
  }
}
