package ib.engine.run;

/** What a worker's thread does, for tests that step it themselves. */
public final class Turns {
  private Turns() {}

  /** As its thread, but for the catch, which would keep the explorer from ending a schedule. */
  public static void endlessly(Worker worker) {
    while (true) {
      worker.turn();
    }
  }

  /** Starts a worker on a thread of the test. */
  public static void start(Worker worker, Thread thread) {
    worker.start(thread);
  }

  /** {@return nanoseconds that a worker may sleep} */
  public static long restNs(Worker worker) {
    return worker.restNs();
  }
}
