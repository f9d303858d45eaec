package ib.core.internal.callback;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.internal.waits.WaitGraph;
import ib.core.serial.End;
import ib.core.serial.KeptRuns;
import ib.core.serial.Serial;
import ib.core.serial.Waits;
import ib.core.testing.Starts;
import ib.core.testing.Thrown;
import ib.core.testing.Wait;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("A13 the threads of completion handlers and events of objects")
@Timeout(600)
class ServiceThreadsTest {
  private static Serial task(CompletionVector on, Runnable what) {
    return new Serial(on) {
      @Override
      protected void call() {
        what.run();
      }
    };
  }

  @ParameterizedTest
  @MethodSource("ib.core.testing.Thrown#kinds")
  @DisplayName("A13 a task of a vector throws: the next one runs, on the same thread")
  void vector(Throwable thrown) throws InterruptedException {
    CompletionVector vector = new CompletionVector("ib-thrown-comp-0");
    vector.start();
    try {
      CountDownLatch done = new CountDownLatch(2);
      Serial bad =
          task(
              vector,
              () -> {
                done.countDown();
                throw Thrown.sneak(thrown);
              });
      bad.schedule();
      task(vector, done::countDown).schedule();
      Thrown.assertReached(done);
    } finally {
      vector.close();
      vector.join(new WaitGraph());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"a vector", "a roulette", "a thread that keeps its runs"})
  @DisplayName("S25 a task that leaves its thread interrupted: the next one does not see that")
  void interrupted(String where) {
    CompletionVector vector =
        where.equals("a roulette")
            ? new CompletionVector("v", new Roulette("v", 1))
            : new CompletionVector("v");
    List<Boolean> seen = new CopyOnWriteArrayList<>();
    List<Serial> all = new ArrayList<>();
    for (int i = 0; i < 64; i++) {
      all.add(
          task(
              vector,
              () -> {
                seen.add(Thread.currentThread().isInterrupted());
                Thread.currentThread().interrupt();
              }));
    }
    if (where.equals("a thread that keeps its runs")) {
      KeptRuns kept = new KeptRuns();
      kept.open();
      kept.keep();
      all.forEach(KeptRuns::take);
      kept.close();
      kept.run();
    } else {
      all.forEach(Serial::schedule);
      vector.start(); // all wait by now: one turn of the thread's loop takes them
      Wait.until(() -> seen.size() == all.size());
      vector.close();
      vector.join(new WaitGraph());
    }
    assertEquals(Collections.nCopies(64, false), seen);
    assertFalse(Thread.interrupted());
  }

  @Test
  @DisplayName("A13 the thread of a vector cannot start: the next start tries again")
  void vectorStartsAgain() {
    Starts starts = new Starts(Thread.ofPlatform().daemon().factory());
    CompletionVector vector = new CompletionVector("ib-thrown-comp-3", starts, 0);
    starts.failing = true;
    assertThrows(OutOfMemoryError.class, vector::start);
    starts.failing = false;
    vector.start();
    try {
      CountDownLatch done = new CountDownLatch(1);
      task(vector, done::countDown).schedule();
      Wait.on(done);
    } finally {
      vector.close();
      vector.join(new WaitGraph());
    }
  }

  @Test
  @DisplayName("I4 the end of a vector is waited for, unless it never ran; a stuck one is reported")
  void join() {
    Waits nobody =
        (target, rank, limitNs) -> {
          throw new AssertionError("waits for " + target.text());
        };
    CompletionVector vector = new CompletionVector("ib-join-comp-0");
    assertTrue(vector.join(nobody));
    vector.start();
    assertFalse(vector.join((target, rank, limitNs) -> End.TIMEOUT));
    List<Boolean> inside = new CopyOnWriteArrayList<>();
    task(vector, () -> inside.add(vector.join(nobody))).schedule();
    Wait.until(() -> inside.size() == 1);
    assertEquals(List.of(true), inside, "its own thread does not wait for itself");
    vector.close();
    assertTrue(vector.join(new WaitGraph()));
    CompletionVector closed = new CompletionVector("ib-join-comp-1");
    closed.close();
    closed.start();
    assertTrue(closed.join(nobody), "a closed one starts no more");
  }

  @ParameterizedTest
  @MethodSource("ib.core.testing.Thrown#kinds")
  @DisplayName("A13 a body on the pool throws: no uncaught exception, and the next body runs")
  void pool(Throwable thrown) throws InterruptedException {
    LinkedBlockingQueue<Throwable> uncaught = new LinkedBlockingQueue<>();
    Thread.UncaughtExceptionHandler before = Thread.getDefaultUncaughtExceptionHandler();
    Thread.setDefaultUncaughtExceptionHandler((t, e) -> uncaught.add(e));
    try (CallbackPool pool = new CallbackPool()) {
      CountDownLatch done = new CountDownLatch(4);
      Runnable bad =
          () -> {
            done.countDown();
            throw Thrown.sneak(thrown);
          };
      pool.workqueue(bad);
      pool.unbound(bad);
      pool.workqueue(done::countDown);
      pool.unbound(done::countDown);
      Thrown.assertReached(done);
    } finally {
      Thread.setDefaultUncaughtExceptionHandler(before);
    }
    if (!uncaught.isEmpty()) {
      throw new AssertionError("uncaught", uncaught.peek());
    }
  }
}
