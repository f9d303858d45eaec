package ib.core.internal.hotplug;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * The order of adds (S39, S41): by rank and arrival, refined by {@code ib.client.after}. Names that
 * are not registered are ignored; edges of a cycle are ignored where the cycle would stop the
 * order.
 */
final class ClientOrder {
  private static final Comparator<ClientEntry> BY_RANK =
      Comparator.<ClientEntry>comparingLong(e -> e.rank).thenComparingLong(e -> e.sequence);

  private ClientOrder() {}

  /** Topological order; of those that may come next the one that registered first does. */
  static List<ClientEntry> sort(List<ClientEntry> entries) {
    Map<String, ClientEntry> byName = new HashMap<>();
    entries.forEach(e -> byName.put(e.name, e));
    TreeSet<ClientEntry> left = new TreeSet<>(BY_RANK);
    left.addAll(entries);
    List<ClientEntry> sorted = new ArrayList<>();
    while (!left.isEmpty()) {
      ClientEntry next = left.first(); // when all that are left form cycles
      for (ClientEntry e : left) {
        if (e.after.stream()
            .map(byName::get)
            .noneMatch(p -> p != null && p != e && left.contains(p))) {
          next = e;
          break;
        }
      }
      left.remove(next);
      sorted.add(next);
    }
    return List.copyOf(sorted);
  }

  /** The names on a cycle through this client, from it to it; empty when there is none. */
  static List<String> cycle(List<ClientEntry> entries, ClientEntry start) {
    Map<String, ClientEntry> byName = new HashMap<>();
    entries.forEach(e -> byName.put(e.name, e));
    ArrayDeque<List<String>> paths = new ArrayDeque<>();
    Set<String> seen = new HashSet<>();
    paths.add(List.of(start.name));
    while (!paths.isEmpty()) {
      List<String> path = paths.poll();
      ClientEntry end = byName.get(path.getLast());
      for (String name : end == null ? List.<String>of() : end.after) {
        List<String> longer = new ArrayList<>(path);
        longer.add(name);
        if (name.equals(start.name)) {
          return longer;
        }
        if (seen.add(name)) {
          paths.add(longer);
        }
      }
    }
    return List.of();
  }
}
