package ib.verifier.probe;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The methods that woven code calls. They are static, because woven code knows nothing but its own
 * classes; each does nothing while no {@link Watch} is set.
 */
public final class Probe {
  private static final AtomicReference<@Nullable Watch> WATCH = new AtomicReference<>();

  private Probe() {}

  /**
   * Sets what learns of the calls, for the bundle's activator.
   *
   * @param watch the watch, or null for none
   */
  public static void watch(@Nullable Watch watch) {
    WATCH.set(watch);
  }

  /**
   * See {@link Watch#enter}.
   *
   * @param method class and name
   */
  public static void enter(String method) {
    Watch watch = WATCH.get();
    if (watch != null) {
      watch.enter(method);
    }
  }

  /** See {@link Watch#exit}. */
  public static void exit() {
    Watch watch = WATCH.get();
    if (watch != null) {
      watch.exit();
    }
  }

  /**
   * See {@link Watch#mightSleep}.
   *
   * @param call which call
   * @param culprit the bundle whose code makes it
   */
  public static void mightSleep(String call, String culprit) {
    Watch watch = WATCH.get();
    if (watch != null) {
      watch.mightSleep(call, culprit);
    }
  }

  /**
   * See {@link Watch#mayCallSleeping}.
   *
   * @param call which method
   * @param culprit the bundle whose code calls
   */
  public static void mayCallSleeping(String call, String culprit) {
    Watch watch = WATCH.get();
    if (watch != null) {
      watch.mayCallSleeping(call, culprit);
    }
  }
}
