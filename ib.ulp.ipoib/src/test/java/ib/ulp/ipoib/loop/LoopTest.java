package ib.ulp.ipoib.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;

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
    assertTrue(thread.join(Duration.ofMinutes(1)));
    assertTrue(arms.get() > 0);
    assertEquals(4, loop.failures());
  }

  @Test
  @DisplayName("turned by hand an error is the caller's: an assertion in a task is not lost")
  void byHand() {
    Loop loop = new Loop(() -> 0, new Parking());
    loop.execute(
        () -> {
          throw new AssertionError("planted");
        });
    assertThrows(AssertionError.class, loop::turn);
  }

  @Test
  @DisplayName("what others cause is said once a minute, with how many there were meanwhile")
  void sparse() {
    AtomicLong clock = new AtomicLong();
    List<String> lines = new ArrayList<>();
    Logger logger =
        (Logger)
            java.lang.reflect.Proxy.newProxyInstance(
                LoopTest.class.getClassLoader(),
                new Class<?>[] {Logger.class},
                (proxy, method, args) -> {
                  lines.add(method.getName() + " " + args[0]);
                  return null;
                });
    SparseLog log = new SparseLog(logger, clock::get);
    for (int i = 0; i < 1000; i++) {
      log.warn("bad", null);
    }
    assertEquals(List.of("warn bad"), lines);
    clock.addAndGet(SparseLog.PAUSE_NS - 1);
    log.warn("bad", null);
    assertEquals(1, lines.size());
    clock.incrementAndGet();
    log.warn("worse", null);
    assertEquals(List.of("warn bad", "warn worse (and 1000 more since the last line)"), lines);
  }
}
