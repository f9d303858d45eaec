package ib.kit;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assertions;

/**
 * Counts how often the calling thread sleeps, parks, waits or stands before a lock that another
 * thread holds, by the JVM's own count. What blocks in the operating system (a socket, a file) is
 * not counted; the verifier finds it.
 */
final class Blocked {
  private static final int WARM_UP = 200;
  private static final int ROUNDS = 5;
  private static final int TURNS = 100;
  private static final int OTHERS = 20;
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private Blocked() {}

  /**
   * Checks that a call never blocks. A call that blocks in one round only is not reported, because
   * the JVM blocks a thread, once, whose class another thread is loading; nor is one that was never
   * seen blocked, because the JVM's own count also has what no stack shows.
   */
  static void never(String what, Runnable call) {
    rounds(what, call, () -> repeat(call, TURNS));
  }

  /**
   * Checks that a call never blocks while another thread makes calls of its own, which may block.
   */
  static void never(String what, Runnable call, Runnable others) {
    AtomicInteger made = new AtomicInteger();
    AtomicBoolean over = new AtomicBoolean();
    AtomicReference<@Nullable Throwable> thrown = new AtomicReference<>();
    Runnable body =
        () -> {
          try {
            while (!over.get()) {
              others.run();
              made.incrementAndGet();
            }
          } catch (RuntimeException | AssertionError e) {
            thrown.set(e);
          }
        };
    Thread thread = Thread.ofPlatform().daemon().name("ib.kit beside").start(body);
    try {
      rounds(what, call, () -> overlap(call, thread, made));
    } finally {
      over.set(true);
      Await.end(thread);
    }
    Throwable t = thrown.get();
    if (t != null) {
      throw new AssertionError("on the other thread: " + t, t);
    }
  }

  /** Repeats a call until another thread has made some of its calls, too. */
  private static void overlap(Runnable call, Thread other, AtomicInteger made) {
    int enough = made.get() + OTHERS;
    do {
      repeat(call, TURNS);
    } while (made.get() < enough && other.isAlive());
  }

  private static void rounds(String what, Runnable call, Runnable round) {
    repeat(call, WARM_UP);
    long total = 0;
    int bad = 0;
    for (int i = 0; i < ROUNDS; i++) {
      long before = count();
      round.run();
      long blocked = count() - before;
      total += blocked;
      bad += blocked > 0 ? 1 : 0;
    }
    if (bad > 1) {
      String where = where(round);
      if (!where.isEmpty()) {
        Assertions.fail(
            "%s blocked the caller %d times, in %d of %d rounds of calls%s"
                .formatted(what, total, bad, ROUNDS, where));
      }
    }
  }

  private static void repeat(Runnable call, int turns) {
    for (int i = 0; i < turns; i++) {
      call.run();
    }
  }

  private static long count() {
    ThreadInfo me = THREADS.getThreadInfo(Thread.currentThread().threadId());
    return me.getBlockedCount() + me.getWaitedCount();
  }

  /**
   * Repeats a round under a watch, as long as the watch sees nothing; {@return the stack of a
   * caller that is blocked, if seen}
   */
  static String where(Runnable round) {
    long caller = Thread.currentThread().threadId();
    AtomicBoolean over = new AtomicBoolean();
    List<StackTraceElement> seen = new CopyOnWriteArrayList<>();
    Thread watch =
        Thread.ofPlatform()
            .daemon()
            .name("ib.kit watch")
            .start(
                () -> {
                  while (!over.get() && seen.isEmpty()) {
                    ThreadInfo info = THREADS.getThreadInfo(caller, Integer.MAX_VALUE);
                    // asked again: what the caller does after the rounds is no call's
                    if (info.getThreadState() != Thread.State.RUNNABLE && !over.get()) {
                      seen.addAll(List.of(info.getStackTrace()));
                    }
                  }
                });
    try {
      for (int i = 0; i < ROUNDS && seen.isEmpty(); i++) {
        round.run();
      }
    } finally {
      over.set(true);
      Await.end(watch);
    }
    return seen.stream().map(f -> "\n\tat " + f).collect(Collectors.joining());
  }
}
