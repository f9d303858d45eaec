package ib.core.internal.hotplug;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Who waits for whom (B15). A thread's edges: the owners of what it waits for, and those whom the
 * operations that it runs will have to wait for (children of the device, lease holders). Guarded by
 * the book; computed from the state each time, so that it cannot be stale.
 */
final class WaitForGraph {
  private final Map<Thread, Op> waits = new HashMap<>();
  private final Map<Thread, Tenure> tenures;

  WaitForGraph(Map<Thread, Tenure> tenures) {
    this.tenures = tenures;
  }

  void enter(Thread waiter, Op op) {
    waits.put(waiter, op);
  }

  void leave(Thread waiter) {
    waits.remove(waiter);
  }

  /** The operations that threads wait for now. */
  Map<Thread, Op> waits() {
    return Map.copyOf(waits);
  }

  /**
   * Looks for a way back.
   *
   * @param from who wants to wait
   * @param firsts for whom
   * @return the threads of the cycle, {@code from} first; empty when there is none
   */
  List<Thread> cycle(Thread from, Set<Thread> firsts) {
    ArrayDeque<List<Thread>> paths = new ArrayDeque<>();
    Set<Thread> seen = new HashSet<>();
    firsts.forEach(f -> paths.add(List.of(from, f)));
    while (!paths.isEmpty()) {
      List<Thread> path = paths.poll();
      Thread end = path.getLast();
      if (end.equals(from)) {
        return path;
      }
      if (seen.add(end)) {
        for (Thread next : successors(end)) {
          List<Thread> longer = new ArrayList<>(path);
          longer.add(next);
          paths.add(longer);
        }
      }
    }
    return List.of();
  }

  private Set<Thread> successors(Thread thread) {
    Set<Thread> next = new LinkedHashSet<>();
    Op op = waits.get(thread);
    if (op != null) {
      next.addAll(op.device.actor.blockers(op));
    }
    for (Tenure t = tenures.get(thread); t != null; t = t.outer) {
      next.addAll(t.actor.needsOf(t));
    }
    return next;
  }
}
