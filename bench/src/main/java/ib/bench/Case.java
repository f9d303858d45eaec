package ib.bench;

/** One thing that is measured. What it holds is made once and lives as long as the JVM. */
abstract class Case implements AutoCloseable {
  /** Who does it, and how a window of it is read. */
  enum Kind {
    /** One thread. A window's figure is its time by its operations. */
    ALONE,
    /**
     * With a second thread that it waits for. A window's figure is the median of its bursts: one in
     * which a thread was preempted does not count.
     */
    EXCHANGE,
    /** Two threads that do not wait for each other. Time by operations, those of both. */
    TOGETHER
  }

  final String name;
  final Kind kind;

  Case(String name, Kind kind) {
    this.name = name;
    this.kind = kind;
  }

  /** A few microseconds of it, with a loop of its own; returns how many operations. */
  abstract int burst();

  /**
   * The second thread's part: returns once {@code partner.stopped()} and all that was sent before
   * is received.
   */
  void serve(Partner partner) {
    throw new UnsupportedOperationException(name + " has one thread");
  }

  /** Operations of the second thread so far; read while it does not serve. */
  long served() {
    return 0;
  }

  /** Gives back what would outlive the JVM. */
  @Override
  public void close() {}
}
