package ib.engine.time;

/** A clock that stands still until it is told; for the simulator and for tests (D12). */
public final class VirtualClock implements NanoClock {
  private volatile long now;

  /** Makes a clock at 0. */
  public VirtualClock() {}

  @Override
  public long nanoTime() {
    return now;
  }

  /**
   * Lets time pass.
   *
   * @param deltaNs nanoseconds, not negative; one caller at a time
   */
  public void advance(long deltaNs) {
    long to = now + deltaNs;
    now = to;
  }
}
