package ib.core.internal.hotplug;

import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.testing.Thrown;
import ib.core.testing.Wait;
import java.lang.Thread.State;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("A13 ib-watchdog")
@Timeout(600)
class WatchdogThreadTest {
  @ParameterizedTest
  @MethodSource("ib.core.testing.Thrown#kinds")
  @DisplayName("A13 a look throws: it looks again")
  void looksAgain(Throwable thrown) throws InterruptedException {
    CountDownLatch looks = new CountDownLatch(2);
    List<Long> times = new CopyOnWriteArrayList<>();
    WatchdogThread watchdog =
        new WatchdogThread(
            System::nanoTime,
            now -> {
              times.add(now);
              looks.countDown();
              if (looks.getCount() > 0) {
                throw Thrown.sneak(thrown);
              }
              return Sync.Alarm.NEVER;
            });
    watchdog.due(System.nanoTime());
    try {
      Thrown.assertReached(looks);
      long pause = times.get(1) - times.get(0);
      assertTrue(pause >= TimeUnit.SECONDS.toNanos(1), () -> pause + " ns");
    } finally {
      watchdog.stop();
    }
  }

  @Test
  @DisplayName(
      "CC-19: it looks when it is time, not before; an earlier time comes before a later one")
  void looksInTime() throws InterruptedException {
    CountDownLatch looks = new CountDownLatch(1);
    AtomicLong first = new AtomicLong();
    AtomicReference<Thread> thread = new AtomicReference<>();
    WatchdogThread watchdog =
        new WatchdogThread(
            () -> {
              thread.set(Thread.currentThread());
              return System.nanoTime();
            },
            now -> {
              first.compareAndSet(0, now);
              looks.countDown();
              return Sync.Alarm.NEVER;
            });
    watchdog.due(System.nanoTime() + TimeUnit.HOURS.toNanos(1));
    Wait.until(() -> thread.get() != null && thread.get().getState() == State.TIMED_WAITING);
    long soon = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(20);
    watchdog.due(soon);
    watchdog.due(soon); // changes nothing, as a later time does not
    watchdog.due(soon + TimeUnit.HOURS.toNanos(1));
    try {
      Thrown.assertReached(looks);
      assertTrue(first.get() >= soon, "too early by " + (soon - first.get()));
      assertTrue(thread.get().isDaemon());
    } finally {
      watchdog.stop();
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 20_000_000})
  @DisplayName("CC-19: it looks again at the time that a look returned, at least 1 ms later")
  void looksWhenAsked(long laterNs) throws InterruptedException {
    CountDownLatch looks = new CountDownLatch(2);
    List<Long> times = new CopyOnWriteArrayList<>();
    WatchdogThread watchdog =
        new WatchdogThread(
            System::nanoTime,
            now -> {
              times.add(now);
              looks.countDown();
              return looks.getCount() > 0 ? now + laterNs : Sync.Alarm.NEVER;
            });
    watchdog.due(System.nanoTime());
    try {
      Thrown.assertReached(looks);
      assertTrue(times.get(1) - times.get(0) >= Math.max(laterNs, 1_000_000), times::toString);
    } finally {
      watchdog.stop();
    }
  }

  @Test
  @DisplayName("2.6-8c: who is interrupted while the watchdog ends keeps the flag")
  void stopInterrupted() throws InterruptedException {
    CountDownLatch inside = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    WatchdogThread watchdog =
        new WatchdogThread(
            System::nanoTime,
            now -> {
              inside.countDown();
              Wait.on(go);
              return Sync.Alarm.NEVER;
            });
    watchdog.due(System.nanoTime());
    Thrown.assertReached(inside);
    Thread.currentThread().interrupt();
    watchdog.stop();
    assertTrue(Thread.interrupted());
    go.countDown();
  }
}
