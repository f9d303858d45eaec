package ib.core.internal.mad;

import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.concurrent.TimeUnit;

/** Time that only passes when nothing is left to do, and one thread: the caller of run. */
public final class VirtualWorld implements World {
  private static final class Due {
    final long atNs;
    final long sequence;
    final Runnable what;
    boolean cancelled;

    Due(long atNs, long sequence, Runnable what) {
      this.atNs = atNs;
      this.sequence = sequence;
      this.what = what;
    }
  }

  private final PriorityQueue<Due> due =
      new PriorityQueue<>(
          Comparator.<Due>comparingLong(d -> d.atNs).thenComparingLong(d -> d.sequence));
  private long nowNs;
  private long sequence;

  /** Nothing is to be done. */
  public VirtualWorld() {}

  @Override
  public Alarm after(long delayNs, Runnable what) {
    Due d = new Due(nowNs + delayNs, sequence++, what);
    due.add(d);
    return () -> {
      d.cancelled = true;
      due.remove(d);
    };
  }

  @Override
  public void execute(Runnable what) {
    after(0, what);
  }

  /** {@return milliseconds since the start} */
  public long nowMs() {
    return TimeUnit.NANOSECONDS.toMillis(nowNs);
  }

  /** Runs until nothing is due, or that time has come. */
  public void runUntilMs(long endMs) {
    while (!due.isEmpty() && due.peek().atNs <= TimeUnit.MILLISECONDS.toNanos(endMs)) {
      Due d = due.poll();
      nowNs = d.atNs;
      if (!d.cancelled) {
        d.what.run();
      }
    }
    nowNs = Math.max(nowNs, TimeUnit.MILLISECONDS.toNanos(endMs));
  }

  /** Runs for a while. */
  public void runMs(long ms) {
    runUntilMs(nowMs() + ms);
  }

  /** {@return whether nothing at all is planned: an idle layer has no timer} */
  public boolean idle() {
    return due.isEmpty();
  }
}
