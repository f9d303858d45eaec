package ib.core.testing;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * The classes that {@link Interleavings} explores, the places where they stop, and the bugs that
 * are planted into them.
 *
 * @param woven classes that are loaded anew for each schedule, by name
 * @param stopping of these, the ones that stop before each access to shared state
 * @param arrays whether they stop before plain accesses to array elements, too
 * @param bugs what is planted
 */
public record Weave(
    Predicate<String> woven, Predicate<String> stopping, boolean arrays, List<Bug> bugs) {
  /** The core's internals. */
  public static final Weave CORE =
      new Weave(
          n -> n.startsWith("ib.core.internal.") || n.startsWith("ib.core.serial."),
          n -> true,
          false,
          List.of());

  /** The effect of a planted bug. */
  public enum Kind {
    /** An atomic read-modify-write becomes a read and a write. */
    TORN,
    /** A call without result is left out. */
    DROPPED,
    /** A condition is taken for true without being asked. */
    TRUE
  }

  /**
   * A bug, planted into the product's own code.
   *
   * @param method where, as {@code ib.core.Type.method}
   * @param call which call in there, by its method's name
   * @param kind what becomes of it
   */
  public record Bug(String method, String call, Kind kind) {}

  /**
   * Weaves all classes whose name begins so.
   *
   * @param prefix of the names
   * @return without bugs
   */
  public static Weave of(String prefix) {
    return new Weave(n -> n.startsWith(prefix), n -> true, false, List.of());
  }

  /**
   * Fewer stops, for larger scenarios.
   *
   * @param classes simple or nested names of those that stop
   * @return the same otherwise
   */
  public Weave stoppingIn(String... classes) {
    List<String> names = List.of(classes);
    return new Weave(woven, n -> names.contains(n.substring(n.lastIndexOf('.') + 1)), arrays, bugs);
  }

  /** {@return the same with stops before plain accesses to array elements} */
  public Weave withArrays() {
    return new Weave(woven, stopping, true, bugs);
  }

  /**
   * Plants a bug, besides those that are planted already.
   *
   * @param method where, as {@code ib.core.Type.method}
   * @param call which call in there
   * @param kind what becomes of it
   * @return the same with the bug
   */
  public Weave with(String method, String call, Kind kind) {
    List<Bug> more = new ArrayList<>(bugs);
    more.add(new Bug(method, call, kind));
    return new Weave(woven, stopping, arrays, List.copyOf(more));
  }
}
