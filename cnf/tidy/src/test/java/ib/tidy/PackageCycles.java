package ib.tidy;

import com.sun.source.tree.ImportTree;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** A package of a room knows lower ones only: no chain of imports leads back to where it began. */
final class PackageCycles {
  private PackageCycles() {}

  /** {@return one line for each package that can be reached from itself} */
  static List<String> check(Collection<Source> sources) {
    Set<String> packages = new TreeSet<>();
    sources.stream().filter(Source::product).forEach(s -> packages.add(s.packageName()));
    Map<String, Set<String>> imports = new TreeMap<>();
    for (Source s : sources) {
      if (s.product()) {
        Set<String> to = imports.computeIfAbsent(s.packageName(), p -> new TreeSet<>());
        for (ImportTree i : s.unit().getImports()) {
          String known = packageOf(i.getQualifiedIdentifier().toString(), packages);
          if (!known.equals(s.packageName())) {
            to.add(known);
          }
        }
      }
    }
    List<String> found = new ArrayList<>();
    for (String p : packages) {
      List<String> way = way(p, p, imports, new TreeSet<>());
      if (!way.isEmpty()) {
        found.add("a cycle of packages: " + String.join(" -> ", way));
      }
    }
    return found;
  }

  /** The package of a type, of a nested type or of a static member. */
  private static String packageOf(String name, Set<String> packages) {
    String p = name;
    while (!packages.contains(p) && p.contains(".")) {
      p = p.substring(0, p.lastIndexOf('.'));
    }
    return p;
  }

  private static List<String> way(
      String from, String to, Map<String, Set<String>> imports, Set<String> seen) {
    for (String next : imports.getOrDefault(from, Set.of())) {
      if (next.equals(to)) {
        return List.of(from, to);
      }
      if (seen.add(next)) {
        List<String> rest = way(next, to, imports, seen);
        if (!rest.isEmpty()) {
          List<String> way = new ArrayList<>(List.of(from));
          way.addAll(rest);
          return way;
        }
      }
    }
    return List.of();
  }
}
