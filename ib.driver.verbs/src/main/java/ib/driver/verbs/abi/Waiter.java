package ib.driver.verbs.abi;

import ib.core.verbs.IbNoMemoryException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Waits until a file descriptor can be read, or another thread rings. One thread waits; any thread
 * rings; the waiting thread closes, when it waits no more and no thread can ring.
 */
public final class Waiter implements AutoCloseable {
  private static final int POLL_BYTES = 8; // of struct pollfd: fd, events, revents
  private static final short READABLE = 1;

  private final Libc libc;
  private final int bell;

  /**
   * Opens the bell.
   *
   * @param libc the C library
   * @throws IbNoMemoryException when the process may open no more files
   */
  public Waiter(Libc libc) {
    this.libc = libc;
    try (Frame frame = new Frame()) {
      bell = (int) frame.call(libc.eventfd, 0, Libc.NONBLOCK_CLOEXEC);
      if (bell < 0) {
        throw new IbNoMemoryException(
            "eventfd", "the kernel refuses: " + frame.text(libc, frame.errno()), "ulimit -n");
      }
    }
  }

  /** Ends the present wait, or the next one. */
  public void ring() {
    try (Frame frame = new Frame()) {
      frame.call(libc.eventfdWrite, bell, 1);
    }
  }

  /**
   * Waits.
   *
   * @param frame of the calling thread
   * @param fd the file descriptor; -1 for none
   * @param milliseconds at most; -1 without limit
   * @return whether the descriptor can be read, or has an error that a read will show
   */
  public boolean await(Frame frame, int fd, int milliseconds) {
    MemorySegment both = frame.zeros(2 * POLL_BYTES);
    both.set(ValueLayout.JAVA_INT, 0, fd);
    both.set(ValueLayout.JAVA_SHORT, 4, READABLE);
    both.set(ValueLayout.JAVA_INT, POLL_BYTES, bell);
    both.set(ValueLayout.JAVA_SHORT, POLL_BYTES + 4, READABLE);
    frame.call(libc.poll, both.address(), 2, milliseconds);
    if (both.get(ValueLayout.JAVA_SHORT, POLL_BYTES + 6) != 0) {
      frame.call(libc.eventfdRead, bell, frame.zeros(Long.BYTES).address());
    }
    return both.get(ValueLayout.JAVA_SHORT, 6) != 0;
  }

  @Override
  public void close() {
    try (Frame frame = new Frame()) {
      frame.call(libc.close, bell);
    }
  }
}
