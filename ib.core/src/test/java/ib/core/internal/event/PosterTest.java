package ib.core.internal.event;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.serial.Serial;
import ib.core.verbs.EventType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The poster alone; the test is its watch and its dispatcher. */
@DisplayName("D8: the thread that posts, and its replacement")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PosterTest {
  private static final long TIMEOUT = Rig.TIMEOUT_NS;

  private final Rig rig = new Rig();
  private final Poster poster = new Poster(rig.hub, rig.events);
  private final HeldBus bus = new HeldBus();

  /** Its posts do not return before the test says so, one by one. */
  private static final class Blocking implements EventBus {
    final Semaphore inside = new Semaphore(0);
    final Semaphore go = new Semaphore(0);
    volatile Thread poster = Thread.currentThread();

    @Override
    public boolean post(String topic, Map<String, Object> properties) {
      poster = Thread.currentThread();
      inside.release();
      go.acquireUninterruptibly();
      return false;
    }

    void reached() {
      inside.acquireUninterruptibly();
    }
  }

  private final Blocking blocking = new Blocking();

  @AfterEach
  void end() {
    blocking.go.release(10);
    rig.close();
    poster.wake();
    Rig.until(poster.end()::over);
  }

  private Thread thread() {
    List<Thread> holders = new ArrayList<>();
    poster.end().holders(holders::add);
    assertEquals(1, holders.size());
    return holders.getFirst();
  }

  private void mirror(int number) {
    assertTrue(poster.mirror(EventType.QP_FATAL, Map.of("n", number), number));
  }

  private int posted() {
    return (int) bus.take().properties().get("n");
  }

  @Test
  @DisplayName("D8: seen in the same post for a whole timeout, a poster is replaced, not before")
  void replaced() {
    rig.hub.bus(blocking);
    poster.open();
    mirror(1);
    blocking.reached();
    Thread first = thread();
    poster.seize(10);
    poster.seize(9 + TIMEOUT);
    assertEquals(List.of(), rig.reports.troubles);
    assertSame(first, thread());
    poster.seize(10 + TIMEOUT);
    assertTrue(rig.reports.tellsOf("the event bus blocks its poster"));
    assertNotSame(first, thread());
    rig.hub.bus(bus);
    mirror(2);
    assertEquals(2, posted());
    poster.seize(10 + 3 * TIMEOUT);
    assertEquals(1, rig.reports.troubles.size(), "nothing is posted any more");
  }

  @Test
  @DisplayName("D8: what waits for a bus that blocks is not posted there, and counted")
  void left() {
    rig.hub.bus(blocking);
    poster.open();
    mirror(1);
    blocking.reached();
    mirror(2);
    mirror(3);
    rig.hub.bus(bus);
    mirror(4);
    poster.seize(0);
    poster.seize(TIMEOUT);
    assertEquals(4, posted());
    assertEquals(2, rig.events.stats().unposted());
    assertEquals(4, rig.events.stats().mirrored());
    assertFalse(blocking.inside.tryAcquire());
  }

  @Test
  @DisplayName("D8: a bus that is slow, but goes on, is not taken for one that blocks")
  void slow() {
    rig.hub.bus(blocking);
    poster.open();
    mirror(1);
    mirror(2);
    blocking.reached();
    Thread first = thread();
    poster.seize(0);
    blocking.go.release();
    blocking.reached();
    poster.seize(TIMEOUT);
    poster.seize(2 * TIMEOUT - 1);
    assertEquals(List.of(), rig.reports.troubles);
    assertSame(first, thread());
    poster.seize(2 * TIMEOUT);
    assertEquals(1, rig.reports.troubles.size());
  }

  @Test
  @DisplayName("D8: a poster that has nothing to do is not replaced, however long that lasts")
  void idle() {
    AtomicInteger posts = new AtomicInteger();
    rig.hub.bus((topic, properties) -> posts.incrementAndGet() > 0);
    poster.open();
    mirror(1);
    Rig.until(() -> posts.get() == 1);
    Rig.until(() -> thread().getState() == Thread.State.WAITING); // it waits for nothing else
    poster.seize(0);
    poster.seize(TIMEOUT);
    poster.seize(2 * TIMEOUT);
    assertEquals(List.of(), rig.reports.troubles);
  }

  @Test
  @DisplayName("D8: what a bus says to the poster that was replaced counts for nothing")
  void tooLate() throws InterruptedException {
    rig.hub.bus(blocking);
    Recorder r = rig.open().handler();
    rig.dispatch(1);
    blocking.reached();
    while (!rig.reports.tellsOf("blocks its poster")) {
      rig.clock.advance(TIMEOUT);
      Thread.onSpinWait();
    }
    r.await(1);
    rig.hub.bus(bus);
    rig.dispatch(1);
    HeldBus.Post second = bus.take();
    rig.hub.onEvent(second.topic(), second.properties()); // all is well again
    rig.dispatch(1);
    HeldBus.Post third = bus.take();
    blocking.go.release(); // it refuses the first one
    blocking.poster.join();
    long waits = rig.events.watch(rig.clock.nanoTime());
    assertTrue(waits < Long.MAX_VALUE, "the third is still waited for");
    rig.hub.onEvent(third.topic(), third.properties());
    assertEquals(List.of(1L, 2L, 3L), r.await(3).sequences());
  }

  @Test
  @DisplayName("D8: a bus that was back after all is used again")
  void usedAgain() throws InterruptedException {
    rig.hub.bus(blocking);
    poster.open();
    mirror(1);
    blocking.reached();
    Thread first = thread();
    poster.seize(0);
    poster.seize(TIMEOUT);
    mirror(2);
    assertEquals(1, rig.events.stats().unposted());
    blocking.go.release();
    first.join();
    mirror(3);
    blocking.reached();
    assertEquals(1, rig.events.stats().unposted());
  }

  @Test
  @DisplayName("D8: a loss is not posted on the bus that blocks, and is when the bus is back")
  void lossAfterBlock() throws InterruptedException {
    rig.hub.bus(blocking);
    poster.open();
    mirror(1);
    blocking.reached();
    Thread first = thread();
    poster.seize(0);
    poster.seize(TIMEOUT);
    mirror(2);
    poster.returned(1);
    assertEquals(1, rig.events.stats().mirrored());
    blocking.go.release();
    first.join();
    poster.returned(1);
    blocking.reached();
    assertEquals(2, rig.events.stats().mirrored());
  }

  @Test
  @DisplayName("CC-16: a closed poster takes no affiliated event")
  void closed() {
    rig.hub.bus(bus);
    poster.open();
    mirror(1);
    assertEquals(1, posted());
    poster.close();
    assertFalse(poster.mirror(EventType.QP_FATAL, Map.of("n", 2), 2));
    assertEquals(1, rig.events.stats().mirrored());
  }

  @Test
  @DisplayName("A13: a turn of the dispatcher throws: that is reported, and the next one comes")
  void goesOn() {
    CountDownLatch turns = new CountDownLatch(2);
    Serial dispatcher =
        new Serial(poster) {
          @Override
          public void arrived() {
            turns.countDown();
            throw new IllegalStateException("planted");
          }

          @Override
          protected void call() {}
        };
    poster.submit(dispatcher);
    assertEquals(2, turns.getCount(), "it runs from open on");
    poster.open();
    Rig.until(() -> turns.getCount() == 1);
    poster.submit(dispatcher);
    Rig.await(turns);
    Rig.until(() -> rig.reports.troubles.size() == 2);
    assertTrue(rig.reports.tellsOf("the event dispatcher failed, and goes on"));
  }

  @Test
  @DisplayName("I8: the end of a poster is that of its device and its thread, which it names")
  void endOfIt() {
    List<Thread> holders = new ArrayList<>();
    poster.end().holders(holders::add);
    assertEquals(List.of(), holders);
    assertFalse(poster.end().over(), "its device goes on");
    assertEquals("the event dispatcher of fake0", poster.end().text());
    rig.hub.bus(blocking);
    poster.open();
    mirror(1);
    blocking.reached();
    assertEquals("ib-fake0-events", thread().getName());
    assertTrue(thread().isVirtual());
    rig.events.close();
    assertFalse(poster.end().over(), "its thread goes on");
    blocking.go.release();
    poster.wake();
    Rig.until(poster.end()::over);
    assertFalse(thread().isAlive());
  }

  private enum Failure {
    MAKING,
    STARTING
  }

  private void fail(Failure failure) {
    rig.starts.refusing = failure == Failure.MAKING;
    rig.starts.failing = failure == Failure.STARTING;
  }

  private void failNoMore() {
    rig.starts.refusing = false;
    rig.starts.failing = false;
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource
  @DisplayName("CC-16: no first thread can be made or started: the next event tries again")
  void firstLater(Failure failure) {
    rig.hub.bus(bus);
    poster.open();
    fail(failure);
    assertThrows(OutOfMemoryError.class, () -> mirror(1));
    failNoMore();
    mirror(2);
    assertEquals(1, posted());
    assertEquals(2, posted());
  }

  /** A device has events, its bus blocks, and its poster cannot be replaced. */
  private Recorder withoutPoster(Failure failure) {
    rig.hub.bus(blocking);
    Recorder r = rig.open().handler();
    rig.dispatch(1);
    blocking.reached();
    rig.dispatch(1); // the dispatcher waits for the poster
    fail(failure);
    while (rig.starts.failed.get() == 0) {
      rig.clock.advance(TIMEOUT);
      Thread.onSpinWait();
    }
    Rig.until(rig.clock::allWait); // the watch has given the old thread up
    return r;
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource
  @DisplayName("D8: no thread can replace a poster: the watch tries again")
  void replacedLater(Failure failure) {
    Recorder r = withoutPoster(failure);
    failNoMore();
    again(r);
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource
  @DisplayName("CC-16: no thread can start at the close of a device: the watch tries again")
  void closedTooEarly(Failure failure) {
    Recorder r = withoutPoster(failure);
    rig.events.close();
    Rig.until(() -> rig.reports.tellsOf("the event dispatcher cannot start now"));
    failNoMore();
    again(r);
  }

  private void again(Recorder r) {
    Rig.until(
        () -> {
          rig.clock.advance(TIMEOUT);
          return r.await(2, 0);
        });
    assertEquals(List.of(1L, 2L), r.await(2).sequences());
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource
  @DisplayName("CC-16: no thread could replace a poster: the close of its device tries again")
  void closedWithoutPoster(Failure failure) {
    Recorder r = withoutPoster(failure);
    failNoMore();
    assertTrue(rig.events.closeAndDrain(Rig.FOREVER));
    assertEquals(List.of(1L, 2L), r.await(2).sequences());
  }
}
