package ib.core.testing;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * The exceptions that a step of a service thread may throw, and the check that the thread goes on.
 */
public final class Thrown {
  private Thrown() {}

  /**
   * {@return one of each kind: a defect, a checked one that was sneaked in, no memory, no stack}
   */
  public static Stream<Throwable> kinds() {
    return Stream.of(
        new IllegalStateException("a defect"),
        new Exception("checked"),
        new OutOfMemoryError("heap"),
        new StackOverflowError());
  }

  /** Throws whatever it is given. */
  @SuppressWarnings("unchecked")
  public static <T extends Throwable> Error sneak(Throwable what) throws T {
    throw (T) what;
  }

  /** Waits until a thread has counted the latch down. */
  public static void assertReached(CountDownLatch latch) throws InterruptedException {
    if (!latch.await(5, TimeUnit.MINUTES)) {
      throw new AssertionError("the thread does not go on");
    }
  }
}
