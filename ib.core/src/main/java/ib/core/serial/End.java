package ib.core.serial;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How a wait ended.
 *
 * @param kind how
 * @param cycle of {@link Kind#REFUSED} and {@link Kind#INSIDE}: the threads that wait for each
 *     other, the caller first and last; else empty
 */
public record End(Kind kind, List<Thread> cycle) {
  /** How. */
  public enum Kind {
    /** What was waited for is over. */
    DONE,
    /** The caller is inside of what it would wait for (CC-17). */
    INSIDE,
    /** What is waited for waits, in the end, for the caller. */
    REFUSED,
    /** The time is over. */
    TIMEOUT
  }

  /** It is over. */
  public static final End DONE = new End(Kind.DONE, List.of());

  /** The time is over. */
  public static final End TIMEOUT = new End(Kind.TIMEOUT, List.of());

  /** Copies the list. */
  public End {
    cycle = List.copyOf(cycle);
  }

  /**
   * The end of a wait that was not entered, or was given up.
   *
   * @param cycle the threads that wait for each other, the caller first and last
   * @return that the caller is inside, when there is no other thread; else that it is refused
   */
  public static End of(List<Thread> cycle) {
    return new End(cycle.size() == 2 ? Kind.INSIDE : Kind.REFUSED, cycle);
  }

  /** {@return whether what was waited for is over} */
  public boolean done() {
    return kind == Kind.DONE;
  }

  /** {@return the thread that the caller would have waited for, in a cycle; else null} */
  public @Nullable Thread other() {
    return kind == Kind.REFUSED ? cycle.get(1) : null;
  }
}
