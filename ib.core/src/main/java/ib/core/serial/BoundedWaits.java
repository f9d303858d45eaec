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
 * Bounded waits without a wait-for graph, for code that has no midlayer. A waiting thread checks
 * again after 50 µs to 10 ms; the thread that ends the wait does nothing for it, and may run in any
 * context.
 */
public final class BoundedWaits implements Waits {
  private static final Logger LOG = LoggerFactory.getLogger("ib.core.wait");
  private static final long MIN_PAUSE_NS = TimeUnit.MICROSECONDS.toNanos(50);
  private static final long MAX_PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(1);
  private static final long LATE_NS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final long PAUSE_LATE_NS = TimeUnit.MILLISECONDS.toNanos(10);
  private static final long REPORT_NS = TimeUnit.SECONDS.toNanos(10);

  /** Makes waits that do not know the waits of other threads. */
  public BoundedWaits() {}

  @Override
  public End await(Target target, Rank rank, long limitNs) {
    List<Thread> cycle = new ArrayList<>();
    Thread me = Thread.currentThread();
    target.holders(t -> cycle.addAll(t.equals(me) ? List.of(me, me) : List.of()));
    return poll(target, () -> cycle.isEmpty() ? null : cycle, limitNs);
  }

  /**
   * Checks repeatedly until the wait is over; the loop of every implementation.
   *
   * @param target what the caller waits for
   * @param givenUp returns the cycle because of which the wait is refused, or null
   * @param limitNs how long to wait at most, in nanoseconds
   * @return how the wait ended
   */
  public static End poll(
      Target target, Supplier<? extends @Nullable List<Thread>> givenUp, long limitNs) {
    long start = System.nanoTime();
    long report = REPORT_NS;
    long pause = MIN_PAUSE_NS;
    boolean interrupted = false;
    End end = look(target, givenUp);
    for (long waited = 0; end == null && waited < limitNs; waited = System.nanoTime() - start) {
      if (waited > report) {
        long s = TimeUnit.NANOSECONDS.toSeconds(waited);
        LOG.warn("waiting for {} since {} s; {}", target.text(), s, whereabouts(target));
        report += REPORT_NS;
      }
      LockSupport.parkNanos(pause);
      pause = Math.min(2 * pause, waited < LATE_NS ? MAX_PAUSE_NS : PAUSE_LATE_NS);
      if (Thread.interrupted()) {
        interrupted = true;
        target.interrupted();
      }
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
    return lines.isEmpty() ? "no thread holds it" : String.join("\n", lines);
  }
}
