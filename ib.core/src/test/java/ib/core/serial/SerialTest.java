package ib.core.serial;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.internal.waits.WaitGraph;
import ib.core.serial.Serial.Here;
import ib.core.serial.Waits.Rank;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The word of a serial, step by step on one thread; SerialModelTest explores its races. */
@DisplayName("S23, S24, B8: one serial")
class SerialTest {
  /** Counts; its queue is this test. */
  private static final class Task extends Serial {
    Runnable body = () -> {};
    Runnable place = () -> {};
    int queued;
    int calls;
    int failures;

    Task() {
      super(
          serial -> {
            Task task = (Task) serial;
            task.place.run();
            task.queued++;
          });
    }

    @Override
    protected void call() {
      calls++;
      body.run();
    }

    @Override
    protected int outcome() {
      return 7;
    }

    @Override
    protected void failed(Throwable thrown) {
      failures++;
    }
  }

  private final Task task = new Task();

  private End fence(Waits waits) {
    return task.fence(waits, Rank.CLOSES, "the task", 0);
  }

  private static End nobodyWaits(Waits.Target target, Rank rank, long limitNs) {
    throw new AssertionError("waits for " + target.text());
  }

  @Test
  @DisplayName("S24: wake-ups before the run are one run, a wake-up during it is one more")
  void wakeUps() {
    task.schedule();
    task.schedule();
    assertEquals(1, task.queued);
    task.body = task::schedule;
    assertEquals(7, task.run());
    assertEquals(2, task.queued);
    task.body = () -> {};
    assertEquals(7, task.run());
    assertEquals(2, task.queued);
    assertEquals(2, task.calls);
    task.schedule();
    assertEquals(3, task.queued);
  }

  @Test
  @DisplayName("B8: what was queued when the task was closed is not called, nor queued again")
  void closedInTheQueue() {
    task.schedule();
    task.close();
    assertEquals(0, task.run());
    assertEquals(0, task.calls);
    task.schedule();
    assertEquals(1, task.queued);
    assertTrue(task.isClosed());
    assertFalse(task.claim());
    assertSame(Here.CLOSED, task.runHere());
  }

  @Test
  @DisplayName(
      "B8: a serial that is closed inside its run stays closed, though it was woken up meanwhile")
  void closedInsideItsRun() {
    task.body =
        () -> {
          task.schedule();
          task.close();
        };
    assertSame(Here.RAN, task.runHere());
    assertTrue(task.isClosed());
    assertEquals(0, task.queued);
    task.schedule();
    assertEquals(0, task.queued);
    assertEquals(End.DONE, fence(SerialTest::nobodyWaits));
  }

  @Test
  @DisplayName("S24: runHere returns BUSY while it runs, and QUEUED while it is queued")
  void here() {
    List<Here> inside = new ArrayList<>();
    task.body = () -> inside.add(task.runHere());
    assertSame(Here.RAN, task.runHere());
    assertEquals(List.of(Here.BUSY), inside);
    assertEquals(1, task.queued, "it runs once more");
    assertSame(Here.QUEUED, task.runHere());
    assertEquals(1, task.queued);
    assertEquals(1, task.calls);
  }

  @Test
  @DisplayName("5.1: a claim is had by one, and is given back by its run")
  void claim() {
    assertTrue(task.claim());
    assertFalse(task.claim());
    task.run();
    assertTrue(task.claim());
  }

  @Test
  @DisplayName("A13: a run that throws gives the claim back, or keeps it for a wake-up")
  void throwing() {
    task.body =
        () -> {
          task.schedule();
          throw new IllegalStateException("planted");
        };
    task.schedule();
    task.run();
    assertEquals(1, task.failures);
    assertNull(task.runner());
    assertEquals(2, task.queued);
    task.body = () -> {};
    task.run();
    task.schedule();
    assertEquals(3, task.queued);
  }

