package ib.core.internal.event;

import java.util.concurrent.TimeUnit;

/**
 * Sizes and times of the event path.
 *
 * @param queueCapacity how many events of a device may wait for the dispatcher, 2 to 2^20; rounded
 *     up to a power of two
 * @param handlerCapacity how many events may wait for a typed handler, 1 to 2^20
 * @param returnTimeoutNs after how many nanoseconds the dispatcher hands an event that the bus has
 *     not given back to the typed handlers itself, at least 1
 * @param refreshRetryNs after how many nanoseconds a failed refresh of the caches is repeated, at
 *     least 1
 */
public record EventConfig(
    int queueCapacity, int handlerCapacity, long returnTimeoutNs, long refreshRetryNs) {
  private static final int CAPACITY_MAX = 1 << 20;

  /** 1,024 events each, 250 ms, 1 s (D8). */
  public static final EventConfig DEFAULT =
      new EventConfig(1024, 1024, TimeUnit.MILLISECONDS.toNanos(250), TimeUnit.SECONDS.toNanos(1));

  /** Checks the ranges. */
  public EventConfig {
    if (queueCapacity < 2 || queueCapacity > CAPACITY_MAX) {
      throw new IllegalArgumentException("queueCapacity " + queueCapacity + ": 2 to 1048576");
    }
    if (handlerCapacity < 1 || handlerCapacity > CAPACITY_MAX) {
      throw new IllegalArgumentException("handlerCapacity " + handlerCapacity + ": 1 to 1048576");
    }
    if (returnTimeoutNs < 1 || refreshRetryNs < 1) {
      throw new IllegalArgumentException(
          "times must be at least 1 ns: " + returnTimeoutNs + ", " + refreshRetryNs);
    }
  }
}
