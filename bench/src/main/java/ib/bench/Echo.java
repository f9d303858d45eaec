package ib.bench;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** The second thread of a benchmark; what it throws is thrown again where it is closed. */
final class Echo implements AutoCloseable {
  /** One turn of the loop. */
  @FunctionalInterface
  interface Turn {
    /** Returns whether there was something to do. */
    boolean run();
  }

  private final AtomicBoolean stop = new AtomicBoolean();
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
  private final Thread thread;

  Echo(Turn turn) {
    this(turn, () -> {});
  }

  /** The last thing the thread does is {@code end}. */
  Echo(Turn turn, Runnable end) {
    thread = Thread.ofPlatform().name("echo").start(() -> loop(turn, end));
  }

  private void loop(Turn turn, Runnable end) {
    try {
      while (!stop.getPlain()) {
        if (!turn.run()) {
          Thread.onSpinWait();
        }
      }
      end.run();
    } catch (RuntimeException | Error e) {
      failure.set(e);
    }
  }

  @Override
  public void close() {
    stop.set(true);
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    Throwable t = failure.get();
    if (t != null) {
      throw new IllegalStateException("the echo thread failed", t);
    }
  }
}
