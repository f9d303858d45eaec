package ib.itests;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * The one way to wait in these tests. What must happen is waited for, however busy the machine is;
 * the bound only ends a hang.
 */
public final class Await {
  /** Seconds after which a wait is a hang. */
  public static final long HANG_S = TimeUnit.MINUTES.toSeconds(10);

  private static final long LOOK_NS = TimeUnit.MILLISECONDS.toNanos(5);

  private Await() {}

  /**
   * Waits until something holds.
   *
   * @param what is waited for, for the message
   * @param condition made true by another thread or process
   * @param seen what there is in its place, asked when the wait is given up
   */
  public static void until(String what, BooleanSupplier condition, Supplier<?> seen) {
    until(what, condition, seen, HANG_S);
  }

  /** The same for a program on the emulated peer, which a case of the lane gives up earlier. */
  static void until(String what, BooleanSupplier condition, Supplier<?> seen, long seconds) {
    long start = System.nanoTime();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - start > TimeUnit.SECONDS.toNanos(seconds)) {
        throw new AssertionError(what + ": not within " + seconds + " s; seen:\n" + seen.get());
      }
      LockSupport.parkNanos(LOOK_NS);
    }
  }
}
