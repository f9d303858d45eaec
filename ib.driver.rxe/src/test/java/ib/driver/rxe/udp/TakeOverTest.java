package ib.driver.rxe.udp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.engine.time.NanoClock;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("The receiving thread takes over from consumers that poll")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class TakeOverTest {
  private static final int CYCLES = 100;
  private static final int SPINS = 1000;

  private final CountDownLatch receiving = new CountDownLatch(1); // the consumer
  private final CountDownLatch resume = new CountDownLatch(1); // the consumer
  private final AtomicInteger sleeps = new AtomicInteger();
  private final AtomicInteger wakes = new AtomicInteger();
  private final AtomicInteger looksAfter = new AtomicInteger(); // of the device's thread

  /** A consumer spins, and finds a datagram after a pause; the device's thread finds none. */
  private final class Paused extends Receiver {
    private int emptyPolls;
    private final Semaphore bell = new Semaphore(0);
    private final Thread consumer = Thread.currentThread();

    Paused(Inbound inbound, UdpCounters counters, int emptyPolls) {
      super(inbound, counters, 0);
      this.emptyPolls = emptyPolls;
    }

    @Override
    void endpoints(Endpoint[] now) {}

    @Override
    int sweep() {
      if (!Thread.currentThread().equals(consumer)) {
        looksAfter.addAndGet(resume.getCount() == 0 ? 1 : 0);
        return 0;
      }
      if (emptyPolls > 0) {
        emptyPolls--;
        return 0;
      }
      receiving.countDown();
      try {
        resume.await();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
      return 1;
    }

    @Override
    void sleep() {
      sleeps.incrementAndGet();
      bell.acquireUninterruptibly();
      wakes.incrementAndGet();
    }

    @Override
    void settle() {}

    @Override
    void wake() {
      bell.release();
    }

    @Override
    void release() {}
  }

  private static void until(BooleanSupplier condition, String what) {
    long start = System.nanoTime();
    while (!condition.getAsBoolean()) {
      assertTrue(System.nanoTime() - start < TimeUnit.MINUTES.toNanos(10), what);
      Thread.yield();
    }
  }

  private Paused receiver(ReceivePool pool, int emptyPolls) {
    UdpCounters counters = new UdpCounters();
    Inbound inbound =
        new Inbound(
            new ReceiverTest.Port(),
            new ReceiverTest.Run(),
            pool,
            counters,
            new RefusedDatagrams(),
            NanoClock.SYSTEM,
            (high, low) -> false,
            ReceiverTest.options(UdpOptions.Path.PORTABLE));
    return new Paused(inbound, counters, emptyPolls);
  }

  @Test
  @DisplayName("a consumer that arms, polls and sleeps does not send the device's thread away")
  void sleepingConsumer() {
    try (ReceivePool pool = new ReceivePool(1, 64, 1, 1)) {
      Paused receiver = receiver(pool, Integer.MAX_VALUE);
      receiver.start("ib-test-rx");
      try {
        until(() -> sleeps.get() == 1, "the device's thread does not sleep");
        for (int i = 0; i < CYCLES; i++) {
          assertFalse(receiver.poll());
          receiver.pollersRest();
          assertFalse(receiver.poll());
        }
        assertEquals(0, receiver.bell.availablePermits() + wakes.get(), "it was woken");
        until(
            () -> {
              receiver.poll();
              return wakes.get() > 0;
            },
            "a consumer that spins receives alone");
      } finally {
        receiver.stop();
      }
    }
  }

  @Test
  @DisplayName("a consumer paused in its last poll: its held-back acknowledgements are sent")
  void pausedConsumer() {
    try (ReceivePool pool = new ReceivePool(1, 64, 1, 1)) {
      Paused receiver = receiver(pool, SPINS);
      receiver.start("ib-test-rx");
      try {
        until(() -> sleeps.get() == 1, "the device's thread does not sleep");
        Thread witness =
            Thread.ofPlatform()
                .start(
                    () -> {
                      try {
                        receiving.await();
                        // woken by the poll, it finds the receive ring held and sleeps again
                        until(() -> sleeps.get() >= 2, "the device's thread does not rest");
                      } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                      } finally {
                        resume.countDown();
                      }
                    });
        for (int i = 0; i < SPINS; i++) {
          assertFalse(receiver.poll());
        }
        until(receiver::poll, "no poll looks at the sockets any more");
        until(() -> looksAfter.get() > 0, "the device's thread does not look after the last poll");
        until(() -> !witness.isAlive(), "the witness does not end");
      } finally {
        receiver.stop();
      }
    }
  }
}
