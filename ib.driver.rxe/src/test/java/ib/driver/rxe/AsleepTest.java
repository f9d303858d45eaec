package ib.driver.rxe;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("issue 13, point 3: the receiving thread runs the handlers of a sleeping receiver")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class AsleepTest {
  private static final int WARM = 3000;
  private static final int ROUNDS = 2000;
  private static final int TRIES = 10;
  private static final double MAX_SWITCHES = 2.2; // a round trip, as raw UDP has two
  private static final double MAX_LOOKS = 2; // a millisecond, of both devices' spare threads

  private final RxeLab lab = new RxeLab();

  private void devices(String progress) {
    lab.configure("rxe0", "address", "127.0.0.1", "progress", progress);
    lab.configure("rxe1", "address", "127.0.0.2", "progress", progress);
  }

  @AfterEach
  void end() {
    lab.close();
  }

  private Rally rally(Runnable inServer) {
    return new Rally(lab.lease("rxe0"), lab.lease("rxe1"), inServer);
  }

  @ParameterizedTest(name = "progress = {0}")
  @ValueSource(strings = {"thread", "poll"})
  @DisplayName("G14: a round trip costs two voluntary switches, as with sockets")
  void switches(String progress) throws Exception {
    devices(progress);
    try (Rally rally = rally(() -> {})) {
      rally.play(WARM);
      double least = Double.MAX_VALUE;
      for (int i = 0; i < TRIES && least > 0; i++) {
        Map<String, Long> before = Switches.count();
        long start = System.nanoTime();
        rally.play(ROUNDS);
        double ms = (System.nanoTime() - start) / (double) TimeUnit.MILLISECONDS.toNanos(1);
        long slept = 0;
        for (Map.Entry<String, Long> e : Switches.count().entrySet()) {
          slept += e.getValue() - before.getOrDefault(e.getKey(), 0L);
        }
        least = Math.min(least, slept / (double) ROUNDS - MAX_LOOKS * ms / ROUNDS);
      }
      assertTrue(least <= MAX_SWITCHES, least + " switches a round trip");
    }
  }

  @Test
  @DisplayName("handlers run on the receiving thread")
  void thread() throws Exception {
    devices("poll");
    try (Rally rally = rally(() -> {})) {
      rally.play(WARM);
      assertTrue(rally.serverThreads().contains("ib-rxe1-rx"), rally.serverThreads()::toString);
    }
  }

  @Test
  @DisplayName("a handler that does not return holds up neither the sockets nor other queue pairs")
  void stuck() throws Exception {
    CountDownLatch inside = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    AtomicReference<String> where = new AtomicReference<>();
    Runnable waits =
        () -> {
          where.set(Thread.currentThread().getName());
          inside.countDown();
          try {
            release.await(10, TimeUnit.MINUTES);
          } catch (InterruptedException e) {
            throw new AssertionError(e);
          }
        };
    devices("poll");
    try (Rally stuck = rally(waits);
        Rally free = rally(() -> {})) {
      free.play(WARM);
      stuck.begin(1);
      assertTrue(inside.await(10, TimeUnit.MINUTES));
      free.play(ROUNDS);
      release.countDown();
      stuck.end();
      assertTrue(where.get().startsWith("ib-rxe1-rx"), where::get);
      free.play(ROUNDS);
    } finally {
      release.countDown();
    }
  }
}
