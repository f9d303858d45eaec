package ib.kit;

import ib.core.verbs.CompletionQueue;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WorkCompletion;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Assertions;

/** Waits: none is long when the device is right; the bound only ends a hang. */
final class Await {
  private static final long SECONDS = TimeUnit.MINUTES.toSeconds(5);
  private static final long PAUSE_NS = TimeUnit.MICROSECONDS.toNanos(20);
  private static final int SPINS = 200;

  private Await() {}

  /** Waits until something holds. */
  static void until(String what, BooleanSupplier condition) {
    long seconds = Long.getLong("ib.kit.wait", SECONDS);
    long start = System.nanoTime();
    for (int i = 0; !condition.getAsBoolean(); i++) {
      if (System.nanoTime() - start > TimeUnit.SECONDS.toNanos(seconds)) {
        Assertions.fail("not within " + seconds + " s: " + what);
      }
      if (i < SPINS) {
        Thread.onSpinWait();
      } else {
        LockSupport.parkNanos(PAUSE_NS);
      }
    }
  }

  /** The next completion of a queue. */
  static WorkCompletion next(CompletionQueue cq) {
    WorkCompletion[] one = {new WorkCompletion()};
    int[] n = {0};
    until(
        "a completion on " + cq,
        () -> {
          n[0] = cq.poll(one, 1);
          return n[0] != 0;
        });
    Assertions.assertEquals(1, n[0], "poll");
    return one[0];
  }

  /** The next completion, which must be this request's success. */
  static WorkCompletion success(CompletionQueue cq, long wrId) {
    return status(cq, wrId, WcStatus.SUCCESS);
  }

  /** The next completion, which must be this request's with this status. */
  static WorkCompletion status(CompletionQueue cq, long wrId, WcStatus status) {
    WorkCompletion wc = next(cq);
    Assertions.assertEquals(status, wc.status(), wc::toString);
    Assertions.assertEquals(wrId, wc.wrId(), wc::toString);
    return wc;
  }

  /** The next so many completions, in order. */
  static List<WorkCompletion> next(CompletionQueue cq, int count) {
    List<WorkCompletion> all = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      all.add(next(cq));
    }
    return all;
  }

  /** Checks that a queue has no completion now. */
  static void empty(CompletionQueue cq, String why) {
    WorkCompletion[] one = {new WorkCompletion()};
    int n = cq.poll(one, 1);
    Assertions.assertEquals(0, n, () -> why + ": " + one[0]);
  }

  /** Waits for a thread to end. */
  static void end(Thread thread) {
    until("the end of thread " + thread.getName(), () -> !thread.isAlive());
  }
}
