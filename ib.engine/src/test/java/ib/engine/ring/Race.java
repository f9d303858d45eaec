package ib.engine.ring;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Starts threads together and gives back the first failure, so that a canary can be expected to
 * fail.
 */
public final class Race {
  /** A thread's work; it calls {@link Race#pause} wherever it waits. */
  public interface Body {
    void run(int thread, Race race) throws Exception;
  }

  /** Seconds: ends what hangs, however busy the machine is. */
  public static final int HANG_S = 600;

  private final AtomicReference<Throwable> failure = new AtomicReference<>();
  private final long endNs;

  private Race(long limitNs) {
    endNs = System.nanoTime() + limitNs;
  }

  /** Lets others run; throws when another thread has failed or nothing moves any more. */
  public void pause() {
    if (failure.get() != null) {
      throw new IllegalStateException("over");
    }
    if (System.nanoTime() > endNs) {
      throw new AssertionError("stands still");
    }
    Thread.yield();
  }

  /** Runs the body on n threads; returns the first failure or null. */
  public static Throwable run(int n, int limitSeconds, Body body) throws InterruptedException {
    CountDownLatch start = new CountDownLatch(1);
    Race race = new Race(TimeUnit.SECONDS.toNanos(limitSeconds));
    Thread[] threads = new Thread[n];
    for (int i = 0; i < n; i++) {
      int me = i;
      threads[i] =
          Thread.ofPlatform()
              .daemon()
              .start(
                  () -> {
                    try {
                      start.await();
                      body.run(me, race);
                    } catch (Throwable t) {
                      race.failure.compareAndSet(null, t);
                    }
                  });
    }
    start.countDown();
    for (Thread t : threads) {
      t.join(TimeUnit.SECONDS.toMillis(limitSeconds + 60));
      if (t.isAlive()) {
        race.failure.compareAndSet(null, new AssertionError("stuck: " + t));
      }
    }
    return race.failure.get();
  }
}
