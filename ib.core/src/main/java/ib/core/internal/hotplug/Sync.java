package ib.core.internal.hotplug;

import java.util.function.LongUnaryOperator;

/**
 * All places where threads of this package meet: a test orders them, {@link SystemSync} just runs.
 */
interface Sync {
  /** Marks a place where another thread may run first; called without the book's lock. */
  void step();

  /** {@return a signal that was not fired} */
  Signal signal();

  /** {@return a daemon thread, not started} */
  Thread thread(String name, Runnable body);

  /** Starts a thread made by {@link #thread}. */
  void start(Thread thread);

  /**
   * Makes the watchdog's clockwork.
   *
   * @param scan looks at everything at the given time and returns when it wants to look again
   */
  Alarm alarm(LongUnaryOperator scan);

  /** One thread waits for it once; fired once. */
  interface Signal {
    /** Ends the wait; any context. */
    void fire();

    /** Waits; an interrupt does not break the fence, the flag is restored. */
    void await();
  }

  /** Calls the watchdog when it is time. */
  interface Alarm {
    /** The time from when on there is nothing to do. */
    long NEVER = Long.MAX_VALUE;

    /** Something becomes due at that time; any context. */
    void due(long ns);

    /** Ends the thread, if there is one, and waits for it. */
    void stop();
  }
}
