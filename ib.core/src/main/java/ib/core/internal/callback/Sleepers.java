package ib.core.internal.callback;

import ib.core.serial.Waits;
import ib.core.verbs.AnyContext;
import ib.core.verbs.CompHandler;
import ib.core.verbs.CompletionNotifier;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.IbDisassociatedException;
import ib.core.verbs.IbException;
import ib.core.verbs.IbInterruptedException;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.IbOverrunException;
import ib.core.verbs.IbTimedOutException;
import ib.core.verbs.MaySleep;
import ib.core.verbs.NotifyFlags;
import ib.core.verbs.PostStatus;
import ib.core.verbs.WorkCompletion;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The threads that sleep until a queue that is only polled has a completion. A thread enters before
 * it arms the queue, so a notification wakes all that polled before it came (B7).
 */
final class Sleepers implements CompletionNotifier, CompHandler {
  private static final int ARM = NotifyFlags.NEXT_COMP | NotifyFlags.REPORT_MISSED_EVENTS;
  private static final long NAP_NS = TimeUnit.SECONDS.toNanos(5); // less than a wait is logged for

  private final List<Sleep> asleep = new CopyOnWriteArrayList<>();

  @Override
  public void notifyCompletion(CompletionQueue cq) {
    asleep.forEach(Sleep::end); // allocates nothing, takes no lock
  }

  /** As the driver's handler; a driver that finds it makes notifications possible. */
  @Override
  public void complete(CompletionQueue cq, @Nullable Object context) {
    notifyCompletion(cq);
  }

  @Override
  public int processDirect(CompletionQueue cq, int budget) {
    return PostStatus.INVALID;
  }

  @Override
  @MaySleep
  public int await(CompletionQueue cq, WorkCompletion[] into, Duration limit) {
    long start = System.nanoTime();
    long limitNs = TimeUnit.NANOSECONDS.convert(limit);
    int n = cq.poll(into, into.length);
    while (n == 0) {
      cq.control().enterAnyContext("await"); // throws when it is closed, or its client has gone
      long left = limitNs - (System.nanoTime() - start);
      if (left <= 0) {
        throw new IbTimedOutException(
            cq + ".await",
            "no completion in " + limit,
            "was the request posted with SIGNALED? ib:why has the state of the queue pair");
      }
      nap(cq, Math.min(left, NAP_NS));
      n = cq.poll(into, into.length);
    }
    if (n < 0) {
      throw failure(cq, n);
    }
    return n;
  }

  private void nap(CompletionQueue cq, long ns) {
    Sleep sleep = new Sleep(cq, Thread.currentThread());
    asleep.add(sleep);
    try {
      if (cq.requestNotify(ARM) == PostStatus.OK) {
        Waits.of(cq.device()).await(sleep, Waits.Rank.THROWS, ns);
      }
    } finally {
      asleep.remove(sleep);
    }
    if (Thread.currentThread().isInterrupted()) {
      throw new IbInterruptedException(cq + ".await", "the thread was interrupted", "");
    }
  }

  private static IbException failure(CompletionQueue cq, int status) {
    cq.control().enterAnyContext("await");
    String what = cq + ".await";
    return switch (status) {
      case PostStatus.OVERRUN ->
          new IbOverrunException(
              what,
              "the queue has overrun, and completions were lost",
              "a queue with more entries, or fewer signaled requests");
      case PostStatus.GONE ->
          new IbDisassociatedException(what, "the device has gone", "a handle of the device now");
      default -> new IbInvalidException(what, PostStatus.text(status), "report the driver");
    };
  }

  /** One thread's sleep; no thread of this JVM is known that will end it. */
  private static final class Sleep implements Waits.Target {
    private final CompletionQueue cq;
    private final Thread thread;
    private volatile boolean ended;

    Sleep(CompletionQueue cq, Thread thread) {
      this.cq = cq;
      this.thread = thread;
    }

    @AnyContext
    void end() {
      ended = true;
      LockSupport.unpark(thread);
    }

    @Override
    public boolean over() {
      return ended || !cq.control().isLive();
    }

    @Override
    public void interrupted() {
      ended = true;
    }

    @Override
    public void holders(Consumer<? super Thread> to) {}

    @Override
    public String text() {
      return "a completion of " + cq;
    }
  }
}
