package ib.engine.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.testing.Wait;
import ib.engine.cq.IdleMember;
import ib.engine.time.NanoClock;
import ib.engine.time.Timer;
import ib.engine.time.VirtualClock;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

/** D4: the device's worker, stepped by the test, and with its thread. */
@Timeout(value = 600, threadMode = ThreadMode.SEPARATE_THREAD)
class WorkerTest {
  private static final long HOUR = TimeUnit.HOURS.toNanos(1);

  private final VirtualClock clock = new VirtualClock();
  private final List<String> log = new ArrayList<>();
  private final Round round = new Round();
  private final Worker worker = new Worker(clock, round, 1 << 20);

  private static final class Round extends LookRound {
    private final AtomicInteger looks = new AtomicInteger();
    private long seen = -1;
    private long restNs = Long.MAX_VALUE;

    @Override
    protected void look(long now) {
      seen = now;
      looks.incrementAndGet();
    }

    @Override
    protected long restNs() {
      return restNs;
    }
  }

  private final class Due extends Timer {
    private final String name;
    private final long waitNs;
    private boolean cancelled;
    private boolean unfit; // the heap cannot take it, once
    private Runnable more = () -> {};

    Due(String name, long waitNs) {
      this.name = name;
      this.waitNs = waitNs;
    }

    @Override
    protected long durationNs() {
      if (unfit) {
        unfit = false;
        fail();
      }
      return waitNs;
    }

    @Override
    protected void expired() {
      log.add(name);
      more.run();
    }

    @Override
    public boolean cancelled() {
      return cancelled;
    }
  }

  private final class Pair extends IdleMember {
    private final String name;
    private final Worker on;

    Pair(String name, Worker on) {
      this.name = name;
      this.on = on;
    }

    @Override
    protected boolean step(RunList run) {
      synchronized (log) {
        log.add(name);
        log.notifyAll();
      }
      return false;
    }

    @Override
    protected Worker worker() {
      return on;
    }
  }

  private Pair submitted(String name, Worker to) {
    Pair pair = new Pair(name, to);
    assertTrue(pair.schedule());
    to.submit(pair);
    return pair;
  }

  @Test
  @DisplayName("D4: queue pairs are run in the order in which they were handed over, and released")
  void order() {
    assertEquals(0, worker.step());
    List<Pair> pairs = new ArrayList<>();
    for (String name : List.of("a", "b", "c")) {
      pairs.add(submitted(name, worker));
    }
    assertEquals(3, worker.step());
    assertEquals(List.of("a", "b", "c"), log);
    pairs.forEach(p -> assertFalse(p.claimed()));
    assertEquals(0, worker.step());
  }

  @Test
  @DisplayName("D4: timers expire when they are due, by the time when the worker takes them")
  void timers() {
    clock.advance(100);
    worker.start(new Due("late", 50));
    worker.start(new Due("soon", 10));
    assertEquals(100, worker.now());
    assertEquals(100, worker.earliestNs(), "at once: it does not know them yet");
    assertEquals(0, worker.step());
    assertEquals(100, round.seen, "it looks round with each step");
    assertEquals(110, worker.earliestNs());
    assertEquals(10, worker.restNs());
    clock.advance(9);
    assertEquals(0, worker.step());
    clock.advance(1);
    assertEquals(1, worker.step());
    assertEquals(List.of("soon"), log);
    assertEquals(40, worker.restNs());
    round.restNs = 7;
    assertEquals(7, worker.restNs(), "the look round is sooner");
    clock.advance(40);
    assertEquals(1, worker.step());
    assertEquals(List.of("soon", "late"), log);
    assertEquals(7, worker.restNs());
    round.restNs = Long.MAX_VALUE;
    assertEquals(Long.MAX_VALUE, worker.restNs());
    assertEquals(Long.MAX_VALUE, worker.earliestNs());
  }

  @Test
  @DisplayName("D4: what a timer has scheduled is run in the same step")
  void scheduledByTimer() {
    Pair pair = new Pair("pair", worker);
    Due due = new Due("timer", 0);
    due.more = () -> worker.runList().schedule(pair);
    worker.start(due);
    assertEquals(1, worker.step());
    assertEquals(List.of("timer", "pair"), log);
  }

  @Test
  @DisplayName("B20: a cancelled timer is forgotten, before the worker has taken it and after")
  void cancelled() {
    Due before = new Due("before", HOUR);
    before.cancelled = true;
    worker.start(before);
    assertEquals(0, worker.step());
    assertEquals(Long.MAX_VALUE, worker.earliestNs());
    Due after = new Due("after", HOUR);
    worker.start(after);
    worker.step();
    after.cancelled = true;
    worker.purge();
    assertEquals(1, worker.step());
    assertEquals(Long.MAX_VALUE, worker.earliestNs());
    assertEquals(0, worker.step(), "once");
    assertTrue(before.next == null && after.next == null, "they keep nothing");
  }

