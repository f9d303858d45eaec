package ib.ulp.ipoib.loop;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Says what may happen at any rate, because others cause it, once a minute at most: the first one,
 * and later how many there were meanwhile. From any thread.
 */
public final class SparseLog {
  /** Between two lines. */
  public static final long PAUSE_NS = 60_000_000_000L;

  private final Logger log;
  private final LongSupplier clock;
  private final AtomicLong nextNs;
  private final AtomicLong untold = new AtomicLong();

  /**
   * Makes one that has said nothing yet.
   *
   * @param clock nanoseconds
   */
  public SparseLog(Logger log, LongSupplier clock) {
    this.log = log;
    this.clock = clock;
    nextNs = new AtomicLong(clock.getAsLong());
  }

  /**
   * Warns, unless it has done so within the last minute.
   *
   * @param text what has happened
   * @param why the exception, with its stack; null for none
   */
  public void warn(String text, @Nullable Throwable why) {
    long now = clock.getAsLong();
    long next = nextNs.get();
    if (now - next < 0 || !nextNs.compareAndSet(next, now + PAUSE_NS)) {
      untold.incrementAndGet();
      return;
    }
    long before = untold.getAndSet(0);
    log.warn(before == 0 ? text : text + " (and " + before + " more since the last line)", why);
  }
}