  @Test
  @DisplayName("B8: the fence of an idle serial does not wait; inside of its run it is INSIDE")
  void fences() {
    List<End> ends = new ArrayList<>();
    List<Thread> holders = new ArrayList<>();
    task.body =
        () -> {
          Waits.Target last = task.currentRun("the task");
          assertFalse(last.over());
          last.holders(holders::add);
          assertEquals("the callback of the task", last.text());
          ends.add(fence(new WaitGraph()));
        };
    task.schedule();
    task.run();
    assertEquals(List.of(Thread.currentThread()), holders);
    assertEquals(List.of(End.Kind.INSIDE), ends.stream().map(End::kind).toList());
    task.currentRun("the task").holders(holders::add);
    assertEquals(1, holders.size());
    assertEquals(End.DONE, fence(SerialTest::nobodyWaits));
  }

  @Test
  @DisplayName("CC-17: opened again inside its run, a serial runs on; a fence knows that run only")
  void openedAgain() {
    List<Waits.Target> first = new ArrayList<>();
    task.body =
        () -> {
          first.add(task.currentRun("the task"));
          task.close();
          assertTrue(task.open());
          assertFalse(task.open());
          task.schedule();
        };
    task.schedule();
    task.run();
    assertEquals(2, task.queued);
    task.body = () -> assertTrue(first.getFirst().over(), "another run is on");
    task.run();
    assertEquals(2, task.calls);
    assertEquals(0, task.failures);
  }

  @Test
  @DisplayName("a closed serial forgets its wake-ups: opened again, it waits for the next one")
  void closedWhileQueued() {
    task.schedule();
    task.close();
    task.run();
    assertTrue(task.hasEnded());
    task.open();
    assertFalse(task.hasEnded());
    task.schedule();
    assertEquals(2, task.queued);
    task.run();
    assertEquals(1, task.calls);
  }

  @Test
  @DisplayName("S24: a run that asks for another one gets it after its place served others")
  void asksAgain() {
    task.body = task::again;
    task.schedule();
    task.run();
    assertEquals(2, task.queued);
    assertEquals(1, task.calls);
    task.body = () -> {};
    task.run();
    assertEquals(2, task.queued);
    assertEquals(2, task.calls);
  }

  @Test
  @DisplayName("A13: a place that refuses the serial is reported, and the next wake-up tries again")
  void refusedByItsPlace() {
    task.place =
        () -> {
          throw new IllegalStateException("planted");
        };
    task.schedule();
    assertEquals(1, task.failures);
    assertEquals(0, task.queued);
    task.place = () -> {};
    task.schedule();
    assertEquals(1, task.queued);
    task.run();
    assertEquals(1, task.calls);
    assertEquals(1, task.failures);
  }

  @Test
  @DisplayName("CC-17: only who runs it is inside; it is open until it is closed")
  void inside() {
    assertFalse(task.isClosed());
    assertFalse(task.isInside());
    List<Boolean> inside = new ArrayList<>();
    List<Thread> runner = new ArrayList<>();
    task.body =
        () -> {
          inside.add(task.isInside());
          runner.add(task.runner());
        };
    task.runHere();
    assertEquals(List.of(true), inside);
    assertEquals(List.of(Thread.currentThread()), runner);
    assertFalse(task.isInside());
    assertFalse(task.isClosed());
  }

  @Test
  @DisplayName("B8: who waits for the run that was on, or for none, waits for no later one")
  void noLaterRun() {
    Waits.Target none = task.currentRun("the task");
    List<Waits.Target> first = new ArrayList<>();
    task.body =
        () -> {
          assertTrue(none.over(), "waits for the first run");
          first.add(task.currentRun("the task"));
        };
    task.runHere();
    assertTrue(first.getFirst().over());
    task.body =
        () -> {
          assertTrue(none.over(), "waits for the second run");
          assertTrue(first.getFirst().over());
        };
    task.runHere();
    assertEquals(0, task.failures);
  }

  @Test
  @DisplayName("S23: a place links the serials that wait in it")
  void links() {
    Task other = new Task();
    assertNull(task.next());
    task.next(other);
    assertSame(other, task.next());
    task.next(null);
    assertNull(task.next());
  }
}
