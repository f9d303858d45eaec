package ib.launcher.service;

import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * The bytes that a caller has typed or piped, for what reads them: a shell, or commands. The thread
 * of the connection adds and never waits, so it sees at once that the caller has gone.
 */
final class Input extends InputStream {
  /** Asks the caller for more bytes; may wait until the caller reads what it is sent. */
  interface Wanted {
    /**
     * Asks, on the thread that reads.
     *
     * @throws IOException when the caller has gone
     */
    void ask() throws IOException;
  }

  /** How much may wait for a shell that does not read. */
  static final int MAX_WAITING = 1 << 20;

  private final Wanted wanted;

  // under the monitor
  private final Queue<byte[]> waiting = new ArrayDeque<>();
  private byte @Nullable [] first;
  private int next;
  private int bytes;
  private boolean asked; // since the latest bytes
  private boolean ended;

  /** Made with the question to the caller, which is asked whenever nothing waits. */
  Input(Wanted wanted) {
    this.wanted = wanted;
  }

  /** Adds bytes; {@return false when too many wait} */
  synchronized boolean add(byte[] more) {
    if (bytes + more.length > MAX_WAITING) {
      return false;
    }
    if (more.length > 0 && !ended) {
      waiting.add(more);
      bytes += more.length;
      asked = false;
      notifyAll();
    }
    return true;
  }

  /** No more bytes come. */
  synchronized void end() {
    ended = true;
    notifyAll();
  }

  @Override
  public synchronized int available() {
    return bytes;
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public int read(byte[] to, int at, int most) throws IOException {
    Objects.checkFromIndexSize(at, most, to.length);
    if (most == 0) {
      return 0;
    }
    if (mustAsk()) {
      wanted.ask(); // outside of the monitor, which the thread of the connection needs
    }
    return take(to, at, most);
  }

  private synchronized boolean mustAsk() {
    boolean must = bytes == 0 && !ended && !asked;
    asked |= must;
    return must;
  }

  private synchronized int take(byte[] to, int at, int most) throws IOException {
    while (bytes == 0) {
      if (ended) {
        return -1;
      }
      try {
        wait();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new InterruptedIOException("interrupted while no input has come");
      }
    }
    byte[] from = first;
    if (from == null) {
      from = waiting.remove();
      next = 0;
    }
    int count = Math.min(most, from.length - next);
    System.arraycopy(from, next, to, at, count);
    next += count;
    bytes -= count;
    first = next < from.length ? from : null;
    return count;
  }
}
