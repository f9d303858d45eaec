package ib.tidy;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.Tree;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * No two top-level types of a bundle have one simple name: a name that is read in a log, a stack or
 * an import means one type. A nested type is named with the type around it, and may repeat.
 */
final class ClassNames {
  /** What the bundle of a driver carries beside its own packages: see its bnd.bnd. */
  private static final List<String> EMBEDDED = List.of("ib.engine", "ib.driver.base");

  private ClassNames() {}

  /** {@return one line for each name that stands for several types of a bundle} */
  static List<String> check(Collection<Source> sources) {
    Set<String> found = new TreeSet<>();
    Map<String, Map<String, Set<String>>> bundles = new TreeMap<>();
    sources.stream().filter(Source::product).forEach(s -> bundles.put(s.room(), new TreeMap<>()));
    bundles.forEach(
        (bundle, names) -> {
          for (Source s : sources) {
            if (s.product() && contains(bundle, s.room())) {
              collect(s, names);
            }
          }
          names.forEach(
              (name, types) -> {
                if (types.size() > 1) {
                  found.add("one name, several types: " + String.join(", ", types));
                }
              });
        });
    return List.copyOf(found);
  }

  private static boolean contains(String bundle, String room) {
    boolean driver = bundle.startsWith("ib.driver.") && !EMBEDDED.contains(bundle);
    return room.equals(bundle) || driver && EMBEDDED.contains(room);
  }

  private static void collect(Source source, Map<String, Set<String>> names) {
    for (Tree type : source.unit().getTypeDecls()) {
      if (type instanceof ClassTree c) {
        String name = c.getSimpleName().toString();
        names.computeIfAbsent(name, n -> new TreeSet<>()).add(source.packageName() + "." + name);
      }
    }
  }
}
