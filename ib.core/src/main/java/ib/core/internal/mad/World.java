package ib.core.internal.mad;

/** Time and threads of the management layers: the seam by which a test replaces both. */
public interface World {
  /** Something that happens later, unless cancelled. */
  @FunctionalInterface
  interface Alarm {
    /** Makes it not happen, if it has not yet. */
    void cancel();
  }

  /**
   * Runs something later, on a thread that must not be held up.
   *
   * @param delayNs in nanoseconds
   * @param what short
   * @return to cancel it
   */
  Alarm after(long delayNs, Runnable what);

  /**
   * Runs something soon, on a thread that may sleep, never on the caller's stack.
   *
   * @param what whatever
   */
  void execute(Runnable what);
}
