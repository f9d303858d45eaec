package ib.core.testing;

import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;

/** Makes threads; while a test says so, they cannot be started, as when there is no memory. */
public final class Starts implements ThreadFactory {
  private final ThreadFactory threads;

  /** Whether a thread that is made now fails to start. */
  public volatile boolean failing;

  /** How many starts have failed. */
  public final AtomicInteger failed = new AtomicInteger();

  /**
   * Nothing fails yet.
   *
   * @param threads makes the threads that can be started
   */
  public Starts(ThreadFactory threads) {
    this.threads = threads;
  }

  @Override
  public Thread newThread(Runnable body) {
    return failing ? new Unstartable() : threads.newThread(body);
  }

  private final class Unstartable extends Thread {
    @Override
    public void start() {
      failed.incrementAndGet();
      throw new OutOfMemoryError("planted");
    }
  }
}
