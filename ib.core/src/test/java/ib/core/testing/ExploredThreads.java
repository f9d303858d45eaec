package ib.core.testing;

import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.Method;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Virtual threads that the explorer runs itself, one turn after the other in its own thread. By the
 * JDK's scheduler a schedule cost six times the processor time (0.2 ms instead of 0.034 for a
 * completion queue's scenario), because each change of threads woke another carrier. The JDK offers
 * no public way to choose the scheduler (25).
 */
final class ExploredThreads {
  private static final Method NEW_THREAD = find();

  private static final int MAX_MINUTES = 5; // ends a hang

  /** From the start of a thread, or from where it was woken, to where it waits or ends. */
  private final BlockingQueue<Runnable> turns = new LinkedBlockingQueue<>();

  private static Method find() {
    try {
      Method found =
          Class.forName("java.lang.ThreadBuilders")
              .getDeclaredMethod(
                  "newVirtualThread", Executor.class, String.class, int.class, Runnable.class);
      found.setAccessible(true);
      return found;
    } catch (InaccessibleObjectException e) {
      throw new AssertionError(
          "explored tests need the JVM's option --add-opens java.base/java.lang=ALL-UNNAMED", e);
    } catch (ReflectiveOperationException e) {
      throw new AssertionError("this JDK makes virtual threads in another way", e);
    }
  }

  /**
   * Makes a thread that has not started.
   *
   * @param name of the thread
   * @param body what it does
   * @return the thread
   */
  Thread create(String name, Runnable body) {
    try {
      Executor runner = turns::add;
      return (Thread) NEW_THREAD.invoke(null, runner, name, 0, body);
    } catch (ReflectiveOperationException e) {
      throw new AssertionError(e);
    }
  }

  /**
   * Runs each thread that can go on, in the calling platform thread, until an end. A thread may
   * meet a lock that is not woven (a logger's, say) while a thread that is not explored holds that
   * lock: the turn comes when the lock is free. That turn must be run; abandoned, the thread would
   * keep the lock for ever.
   *
   * @param end looked at before each turn
   */
  void runUntil(BooleanSupplier end) {
    while (!end.getAsBoolean()) {
      try {
        Runnable turn = turns.poll(MAX_MINUTES, TimeUnit.MINUTES);
        if (turn == null) {
          throw new AssertionError("an explored thread waits for something that is not woven");
        }
        turn.run();
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }
  }
}
