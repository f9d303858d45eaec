package ib.core.internal.event;

import java.util.concurrent.locks.LockSupport;

/** Time, as the event path sees it: the seam by which tests move time by hand. */
public interface EventClock {
  /** The clock of the machine. */
  EventClock SYSTEM =
      new EventClock() {
        @Override
        public long nanoTime() {
          return System.nanoTime();
        }

        @Override
        public void parkUntil(Object blocker, long deadlineNs) {
          LockSupport.parkNanos(blocker, deadlineNs - System.nanoTime());
        }
      };

  /** {@return nanoseconds since some moment} */
  long nanoTime();

  /**
   * Parks the calling thread until it is unparked or a time has come; may return early.
   *
   * @param blocker what it waits for
   * @param deadlineNs until when at most, as {@link #nanoTime} tells it
   */
  void parkUntil(Object blocker, long deadlineNs);
}
