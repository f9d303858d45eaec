package ib.core.serial;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The end of a wait.
 *
 * @param kind how the wait ended
 * @param cycle for {@link Kind#REFUSED} and {@link Kind#INSIDE} the threads that wait for each
 *     other, the caller first and last; else empty
 */
public record End(Kind kind, List<Thread> cycle) {
  /** The ways in which a wait ends. */
  public enum Kind {
    /** The target of the wait is over. */
    DONE,
    /** The caller is inside the run that it would wait for (CC-17). */
    INSIDE,
    /** A thread that the caller would wait for waits, in the end, for the caller. */
    REFUSED,
    /** The time limit has passed. */
    TIMEOUT
  }

  /** The end of a wait whose target is over. */
  public static final End DONE = new End(Kind.DONE, List.of());

  /** The end of a wait whose time limit has passed. */
  public static final End TIMEOUT = new End(Kind.TIMEOUT, List.of());

  /** Copies the list. */
  public End {
    cycle = List.copyOf(cycle);
  }

  /**
   * Returns the end of a wait that was refused, before or after it began.
   *
   * @param cycle the threads that wait for each other, the caller first and last
   * @return {@link Kind#INSIDE} if the cycle has no other thread, else {@link Kind#REFUSED}
   */
  public static End of(List<Thread> cycle) {
    return new End(cycle.size() == 2 ? Kind.INSIDE : Kind.REFUSED, cycle);
  }

  /** {@return whether the target of the wait is over} */
  public boolean done() {
    return kind == Kind.DONE;
  }

  /** {@return the thread that the caller would have waited for, in a cycle; else null} */
  public @Nullable Thread other() {
    return kind == Kind.REFUSED ? cycle.get(1) : null;
  }
}
