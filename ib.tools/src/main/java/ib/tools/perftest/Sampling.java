package ib.tools.perftest;

import java.util.concurrent.TimeUnit;

/**
 * The time of a run that goes by time: a quarter of it at each end does not count. Not begun, it
 * counts nothing and is not over.
 */
final class Sampling {
  private final boolean timed;
  private final long lengthNs;
  private final long marginNs;
  private boolean begun;
  private long start;
  private long counted;

  Sampling(int seconds) {
    timed = seconds > 0;
    lengthNs = TimeUnit.SECONDS.toNanos(seconds);
    marginNs = TimeUnit.SECONDS.toNanos(seconds / 4); // whole seconds, as the original's
  }

  boolean timed() {
    return timed;
  }

  /** Begins, once. */
  void begin() {
    if (timed && !begun) {
      begun = true;
      start = System.nanoTime();
    }
  }

  /** {@return whether the time has run out} */
  boolean over() {
    return begun && System.nanoTime() - start >= lengthNs;
  }

  /** So many messages are complete now. */
  void count(int messages) {
    if (begun) {
      long at = System.nanoTime() - start;
      if (at >= marginNs && at < lengthNs - marginNs) {
        counted += messages;
      }
    }
  }

  /** {@return how many messages counted} */
  long counted() {
    return counted;
  }

  /** {@return in which time they were} */
  double ns() {
    return lengthNs - 2.0 * marginNs;
  }
}
