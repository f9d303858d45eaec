package ib.bench;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The second thread, on a processor of its own. It serves one case after the other; each case's own
 * loop is called once a window, so that no loop is shared and each is compiled for its case.
 */
final class Partner implements AutoCloseable {
  private final AtomicReference<@Nullable Case> current = new AtomicReference<>();
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
  private final Patience patience = new Patience("the second thread");
  private final Thread thread;
  private volatile boolean stop;
  private volatile boolean end;

  Partner(int cpu) {
    thread = Thread.ofPlatform().daemon().name("partner").start(() -> loop(cpu));
  }

  private void loop(int cpu) {
    try {
      Pin.to(cpu);
      while (!end) {
        Case c = current.get();
        if (c == null) {
          Thread.onSpinWait();
        } else {
          c.serve(this);
          current.set(null);
        }
      }
    } catch (RuntimeException | Error e) {
      failure.set(e);
      current.set(null);
    }
  }

  void start(Case c) {
    stop = false;
    current.set(c);
  }

  /** Returns once the case is no longer served. */
  void stop() {
    stop = true;
    while (current.get() != null) {
      patience.spin();
    }
    patience.rest();
    Throwable t = failure.get();
    if (t != null) {
      throw new IllegalStateException("the second thread failed", t);
    }
  }

  boolean stopped() {
    return stop;
  }

  @Override
  public void close() {
    end = true;
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
