package ib.core.internal.event;

import java.util.concurrent.locks.LockSupport;

/** Time, as the dispatcher sees it: the seam by which tests move time by hand. */
public interface EventClock {
  /** The clock of the machine. */
  EventClock SYSTEM =
      new EventClock() {
        @Override
        public long nanoTime() {
          return System.nanoTime();
        }

        @Override
        public void park(Object blocker, long nanos) {
          LockSupport.parkNanos(blocker, nanos);
        }
      };

  /** {@return nanoseconds since some moment} */
  long nanoTime();

  /**
   * Parks the calling thread until it is unparked or time has passed; may return early.
   *
   * @param blocker what it waits for
   * @param nanos how long at most
   */
  void park(Object blocker, long nanos);
}
