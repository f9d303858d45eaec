package ib.core.internal.hotplug;

import java.util.concurrent.CountDownLatch;
import java.util.function.LongSupplier;
import java.util.function.LongUnaryOperator;

/** Real threads. */
final class SystemSync implements Sync {
  private final LongSupplier clock;

  SystemSync(LongSupplier clock) {
    this.clock = clock;
  }

  @Override
  public void step() {
    // the scheduler of the operating system decides
  }

  @Override
  public Signal signal() {
    return new Latch();
  }

  @Override
  public Thread thread(String name, Runnable body) {
    Thread t = new Thread(body, name);
    t.setDaemon(true);
    return t;
  }

  @Override
  public void start(Thread thread) {
    thread.start();
  }

  @Override
  public Alarm alarm(LongUnaryOperator scan) {
    return new WatchdogThread(clock, scan);
  }

  private static final class Latch implements Signal {
    private final CountDownLatch latch = new CountDownLatch(1);

    @Override
    public void fire() {
      latch.countDown();
    }

    @Override
    public void await() {
      boolean interrupted = false;
      for (; ; ) {
        try {
          latch.await();
          break;
        } catch (InterruptedException e) {
          interrupted = true; // an interrupt does not end the fence; the caller gets the flag back
        }
      }
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