  @Test
  @DisplayName("A16: a timer that throws stops neither those before it nor those behind it")
  void timerThrows() {
    Pair pair = new Pair("pair", worker);
    Due first = new Due("first", 1);
    first.more = () -> worker.runList().schedule(pair);
    Due second = new Due("second", 2);
    second.more = WorkerTest::fail;
    worker.start(new Due("third", 3));
    worker.start(second);
    worker.start(first);
    worker.step();
    clock.advance(5);
    Due unfit = new Due("unfit", 0);
    unfit.unfit = true;
    worker.start(new Due("behind it", 0)); // the last is taken first
    worker.start(unfit);
    assertThrows(IllegalStateException.class, worker::step);
    assertThrows(IllegalStateException.class, worker::step);
    assertEquals(List.of("first", "second", "pair"), log);
    worker.step();
    assertEquals(Set.of("third", "unfit", "behind it"), Set.copyOf(log.subList(3, 6)));
    assertEquals(0, worker.step());
  }

  private static void fail() {
    throw new IllegalStateException("planted");
  }

  @Test
  @DisplayName("without a thread, who waits for the worker runs it")
  void pause() {
    submitted("a", worker);
    worker.pause(0);
    assertEquals(List.of("a"), log);
    assertEquals("", worker.where());
    assertTrue(worker.stop(0), "there is nothing to stop");
  }

  private void heard(int count) throws InterruptedException {
    synchronized (log) {
      while (log.size() < count) {
        log.wait();
      }
    }
  }

  @Test
  @DisplayName("D4: the thread sleeps until there is work, a timer or an end; an interrupt is none")
  void sleeps() throws InterruptedException {
    Worker real = new Worker(NanoClock.SYSTEM, round, 1 << 20);
    Thread thread = new Thread(real);
    real.start(thread);
    Wait.asleep(thread);
    assertTrue(real.where().contains(" at "), real.where());
    submitted("work", real);
    heard(1);
    Wait.asleep(thread);
    Due due = new Due("timer", 1);
    due.more = () -> submitted("by the timer", real);
    real.start(due);
    heard(3);
    real.pause(1);
    real.pause(100);
    Wait.asleep(thread);
    int before = round.looks.get();
    real.purge();
    while (round.looks.get() == before) {
      Thread.onSpinWait();
    }
    thread.interrupt();
    submitted("after an interrupt", real);
    heard(4);
    assertTrue(real.stop(System.nanoTime() + HOUR));
    assertFalse(thread.isAlive());
    assertEquals("", real.where());
    submitted("after its end", real);
    real.pause(0);
    assertEquals(5, log.size(), "who waits runs it, as without a thread");
  }

  @Test
  @DisplayName("D4: a thread of its own is a daemon with its name")
  void named() throws InterruptedException {
    Worker real = new Worker(NanoClock.SYSTEM, round, 1 << 20);
    AtomicInteger daemon = new AtomicInteger();
    Due due = new Due("timer", 0);
    CountDownLatch expired = new CountDownLatch(1);
    due.more =
        () -> {
          Thread me = Thread.currentThread();
          daemon.set(me.isDaemon() && me.getName().equals("a worker") ? 1 : 0);
          expired.countDown();
        };
    real.start(due);
    real.start("a worker");
    expired.await();
    assertEquals(1, daemon.get());
    assertTrue(real.stop(System.nanoTime() + HOUR));
  }

  @Test
  @DisplayName("A16: a step that throws is counted, and the thread goes on")
  void goesOn() throws InterruptedException {
    Worker real = new Worker(NanoClock.SYSTEM, round, 1 << 20);
    CountDownLatch failed = new CountDownLatch(1);
    real.whenFailed(failed::countDown);
    Due due = new Due("timer", 0);
    due.more = WorkerTest::fail;
    real.start(due);
    real.start(new Thread(real));
    failed.await();
    submitted("work", real);
    heard(2);
    assertTrue(real.stop(System.nanoTime() + HOUR));
  }

  @Test
  @DisplayName("C5: who stops a worker that does not end gives up, and says so")
  void stuck() throws InterruptedException {
    Worker real = new Worker(NanoClock.SYSTEM, round, 1 << 20);
    CountDownLatch inside = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    Due due = new Due("timer", 0);
    due.more =
        () -> {
          inside.countDown();
          try {
            go.await();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        };
    real.start(due);
    Thread thread = new Thread(real);
    real.start(thread);
    inside.await();
    assertFalse(real.stop(0));
    assertTrue(real.where().contains("CountDownLatch"), real.where());
    boolean[] stopped = new boolean[2];
    Thread stopper =
        Thread.ofPlatform()
            .start(
                () -> {
                  stopped[0] = real.stop(System.nanoTime() + HOUR);
                  stopped[1] = Thread.interrupted();
                });
    Wait.asleep(stopper);
    stopper.interrupt();
    while (stopper.isInterrupted()) {
      Thread.onSpinWait();
    }
    go.countDown();
    stopper.join();
    assertTrue(stopped[0], "it waits on");
    assertTrue(stopped[1], "and the interrupt of who waits is kept");
  }
}
