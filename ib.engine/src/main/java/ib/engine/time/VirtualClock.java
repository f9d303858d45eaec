package ib.engine.time;

/**
 * A clock that advances only when {@link #advance} is called; for the simulator and for tests
 * (D12).
 */
public final class VirtualClock implements NanoClock {
  private volatile long now;

  /** Makes a clock at 0. */
  public VirtualClock() {}

  @Override
  public long nanoTime() {
    return now;
  }

  /**
   * Advances the clock; one caller at a time.
   *
   * @param deltaNs nanoseconds, not negative
   */
  public void advance(long deltaNs) {
    long to = now + deltaNs;
    now = to;
  }
}
