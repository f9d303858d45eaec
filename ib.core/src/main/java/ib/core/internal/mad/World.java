package ib.core.internal.mad;

import org.jspecify.annotations.Nullable;

/** Time and threads of the management layers: the seam by which a test replaces both. */
public interface World {
  /** A task that runs later, unless it is cancelled. */
  @FunctionalInterface
  interface Alarm {
    /** Cancels the task, if it has not run yet. */
    void cancel();
  }

  /**
   * Cancels an alarm, if there is one.
   *
   * @param alarm the alarm, or null
   * @return null, for the field that held the alarm
   */
  static @Nullable Alarm cancelled(@Nullable Alarm alarm) {
    if (alarm != null) {
      alarm.cancel();
    }
    return null;
  }

  /**
   * Runs a task later, on a thread that the task must not block.
   *
   * @param delayNs the delay in nanoseconds
   * @param what the task; it must be short
   * @return an alarm that cancels the task
   */
  Alarm after(long delayNs, Runnable what);

  /**
   * Runs something soon, on a thread that may sleep, never on the caller's stack.
   *
   * @param what whatever
   */
  void execute(Runnable what);
}
