package ib.tidy;

import com.sun.source.tree.ImportTree;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.tree.PackageTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.TreeScanner;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The rooms of the engine, which are packages: each knows only rooms that stand before it in the
 * order.
 */
final class EngineRooms {
  private static final String ENGINE = "ib.engine";

  /** The first knows no other; the last, without a name, is the package that drivers enter. */
  static final List<String> ORDER =
      List.of(
          "time",
          "mr",
          "wire",
          "run",
          "cq",
          "link",
          "ring",
          "qp",
          "direct",
          "packet.send",
          "packet.receive",
          "control",
          "port",
          "verbs",
          "");

  /** The two ways of a request, and both ends of the second, know nothing of each other. */
  static final Set<String> APART = Set.of("direct", "packet.send", "packet.receive");

  /** The rooms that no other knows, wires around a wire, with what they know. */
  static final Map<String, Set<String>> ASIDE =
      Map.of(
          "capture",
          Set.of("time", "wire", "run"),
          "fault",
          Set.of("time", "mr", "wire", "run", ""));

  private EngineRooms() {}

  /** {@return one line for each name of a room that the room of this source must not know} */
  static List<String> check(Source source) {
    if (!source.product() || !source.room().equals(ENGINE)) {
      return List.of();
    }
    List<String> found = new ArrayList<>();
    String own = room(source.packageName());
    if (!ORDER.contains(own) && !ASIDE.containsKey(own)) {
      found.add(source.path() + ": a room without a place in the order: " + own);
      return found;
    }
    new TreeScanner<Void, Void>() {
      @Override
      public Void visitPackage(PackageTree tree, Void none) {
        return null;
      }

      @Override
      public Void visitImport(ImportTree tree, Void none) {
        name(tree, tree.getQualifiedIdentifier().toString());
        return null;
      }

      @Override
      public Void visitMemberSelect(MemberSelectTree tree, Void none) {
        String name = tree.toString();
        if (name.matches("ib\\.engine(\\.\\w+)+")) {
          name(tree, name);
          return null;
        }
        return super.visitMemberSelect(tree, none);
      }

      private void name(Tree tree, String name) {
        if (name.startsWith(ENGINE + ".") && !knows(own, room(name))) {
          found.add(source.at(tree, source.packageName() + " must not know " + name));
        }
      }
    }.scan(source.unit(), null);
    return found;
  }

  /** {@return the room in a name, of a package, a type or a member, that begins with ours} */
  private static String room(String name) {
    String rest = name.substring(ENGINE.length());
    return rest.replaceFirst("\\.[A-Z*].*", "").replaceFirst("^\\.", "");
  }

  private static boolean knows(String own, String other) {
    Set<String> only = ASIDE.get(own);
    if (own.equals(other) || only != null) {
      return own.equals(other) || only.contains(other);
    }
    if (APART.contains(own) && APART.contains(other)) {
      return false;
    }
    return ORDER.contains(other) && ORDER.indexOf(other) < ORDER.indexOf(own);
  }
}
