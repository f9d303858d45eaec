package ib.verifier.check;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The order in which classes of locks are taken (S30), as a graph: an edge says that a thread took
 * the second while it held the first. A closed cycle is a deadlock that waits for its moment, even
 * if no two threads were ever there together. A class of locks is a field, or the place where locks
 * were made. Callbacks are locks, too: the midlayer holds one while it calls a bundle, and who
 * waits for callbacks takes it.
 *
 * <p>What a thread holds is in a thread local, the edges are in a concurrent map. No locks.
 */
final class LockOrder {
  private static final String ADVICE =
      "take the two always in one order; release locks before you wait for callbacks";

  // pairs of lock and name, of classes of the JDK, so that a foreign thread keeps no bundle alive
  private static final ThreadLocal<ArrayList<Object>> HELD =
      ThreadLocal.withInitial(ArrayList::new);

  private static final Object CALLBACK = "callback";

  private final Reports reports;
  private final Sites sites = new Sites();
  private final Map<String, Map<String, List<String>>> edges = new ConcurrentHashMap<>();

  LockOrder(Reports reports) {
    this.reports = reports;
  }

  /** The code has made a lock. */
  void made(Object lock, String site) {
    sites.made(lock, site);
  }

  /** The calling thread is about to wait for a lock. */
  void locking(Object lock, String name, String culprit) {
    ArrayList<Object> held = HELD.get();
    String type = type(lock, name);
    if (!type.isEmpty() && indexOf(held, lock) < 0) {
      wanted(held, type, culprit);
    }
  }

  /** The calling thread is about to wait for callbacks of a bundle. */
  void fence(String types, String culprit) {
    ArrayList<Object> held = HELD.get();
    if (!held.isEmpty()) {
      for (String type : types.split(" ")) {
        wanted(held, nameOf(type, culprit), culprit);
      }
    }
  }

  /** The calling thread has a lock. */
  void locked(Object lock, String name) {
    ArrayList<Object> held = HELD.get();
    held.add(lock);
    held.add(type(lock, name));
  }

  /** The calling thread no more has a lock, as often as it has taken it before less one. */
  void unlocked(Object lock) {
    ArrayList<Object> held = HELD.get();
    int i = indexOf(held, lock);
    if (i >= 0) {
      held.subList(i, i + 2).clear();
    }
  }

  /** The midlayer calls a bundle. */
  void callback(String types, String culprit) {
    ArrayList<Object> held = HELD.get();
    StringJoiner names = new StringJoiner("\n");
    for (String type : types.split(" ")) {
      names.add(nameOf(type, culprit));
    }
    held.add(CALLBACK);
    held.add(names.toString());
  }

  /** The call of the bundle returns. */
  void callbackEnd() {
    unlocked(CALLBACK);
  }

  @SuppressWarnings("ReferenceEquality") // a lock is itself, whatever its equals says
  private static int indexOf(ArrayList<Object> held, Object lock) {
    for (int i = held.size() - 2; i >= 0; i -= 2) {
      if (held.get(i) == lock) {
        return i;
      }
    }
    return -1;
  }

  /**
   * {@return the class of a lock: the field that it was read from, or the place where it was made;
   * of a monitor without a field its type, and an empty text when that is the JDK's}
   */
  private String type(Object lock, String name) {
    if (!name.isEmpty()) {
      return name;
    }
    String site = sites.of(lock);
    if (!site.isEmpty()) {
      return site;
    }
    String type = lock instanceof Class<?> c ? "class " + c.getName() : lock.getClass().getName();
    return type.startsWith("java.") ? "" : "monitor of " + type;
  }

  private static String nameOf(String type, String culprit) {
    return "callback " + type.substring(type.lastIndexOf('.') + 1) + " of " + culprit;
  }

  private static boolean isCallback(String type) {
    return type.startsWith("callback ");
  }

  private void wanted(ArrayList<Object> held, String type, String culprit) {
    for (int i = 1; i < held.size(); i += 2) {
      for (String first : ((String) held.get(i)).split("\n")) { // a callback has several
        if (!first.isEmpty() && !first.equals(type)) {
          add(first, type, culprit);
        }
      }
    }
  }

  private void add(String first, String second, String culprit) {
    Map<String, List<String>> after = edges.computeIfAbsent(first, f -> new ConcurrentHashMap<>());
    if (after.containsKey(second)) {
      return;
    }
    List<String> stack = Reports.here();
    if (after.putIfAbsent(second, stack) != null) {
      return;
    }
    List<String> back = path(second, first);
    if (back != null && !back.stream().allMatch(LockOrder::isCallback)) {
      String text =
          "takes %s while it holds %s, and elsewhere the order is %s: two threads can wait for each other for ever"
              .formatted(second, first, String.join(", then ", back));
      List<String> other = edges.getOrDefault(back.get(0), Map.of()).get(back.get(1));
      reports.report("S30", culprit, text, ADVICE, stack, other == null ? List.of() : other);
    }
  }

  /** {@return a way from one class of locks to another, both included, or null} */
  private @Nullable List<String> path(String from, String to) {
    Map<String, String> before = new HashMap<>();
    before.put(from, "");
    Deque<String> open = new ArrayDeque<>(List.of(from));
    while (!open.isEmpty()) {
      String at = open.removeFirst();
      if (at.equals(to)) {
        ArrayDeque<String> path = new ArrayDeque<>();
        for (String step = at; step != null && !step.isEmpty(); step = before.get(step)) {
          path.addFirst(step);
        }
        return List.copyOf(path);
      }
      for (String next : edges.getOrDefault(at, Map.of()).keySet()) {
        if (before.putIfAbsent(next, at) == null) {
          open.add(next);
        }
      }
    }
    return null;
  }
}
