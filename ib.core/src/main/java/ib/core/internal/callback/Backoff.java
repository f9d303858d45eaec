package ib.core.internal.callback;

import ib.core.verbs.MaySleep;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Waits for something that is nearly always true at once: spins, then looks again after 50 µs to 1
 * ms. Who makes it true has nothing to do for it, so it may do so from any context.
 */
public final class Backoff {
  private static final Logger LOG = LoggerFactory.getLogger("ib.core.wait");
  private static final int SPINS = 100;
  private static final long PAUSE_LEAST_NS = TimeUnit.MICROSECONDS.toNanos(50);
  private static final long PAUSE_MOST_NS = TimeUnit.MILLISECONDS.toNanos(1);
  private static final long REPORT_NS = TimeUnit.SECONDS.toNanos(10);

  private Backoff() {}

  /**
   * Waits; interrupts do not end it (contract 2.6, 8c), the flag is restored.
   *
   * @param condition what is waited for
   * @param what for the log line that appears every 10 s
   * @param limitNs how long at the most, {@link Long#MAX_VALUE} for as long as it takes
   * @return whether the condition holds; false after the limit
   */
  @MaySleep
  public static boolean await(BooleanSupplier condition, String what, long limitNs) {
    for (int i = 0; i < SPINS; i++) {
      if (condition.getAsBoolean()) {
        return true;
      }
      Thread.onSpinWait();
    }
    long start = System.nanoTime();
    long report = REPORT_NS;
    long pause = PAUSE_LEAST_NS;
    boolean interrupted = false;
    boolean holds = condition.getAsBoolean();
    for (long waited = 0; !holds && waited < limitNs; waited = System.nanoTime() - start) {
      if (waited > report) {
        LOG.warn("waiting for {} since {} s", what, TimeUnit.NANOSECONDS.toSeconds(waited));
        report += REPORT_NS;
      }
      LockSupport.parkNanos(pause);
      pause = Math.min(2 * pause, PAUSE_MOST_NS);
      interrupted |= Thread.interrupted();
      holds = condition.getAsBoolean();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return holds;
  }
}
