package ib.driver.rxe.udp;

/**
 * The rest of the thread that looks after a wire each second. A thread that leaves that thread
 * something to do calls {@link #end} afterwards; the looking thread calls {@link #begin} before it
 * looks for something to do. One of the two sees the other, so no work waits for a resting thread.
 * Any thread may call {@code end}, which does not block and wakes the looking thread once per rest.
 */
final class Rest {
  private volatile boolean resting;
  private volatile Runnable wake = () -> {};

  /** Sets what wakes the looking thread; it must not block. */
  void wake(Runnable how) {
    wake = how;
  }

  /** The calling thread will rest, unless it finds something to do. */
  void begin() {
    resting = true;
  }

  /** Ends the rest, because the looking thread may have something to do. */
  void end() {
    if (resting) {
      resting = false;
      wake.run();
    }
  }
}
