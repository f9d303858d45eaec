package ib.core.testing;

import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;

/**
 * Waits of tests: what must happen is waited for, however busy the machine is. The bound only ends
 * a hang.
 */
public final class Wait {
  private static final long LIMIT_S = TimeUnit.MINUTES.toSeconds(10);
  private static final int INNERMOST = 3; // frames: of a parked thread, one of them is a park
  private static final String LOCK = "java.util.concurrent.locks.Reentrant";

  private Wait() {}

  /**
   * Waits for a latch.
   *
   * @param latch counted down by another thread
   */
  public static void on(CountDownLatch latch) {
    try {
      if (!latch.await(LIMIT_S, TimeUnit.SECONDS)) {
        throw new AssertionError("not within " + LIMIT_S + " s");
      }
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /**
   * Waits for a condition.
   *
   * @param condition made true by another thread
   */
  public static void until(BooleanSupplier condition) {
    long start = System.nanoTime();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - start > TimeUnit.SECONDS.toNanos(LIMIT_S)) {
        throw new AssertionError("not within " + LIMIT_S + " s");
      }
      Thread.onSpinWait();
    }
  }

  /**
   * Waits until a thread sleeps, with a limit or without. One that has ended will never do so.
   *
   * @param thread which
   */
  public static void asleep(Thread thread) {
    until(
        () ->
            switch (thread.getState()) {
              case WAITING, TIMED_WAITING -> true;
              case TERMINATED -> throw new AssertionError(thread + " has ended");
              default -> false;
            });
  }

  /**
   * Waits until a thread is parked inside of a method of the core. One stack tells all of it: a
   * state, asked before, may be that of another wait, which has ended since; and a thread that
   * stands before a lock waits for nobody's task.
   *
   * @param thread which
   * @param method the method's name
   */
  public static void inside(Thread thread, String method) {
    until(
        () -> {
          List<StackTraceElement> stack = List.of(thread.getStackTrace());
          return stack.stream().limit(INNERMOST).anyMatch(f -> f.getMethodName().startsWith("park"))
              && stack.stream().noneMatch(f -> f.getClassName().startsWith(LOCK))
              && stack.stream()
                  .anyMatch(
                      f ->
                          f.getClassName().startsWith("ib.core.")
                              && f.getMethodName().equals(method));
        });
  }

  /**
   * Runs something on a thread of its own.
   *
   * @param body what
   * @return its end
   */
  public static Future<?> start(Runnable body) {
    FutureTask<?> task = new FutureTask<>(body, null);
    Thread.ofPlatform().daemon().name("test-helper").start(task);
    return task;
  }

  /**
   * Waits for the end of what {@link #start} began; what it threw is thrown here.
   *
   * @param future what was started
   */
  public static void end(Future<?> future) {
    try {
      future.get(LIMIT_S, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      throw new AssertionError(e.getCause());
    } catch (InterruptedException | TimeoutException e) {
      throw new AssertionError(e);
    }
  }
}
