package ib.verifier.bundles;

import ib.core.verbs.NotThreadSafe;
import java.util.concurrent.CountDownLatch;

/** Objects for one thread at a time, used by two and by one. */
public final class Shared {
  private Shared() {}

  /** For one thread at a time. */
  @NotThreadSafe
  static final class Page {
    private int lines;

    int write(Runnable meanwhile) {
      meanwhile.run();
      return ++lines;
    }

    void fail() {
      throw new IllegalStateException("after " + lines + " lines");
    }
  }

  /** Two threads are inside of one object. */
  public static final class ByTwo implements Runnable {
    private final Page page = new Page();

    @Override
    public void run() {
      CountDownLatch inside = new CountDownLatch(1);
      CountDownLatch over = new CountDownLatch(1);
      Thread other =
          new Thread(
              () ->
                  page.write(
                      () -> {
                        inside.countDown();
                        await(over);
                      }));
      other.start();
      await(inside);
      page.write(over::countDown);
      join(other);
    }
  }

  /** One thread is inside after the other, and one twice; one leaves by an exception. */
  public static final class InTurn implements Runnable {
    private final Page page = new Page();

    @Override
    public void run() {
      page.write(() -> page.write(() -> {}));
      try {
        page.fail();
      } catch (IllegalStateException e) {
        page.write(() -> {});
      }
      Thread other = new Thread(() -> page.write(() -> {}));
      other.start();
      join(other);
    }
  }

  static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  static void join(Thread thread) {
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
