package ib.ulp.ipoib.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("issue 5: the thread of an interface")
class LoopTest {
  @Test
  @DisplayName("survives whatever a task, a timer or polled work throws, and counts it")
  void survives() throws InterruptedException {
    Loop loop = new Loop(System::nanoTime, new Parking());
    AtomicInteger steps = new AtomicInteger();
    AtomicInteger arms = new AtomicInteger();
    loop.add(
        new Loop.Work() {
          @Override
          public boolean step() {
            if (steps.getAndIncrement() == 0) {
              throw new OutOfMemoryError("planted");
            }
            return false;
          }

          @Override
          public boolean arm() {
            if (arms.getAndIncrement() == 0) {
              throw new StackOverflowError("planted");
            }
            return false;
          }
        });
    Thread thread = Thread.ofPlatform().daemon().name("loop-test").start(loop::run);
    loop.execute(
        () -> {
          throw new LinkageError("planted");
        });
    loop.execute(
        () ->
            loop.after(
                0,
                () -> {
                  throw new AssertionError("planted");
                }));
    CountDownLatch done = new CountDownLatch(1);
    loop.execute(() -> loop.after(1_000_000, done::countDown));
    assertTrue(done.await(1, TimeUnit.MINUTES), "it goes on");
    loop.execute(loop::end);
    assertTrue(thread.join(Duration.ofMinutes(5)));
    assertTrue(arms.get() > 0);
    assertEquals(4, loop.failures());
  }

  @Test
  @DisplayName("a caller of turn() gets the error of a task: an assertion is not lost")
  void byHand() {
    Loop loop = new Loop(() -> 0, new Parking());
    loop.execute(
        () -> {
          throw new AssertionError("planted");
        });
    assertThrows(AssertionError.class, loop::turn);
  }
}
