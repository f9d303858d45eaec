package ib.kit;

import ib.core.verbs.IbBusyException;
import ib.core.verbs.IbInvalidException;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assertions;

/**
 * Every pair of methods on one object from two threads, and every method against close (S13-S16).
 * The driver must synchronize; the core and the caller do not.
 */
final class ReentrancyCases {
  private static final int TURNS = Integer.getInteger("ib.kit.turns", 150);
  private static final int PATIENCE = 2_000; // rounds of waiting for the other thread
  private static final int CLOSES = Math.max(1, TURNS / 15);

  private ReentrancyCases() {}

  static void add(Catalogue c) {
    int first = 1;
    for (Subject subject : Subjects.all()) {
      Catalogue.Section s =
          c.section("PAIR", first, "reentrancy: " + subject.kind(), subject.needs());
      s.lossless();
      List<String> methods = subject.methods();
      for (int i = 0; i < methods.size(); i++) {
        for (int j = i; j < methods.size(); j++) {
          String one = methods.get(i);
          String two = methods.get(j);
          if (i != j || !one.equals(subject.alone())) {
            s.add(
                "%s: %s and %s from two threads (S13)".formatted(subject.kind(), one, two),
                t -> pair(t, subject, one, two));
          }
        }
      }
      if (!subject.kind().equals("device")) {
        for (String method : methods) {
          s.add(
              subject.kind() + ": " + method + " against close: done or refused, nothing lost",
              t -> closing(t, subject, method));
        }
      }
      first += 50;
    }
  }

  /** Runs two tasks that begin together; rethrows the first exception of either. */
  private static void together(Runnable one, Runnable two) {
    CyclicBarrier start = new CyclicBarrier(2);
    AtomicReference<@Nullable Throwable> thrown = new AtomicReference<>();
    Thread other = Thread.ofPlatform().name("ib.kit second").start(() -> run(two, start, thrown));
    run(one, start, thrown);
    Await.end(other);
    Throwable t = thrown.get();
    if (t != null) {
      throw new AssertionError("on one of two threads: " + t, t);
    }
  }

  private static void run(
      Runnable body, CyclicBarrier start, AtomicReference<@Nullable Throwable> thrown) {
    try {
      start.await(10, TimeUnit.SECONDS);
      body.run();
    } catch (Exception | AssertionError e) {
      thrown.compareAndSet(null, e);
    }
  }

  private static void pair(Trial t, Subject subject, String one, String two) {
    Subject.Live live = subject.make(t);
    AtomicInteger arrived = new AtomicInteger();
    together(turns(live.get(one), arrived), turns(live.get(two), arrived));
    live.finish();
  }

  /** Makes a task of many turns, each of which begins on both threads at nearly the same time. */
  private static Runnable turns(Runnable method, AtomicInteger arrived) {
    return () -> {
      for (int turn = 1; turn <= TURNS; turn++) {
        int both = 2 * turn;
        arrived.incrementAndGet();
        for (int i = 0; arrived.get() < both && i < PATIENCE; i++) {
          if (i < PATIENCE / 2) {
            Thread.onSpinWait();
          } else {
            Thread.yield();
          }
        }
        method.run();
      }
    };
  }

  private static void closing(Trial t, Subject subject, String method) {
    for (int round = 0; round < CLOSES; round++) {
      try (Trial inner = t.inner()) {
        Subject.Live live = subject.make(inner);
        Runnable body = live.get(method);
        AtomicBoolean closing = new AtomicBoolean();
        int warmUp = round;
        together(
            () -> {
              for (int i = 0; i < TURNS && refused(body, closing); i++) {
                Thread.onSpinWait();
              }
            },
            () -> {
              for (int i = 0; i < warmUp * 50; i++) {
                Thread.onSpinWait();
              }
              closing.set(true);
              close(live);
            });
        live.finish();
      }
    }
  }

  /** Returns false when the object refused because it is closed. */
  private static boolean refused(Runnable body, AtomicBoolean closing) {
    try {
      body.run();
      return true;
    } catch (IbInvalidException e) {
      Assertions.assertTrue(closing.get(), () -> "refused before it was closed: " + e);
      return false;
    }
  }

  /** Closes it as soon as nothing uses it. */
  private static void close(Subject.Live live) {
    Await.until(
        "close",
        () -> {
          try {
            live.close();
            return true;
          } catch (IbBusyException inUse) {
            return false;
          }
        });
  }
}
