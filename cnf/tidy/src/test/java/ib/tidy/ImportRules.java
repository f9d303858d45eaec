package ib.tidy;

import com.sun.source.tree.AnnotationTree;
import com.sun.source.tree.ImportTree;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.util.TreeScanner;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** Who may import whom: DESIGN section 1, as data and one walk over the tree. */
final class ImportRules {
  private static final String API =
      "ib\\.core\\.(verbs|client|config|serial|wire|mad(\\.(smp|cm))?|sa|cm)";
  private static final String EXPORTED =
      "ib\\.core\\.(verbs|client|config|serial|spi|wire|mad(\\.(smp|cm))?|sa|cm)";

  /** What a room may know of ours, beside itself. First match holds. */
  private record Room(String name, String mayUse) {}

  private static final List<Room> ROOMS =
      List.of(
          new Room("ib\\.core", "nothing"),
          new Room("ib\\.engine", EXPORTED),
          new Room("ib\\.driver\\.verbs", EXPORTED + "|ib\\.driver\\.base(\\.[a-z0-9]+)*"),
          new Room("ib\\.driver\\..*", EXPORTED + "|ib\\.(engine|driver\\.base)(\\.[a-z0-9]+)*"),
          new Room("ib\\.cm", API),
          new Room("ib\\.ulp\\..*", API + "|ib\\.cm"),
          new Room("ib\\.health", EXPORTED),
          new Room(
              "ib\\.tools",
              EXPORTED + "|ib\\.cm(\\.rdma|\\.stream)?|ib\\.health|ib\\.kit\\.capture"),
          new Room("ib\\.(verifier|kit)", EXPORTED),
          new Room("ib\\.web", EXPORTED + "|ib\\.health|ib\\.tools\\.[a-z]+|ib\\.kit\\.capture"),
          new Room("cnf/launcher", "nothing"),
          new Room("samples/driver", EXPORTED + "|ib\\.(engine|driver\\.base)(\\.[a-z0-9]+)*"),
          new Room("samples/nvmet", API + "|ib\\.cm(\\.rdma)?|ib\\.driver\\.rxe\\.standalone"),
          new Room("samples/.*", EXPORTED));

  private ImportRules() {}

  /** Every forbidden name in product code, however it is written: import or fully qualified. */
  static List<String> check(Source source) {
    if (!source.product()) {
      return List.of();
    }
    Walk walk = new Walk(source);
    walk.scan(source.unit(), null);
    return walk.found;
  }

  private static final class Walk extends TreeScanner<Void, Void> {
    private final Source source;
    private final Room room;
    private final String own;
    private final boolean osgi;
    private final List<String> found = new ArrayList<>();

    Walk(Source source) {
      this.source = source;
      room =
          ROOMS.stream()
              .filter(r -> source.room().matches(r.name))
              .findFirst()
              .orElseThrow(() -> new AssertionError("no import rule for room " + source.room()));
      own = source.room().equals("cnf/launcher") ? "ib.launcher" : source.room();
      osgi = knowsOsgi(source);
    }

    @Override
    public Void visitImport(ImportTree tree, Void none) {
      check(tree, tree.getQualifiedIdentifier().toString());
      return null;
    }

    @Override
    public Void visitMemberSelect(MemberSelectTree tree, Void none) {
      String name = tree.toString();
      if (name.matches("(ib|org)(\\.\\w+)+")) {
        check(tree, name);
        return null;
      }
      return super.visitMemberSelect(tree, none);
    }

    private void check(com.sun.source.tree.Tree tree, String name) {
      if (name.equals(source.packageName())) {
        return;
      }
      if (name.startsWith("ib.") && !ours(name)) {
        found.add(source.at(tree, source.room() + " must not use " + name));
      }
      if (name.startsWith("org.osgi.") && !osgi && !annotation(name)) {
        found.add(source.at(tree, name + ": only entry and command classes know OSGi"));
      }
      String from = source.packageName();
      boolean exported = from.startsWith("ib.core.") && !from.startsWith("ib.core.internal");
      if (exported && name.startsWith("ib.core.internal")) {
        found.add(source.at(tree, from + " is exported and must not use " + name));
      }
      boolean low = from.equals("ib.core.serial") && name.matches("ib\\.core\\..*");
      if (low && !name.matches("ib\\.core\\.(verbs|serial)\\..*")) {
        found.add(source.at(tree, from + " knows ib.core.verbs only, not " + name));
      }
      boolean engine = source.room().equals("ib.engine");
      if (engine && (name.startsWith("org.osgi.") || name.startsWith("org.slf4j"))) {
        found.add(source.at(tree, "ib.engine must not use " + name));
      }
    }

    private boolean ours(String name) {
      return name.equals(own)
          || name.startsWith(own + ".")
          || Pattern.compile("(" + room.mayUse + ")(\\.([A-Z*].*))?").matcher(name).matches();
    }

    /** Compile-time annotations: they leave nothing behind at run time. */
    private boolean annotation(String name) {
      return name.startsWith("org.osgi.annotation.");
    }
  }

  /** A component or its configuration, something in a package of that name, or the launcher. */
  private static boolean knowsOsgi(Source source) {
    boolean[] component = {
      source.packageName().endsWith(".osgi") || source.room().equals("cnf/launcher")
    };
    new TreeScanner<Void, Void>() {
      @Override
      public Void visitAnnotation(AnnotationTree tree, Void none) {
        component[0] |=
            tree.getAnnotationType().toString().matches("Component|ObjectClassDefinition");
        return null;
      }
    }.scan(source.unit(), null);
    return component[0];
  }
}
