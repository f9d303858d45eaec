package ib.engine.time;

import org.jspecify.annotations.Nullable;

/**
 * A timer of a queue pair or of a wire. Its owner starts it by handing it to the worker; the worker
 * computes when it is due, so the hot path reads no clock.
 */
public abstract class Timer {
  /** The next timer in the worker's inbox; for the inbox. */
  public @Nullable Timer next;

  private long dueNs;

  /** For queue pairs and wires. */
  protected Timer() {}

  /** {@return nanoseconds to wait, read when the worker takes it over} */
  protected abstract long durationNs();

  /** Called by the worker when it is due; must not block. */
  protected abstract void expired();

  /** {@return whether nobody is interested any more} */
  public abstract boolean cancelled();

  final long dueNs() {
    return dueNs;
  }

  final void dueNs(long value) {
    dueNs = value;
  }
}
