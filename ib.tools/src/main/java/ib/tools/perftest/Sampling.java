package ib.tools.perftest;

import java.util.concurrent.TimeUnit;

/**
 * Counts the messages of a run with a time limit, without the first and the last quarter of the
 * time. Before {@link #begin} it counts nothing and the time is not over. For the run's thread
 * only.
 */
final class Sampling {
  final boolean timed;
  private final long lengthNs;
  private final long marginNs;
  private boolean begun;
  private long start;
  private long counted;

  Sampling(int seconds) {
    timed = seconds > 0;
    lengthNs = TimeUnit.SECONDS.toNanos(seconds);
    marginNs = TimeUnit.SECONDS.toNanos(seconds / 4); // whole seconds, as in the original
  }

  /** Begins the time at the first call. */
  void begin() {
    if (timed && !begun) {
      begun = true;
      start = System.nanoTime();
    }
  }

  /** {@return whether the time is over} */
  boolean over() {
    return begun && System.nanoTime() - start >= lengthNs;
  }

  /** Counts messages that are complete now. */
  void count(int messages) {
    if (begun) {
      long at = System.nanoTime() - start;
      if (at >= marginNs && at < lengthNs - marginNs) {
        counted += messages;
      }
    }
  }

  /** {@return the number of counted messages} */
  long counted() {
    return counted;
  }

  /** {@return the time in ns in which messages are counted} */
  double ns() {
    return lengthNs - 2.0 * marginNs;
  }
}
