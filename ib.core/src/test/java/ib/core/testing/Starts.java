package ib.core.testing;

import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;

/** Makes threads; while a test says so, they cannot be made or started, as without memory. */
public final class Starts implements ThreadFactory {
  private final ThreadFactory threads;

  /** Whether a thread that is made now fails to start. */
  public volatile boolean failing;

  /** Whether making a thread fails. */
  public volatile boolean refusing;

  /** How many threads could not be made or started. */
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
    if (refusing) {
      failed.incrementAndGet();
      throw new OutOfMemoryError("planted");
    }
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
