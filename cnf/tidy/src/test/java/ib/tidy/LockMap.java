package ib.tidy;

import com.sun.source.tree.MethodTree;
import com.sun.source.tree.NewClassTree;
import com.sun.source.tree.SynchronizedTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.TreeScanner;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import javax.lang.model.element.Modifier;

/**
 * The map of locks: the page of a package names each of its classes that has a lock, in the
 * paragraph "Locks", which says what the lock guards and what nests in it.
 */
final class LockMap {
  /** The modules that have a map. A module is added when its map is whole, and stays. */
  static final Set<String> MAPPED =
      Set.of(
          "cnf/launcher",
          "ib.core",
          "ib.cm",
          "ib.driver.base",
          "ib.driver.rxe",
          "ib.driver.verbs",
          "ib.driver.soft",
          "ib.engine",
          "ib.kit",
          "ib.tools",
          "ib.web",
          "ib.ulp.ipoib",
          "ib.health",
          "ib.verifier");

  private static final Pattern LOCK =
      Pattern.compile("\\b(?:Reentrant|ReentrantReadWrite|Stamped)Lock\\b");

  private LockMap() {}

  /** {@return one line for each class with a lock that the page of its package does not name} */
  static List<String> check(Collection<Source> sources) {
    Map<String, String> pages = new TreeMap<>();
    for (Source s : sources) {
      if (s.fileName().equals("package-info.java")) {
        int from = s.text().indexOf("Locks");
        pages.put(folder(s), from < 0 ? "" : s.text().substring(from));
      }
    }
    List<String> found = new ArrayList<>();
    for (Source s : sources) {
      Tree lock = s.product() && MAPPED.contains(s.room()) ? first(s) : null;
      String name = s.fileName().replace(".java", "");
      if (lock != null && !names(pages.getOrDefault(folder(s), ""), name)) {
        found.add(s.at(lock, "the page of the package does not name the lock of " + name));
      }
    }
    return found;
  }

  private static boolean names(String page, String name) {
    String code = "\\{@code[\\s*]+" + name + "\\b[^}]*\\}";
    return Pattern.compile(code).matcher(page).find();
  }

  private static String folder(Source s) {
    return s.path().substring(0, s.path().lastIndexOf('/'));
  }

  /** {@return the first use of a monitor in a file, or its first lock; null when there is none} */
  private static Tree first(Source source) {
    List<Tree> locks = new ArrayList<>();
    new TreeScanner<Void, Void>() {
      @Override
      public Void visitMethod(MethodTree method, Void nothing) {
        if (method.getModifiers().getFlags().contains(Modifier.SYNCHRONIZED)) {
          locks.add(method);
        }
        return super.visitMethod(method, nothing);
      }

      @Override
      public Void visitSynchronized(SynchronizedTree block, Void nothing) {
        locks.add(block);
        return super.visitSynchronized(block, nothing);
      }

      @Override
      public Void visitVariable(VariableTree field, Void nothing) {
        if (field.getInitializer() instanceof NewClassTree made
            && LOCK.matcher(made.getIdentifier().toString()).find()) {
          locks.add(field);
        }
        return super.visitVariable(field, nothing);
      }
    }.scan(source.unit(), null);
    return locks.isEmpty() ? null : locks.getFirst();
  }
}
