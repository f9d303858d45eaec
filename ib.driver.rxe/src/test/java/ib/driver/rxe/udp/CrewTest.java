package ib.driver.rxe.udp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.serial.KeptRuns;
import ib.core.serial.Serial;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("Two threads receive in turns")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class CrewTest {
  private static final long PATIENCE_NS = TimeUnit.MILLISECONDS.toNanos(1);
  private static final int WAIT_S = 600;

  private final CountDownLatch inside = new CountDownLatch(1);
  private final CountDownLatch release = new CountDownLatch(1);
  private final CountDownLatch stopped = new CountDownLatch(1);
  private final BlockingQueue<Thread> onDuty = new LinkedBlockingQueue<>();
  private final List<Throwable> failures = new CopyOnWriteArrayList<>();
  private final BlockingQueue<Serial> given = new LinkedBlockingQueue<>();
  private final Serial stuck =
      new Serial(given::add) {
        @Override
        protected void call() {
          inside.countDown();
          await(release);
        }
      };
  private final Serial waits =
      new Serial(given::add) {
        @Override
        protected void call() {}
      };
  private final Crew crew = new Crew(this::duty, failures::add, PATIENCE_NS);

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** The first thread wakes two handlers up; the other one waits for the end. */
  private void duty(Crew.Hand hand) {
    onDuty.add(Thread.currentThread());
    if (stuck.claim() && waits.claim()) {
      crew.keep(hand);
      assertTrue(KeptRuns.take(stuck));
      assertTrue(KeptRuns.take(waits));
      crew.handle(hand);
    } else {
      await(stopped);
    }
  }

  @Test
  @DisplayName(
      "a handler that stays: the spare has the duty, other handlers run at their places, and the"
          + " end does not wait for the handler for ever")
  void stuck() throws InterruptedException {
    crew.start("crew-test", crew::run);
    Thread first = onDuty.poll(WAIT_S, TimeUnit.SECONDS);
    assertEquals("crew-test", first.getName());
    await(inside);
    Thread second = onDuty.poll(WAIT_S, TimeUnit.SECONDS);
    assertEquals("crew-test-2", second.getName());
    assertEquals(waits, given.poll(WAIT_S, TimeUnit.SECONDS));
    crew.stop();
    stopped.countDown();
    assertFalse(crew.join());
    assertFalse(second.isAlive());
    assertTrue(first.isAlive(), "in the handler");
    release.countDown();
    first.join();
    assertTrue(onDuty.isEmpty(), "the first thread has the duty no more");
    assertEquals(List.of(), failures);
  }
}
