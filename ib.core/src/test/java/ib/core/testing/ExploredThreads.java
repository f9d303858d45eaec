package ib.core.testing;

import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.Method;
import java.util.concurrent.Executor;

/**
 * Virtual threads that the explorer runs itself, one turn after the other in its own thread. By the
 * JDK's scheduler a schedule cost six times the processor time (0.2 ms instead of 0.034 for a
 * completion queue's scenario), because each change of threads woke another carrier. The JDK offers
 * no public way to choose the scheduler (25).
 */
final class ExploredThreads {
  private static final Method NEW_THREAD = find();

  private ExploredThreads() {}

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
   * @param turns is given each turn of the thread: from its start, or from where it was woken, to
   *     where it waits or ends. A turn is to be run by a platform thread.
   * @param name of the thread
   * @param body what it does
   * @return the thread
   */
  static Thread thread(Executor turns, String name, Runnable body) {
    try {
      return (Thread) NEW_THREAD.invoke(null, turns, name, 0, body);
    } catch (ReflectiveOperationException e) {
      throw new AssertionError(e);
    }
  }
}
