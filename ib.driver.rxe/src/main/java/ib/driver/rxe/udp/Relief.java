package ib.driver.rxe.udp;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The duty of receiving, which one of two threads has. The thread on duty leaves the sockets alone
 * while it runs handlers; when that takes longer than a patience, the spare thread takes the duty
 * over, and the other one is the spare as soon as its handlers have returned.
 *
 * <p>One number says who has the duty: it is even while the thread on duty is at the sockets, and
 * odd while that thread runs handlers. The thread goes on only if it finds the odd number that it
 * has left; the spare takes over by replacing that odd number. So exactly one of the two has the
 * duty. The spare looks once per patience while handlers run now and then, and sleeps otherwise: it
 * sets {@code resting} before it looks at the number, and the thread on duty looks at {@code
 * resting} after it has changed the number, so one of the two sees the other.
 */
final class Relief {
  private final long patienceNs;
  private final AtomicLong phase = new AtomicLong();
  private volatile @Nullable Thread spare; // in standBy, or about to be
  private volatile boolean resting;
  private volatile boolean stopped;

  Relief(long patienceNs) {
    this.patienceNs = patienceNs;
  }

  /** {@return whether a spare will take over} Only the thread on duty may call. */
  boolean hasSpare() {
    return spare != null;
  }

  /** Names the first spare, which calls {@link #standBy} next. Null for one that cannot start. */
  void spare(@Nullable Thread thread) {
    spare = thread;
  }

  /**
   * The thread on duty leaves the sockets to run handlers.
   *
   * @return a number for {@link #back}
   */
  long leave() {
    long left = phase.incrementAndGet();
    if (resting) {
      resting = false;
      LockSupport.unpark(spare);
    }
    return left;
  }

  /**
   * The handlers have returned.
   *
   * @param left what {@link #leave} has returned
   * @return whether the calling thread still has the duty; else it stands by
   */
  boolean back(long left) {
    return phase.compareAndSet(left, left + 1);
  }

  /**
   * Waits until the thread on duty has been away for longer than the patience. Blocks.
   *
   * @return whether the calling thread has the duty now; false after {@link #stop}
   */
  boolean standBy() {
    spare = Thread.currentThread();
    long seen = phase.get();
    long since = System.nanoTime();
    while (!stopped) {
      LockSupport.parkNanos(patienceNs); // a short pause between two looks
      long now = phase.get();
      if (now != seen) {
        seen = now;
        since = System.nanoTime();
      } else if ((now & 1) == 0) {
        rest(now);
      } else if (System.nanoTime() - since >= patienceNs && takeOver(now)) {
        return true;
      }
    }
    return false;
  }

  private boolean takeOver(long left) {
    if (!phase.compareAndSet(left, left + 1)) {
      return false;
    }
    spare = null;
    return true;
  }

  private void rest(long seen) {
    resting = true;
    if (phase.get() == seen && !stopped) {
      LockSupport.park(this);
    }
    resting = false;
  }

  /** Ends {@link #standBy}. Any thread may call. */
  void stop() {
    stopped = true;
    LockSupport.unpark(spare);
  }
}
