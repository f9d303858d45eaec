package ib.core.serial;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Waits that end, without a graph: where there is no midlayer. A wait looks again after 50 µs to 10
 * ms, so that who ends it has nothing to do for it, and may do so from any context.
 */
public final class BoundedWaits implements Waits {
  private static final Logger LOG = LoggerFactory.getLogger("ib.core.wait");
  private static final long PAUSE_LEAST_NS = TimeUnit.MICROSECONDS.toNanos(50);
  private static final long PAUSE_MOST_NS = TimeUnit.MILLISECONDS.toNanos(1);
  private static final long LATE_NS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final long PAUSE_LATE_NS = TimeUnit.MILLISECONDS.toNanos(10);
  private static final long REPORT_NS = TimeUnit.SECONDS.toNanos(10);

  /** Waits of nobody else are known. */
  public BoundedWaits() {}

  @Override
  public End await(Target target, Rank rank, long limitNs) {
    List<Thread> cycle = new ArrayList<>();
    Thread me = Thread.currentThread();
    target.holders(t -> cycle.addAll(t.equals(me) ? List.of(me, me) : List.of()));
    return poll(target, () -> cycle.isEmpty() ? null : cycle, limitNs);
  }

  /**
   * Looks until the wait is over; the loop of every implementation.
   *
   * @param target what is waited for
   * @param givenUp the cycle for which the wait was given up, or null as long as it was not
   * @param limitNs how long at the most, nanoseconds
   * @return how it ended
   */
  public static End poll(
      Target target, Supplier<? extends @Nullable List<Thread>> givenUp, long limitNs) {
    long start = System.nanoTime();
    long report = REPORT_NS;
    long pause = PAUSE_LEAST_NS;
    boolean interrupted = false;
    End end = look(target, givenUp);
    for (long waited = 0; end == null && waited < limitNs; waited = System.nanoTime() - start) {
      if (waited > report) {
        long s = TimeUnit.NANOSECONDS.toSeconds(waited);
        LOG.warn("waiting for {} since {} s; {}", target.text(), s, whereabouts(target));
        report += REPORT_NS;
      }
      LockSupport.parkNanos(pause);
      pause = Math.min(2 * pause, waited < LATE_NS ? PAUSE_MOST_NS : PAUSE_LATE_NS);
      interrupted |= Thread.interrupted();
      end = look(target, givenUp);
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return end == null ? End.TIMEOUT : end;
  }

  private static @Nullable End look(
      Target target, Supplier<? extends @Nullable List<Thread>> givenUp) {
    if (target.over()) {
      return End.DONE;
    }
    List<Thread> cycle = givenUp.get();
    return cycle == null ? null : End.of(cycle);
  }

  private static String whereabouts(Target target) {
    List<String> lines = new ArrayList<>();
    target.holders(
        t -> {
          lines.add("thread " + t.getName());
          for (StackTraceElement f : t.getStackTrace()) {
            lines.add("  at " + f);
          }
        });
    return lines.isEmpty() ? "no thread has it" : String.join("\n", lines);
  }
}
