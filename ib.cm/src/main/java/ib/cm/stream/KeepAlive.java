package ib.cm.stream;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Looks for the peer of a stream again and again, on a virtual thread, until it is stopped. */
final class KeepAlive {
  private final Thread thread;
  private volatile boolean stopped;

  /**
   * Prepares the looks.
   *
   * @param every how far they are apart
   * @param look looks; says whether to go on
   */
  KeepAlive(Duration every, BooleanSupplier look) {
    long ns = every.toNanos();
    thread =
        Thread.ofVirtual()
            .name("keepalive of a stream")
            .unstarted(
                () -> {
                  boolean more = true;
                  while (more) {
                    more = passes(ns) && look.getAsBoolean();
                  }
                });
  }

  void start() {
    thread.start();
  }

  /** Ends the looks; one that has begun goes on to its end. */
  void stop() {
    stopped = true;
    LockSupport.unpark(thread);
  }

  /** {@return whether the looks have ended} Waits for it so long, for tests. */
  boolean ends(Duration within) throws InterruptedException {
    return thread.join(within);
  }

  /** {@return whether the time has passed without a stop} */
  private boolean passes(long ns) {
    long begun = System.nanoTime();
    long left = ns;
    while (left > 0 && !stopped) {
      LockSupport.parkNanos(this, left);
      left = ns - (System.nanoTime() - begun);
    }
    return !stopped;
  }
}
