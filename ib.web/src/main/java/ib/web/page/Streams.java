package ib.web.page;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.io.Writer;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * The open streams of server-sent events. Each has a thread of the HTTP service to itself, so their
 * number is bounded; each ends when its browser has gone or {@link #close} is called.
 */
public final class Streams implements AutoCloseable {
  /** Most streams at a time. */
  public static final int MAX_STREAMS = 24;

  private static final long PERIOD_NS = TimeUnit.SECONDS.toNanos(1);
  private static final long CLOSE_NS = TimeUnit.SECONDS.toNanos(2);
  private static final int MAX_SILENCE = 5; // seconds; a browser that has gone is found by a write

  @GuardedBy("this")
  private int open;

  @GuardedBy("this")
  private long changes;

  @GuardedBy("this")
  private boolean closed;

  /** Creates the table, without streams. */
  public Streams() {}

  /**
   * Takes a place for a stream.
   *
   * @return whether there was one; the caller gives it back by {@link #leave}
   */
  public synchronized boolean enter() {
    if (closed || open >= MAX_STREAMS) {
      return false;
    }
    open++;
    return true;
  }

  /** Gives the place of a stream back. */
  public synchronized void leave() {
    open--;
    notifyAll();
  }

  /** Makes all streams draw at once, because something has changed. */
  public synchronized void wake() {
    changes++;
    notifyAll();
  }

  /**
   * Writes events until the browser has gone or the streams are closed. Blocks until then.
   *
   * @param to the browser
   * @param drawing makes the text of an event
   * @throws IOException when the browser has gone
   */
  public void serve(Writer to, Supplier<String> drawing) throws IOException {
    String last = "";
    int silence = 0;
    for (long seen = changes(); seen >= 0; seen = awaitChange(seen)) {
      String now = drawing.get();
      if (!now.equals(last)) {
        to.write("data: " + now.replace("\r", "").replace("\n", "\ndata: ") + "\n\n");
        to.flush();
        silence = 0;
        last = now;
      } else if (++silence >= MAX_SILENCE) {
        to.write(": still here\n\n");
        to.flush();
        silence = 0;
      }
    }
  }

  private synchronized long changes() {
    return closed ? -1 : changes;
  }

  /** Waits a second, or until a change. {@return the number of changes; -1 when closed} */
  private synchronized long awaitChange(long seen) {
    long end = System.nanoTime() + PERIOD_NS;
    try {
      for (long rest = PERIOD_NS; !closed && changes == seen && rest > 0; ) {
        TimeUnit.NANOSECONDS.timedWait(this, rest);
        rest = end - System.nanoTime();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return -1;
    }
    return changes();
  }

  /** Ends all streams; returns when they have ended, or after 2 s. */
  @Override
  public synchronized void close() {
    closed = true;
    notifyAll();
    long end = System.nanoTime() + CLOSE_NS;
    try {
      for (long rest = CLOSE_NS; open > 0 && rest > 0; rest = end - System.nanoTime()) {
        TimeUnit.NANOSECONDS.timedWait(this, rest);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
