package ib.core.internal.hotplug;

import ib.core.client.LeakRecord;
import ib.core.client.Violation;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Gets the reports of violations, leaks and failures. Called without locks, on the thread that
 * detected the problem.
 */
public interface Observer {
  /**
   * A clause was broken.
   *
   * @param violation the clause, the client and the stacks
   */
  void violation(Violation violation);

  /**
   * A client has not closed an object.
   *
   * @param leak the object
   */
  void leak(LeakRecord leak);

  /**
   * A callback failed.
   *
   * @param where device, client and callback
   * @param error what the callback threw
   */
  void failed(String where, Throwable error);

  /**
   * A callback does not return (CC-19).
   *
   * @param stuck the callback, its client and its thread
   */
  void stuck(Stuck stuck);

  /**
   * Writes a line to the log.
   *
   * @param text the line
   */
  void note(String text);

  /** A name or GUID is free that a device or client has had: who was refused may ask again. */
  default void freed() {}

  /**
   * A callback that does not return.
   *
   * @param device device name
   * @param client client name, or null when the driver or the core is slow
   * @param activity what does not return
   * @param ns since when, nanoseconds
   * @param thread thread name
   * @param stack where the thread is, innermost first
   * @param held what the client still has
   * @param revoked whether the deadline passed and the handle was revoked
   */
  record Stuck(
      String device,
      @Nullable String client,
      String activity,
      long ns,
      String thread,
      List<String> stack,
      List<String> held,
      boolean revoked) {}
}
