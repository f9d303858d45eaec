package ib.core.internal.event;

import java.util.concurrent.locks.LockSupport;

/** The clock of the event path. Tests supply one that they advance by hand. */
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
   * @param blocker the object that the thread waits for
   * @param deadlineNs until when at most, on the scale of {@link #nanoTime}
   */
  void parkUntil(Object blocker, long deadlineNs);
}
