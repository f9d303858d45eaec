package ib.core.internal.hotplug;

import java.util.concurrent.TimeUnit;

/**
 * How long a callback may take (CC-19, F19, F20).
 *
 * @param reportNs after which time the callback is reported
 * @param deadlineNs after which time the callback's client is revoked, if a thread waits for a
 *     fence; a wait for another operation ends after this time
 */
public record Limits(long reportNs, long deadlineNs) {
  /** 10 s and 60 s. */
  public static final Limits DEFAULT =
      new Limits(TimeUnit.SECONDS.toNanos(10), TimeUnit.SECONDS.toNanos(60));

  /** Checks the order of the two. */
  public Limits {
    if (reportNs <= 0 || deadlineNs < reportNs) {
      throw new IllegalArgumentException("report " + reportNs + ", deadline " + deadlineNs);
    }
  }
}
