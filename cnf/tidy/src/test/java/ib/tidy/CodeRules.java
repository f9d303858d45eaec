package ib.tidy;

import com.sun.source.tree.BlockTree;
import com.sun.source.tree.CatchTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.TreeScanner;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.lang.model.element.Modifier;

/** Sizes, names and banned calls: DESIGN section 4. */
final class CodeRules {
  static final int FILE_LINES = 400;
  static final int CODE_LINES = 300;
  static final int PARAMETERS = 6;
  static final int METHOD_LINES = 60;
  static final int COLUMNS = 120;

  /**
   * Classes of the engine whose size and parameters are not looked at: what a completion consists
   * of is handed on in parameters, and a queue pair has many methods.
   */
  static final Set<String> REBUILT =
      Set.of("CompletionRing", "SoftCq", "Responder", "SendCompletions", "SoftQp");

  /**
   * Methods that have more parameters, each with its reason. A method leaves the list when it is
   * mended, and {@link #unused} reports an entry that no method needs; none is added.
   */
  static final Map<String, String> MANY_PARAMETERS =
      Map.ofEntries(
          Map.entry("ib.core/Bth.set", "one store for all fields of a header, for each packet"),
          Map.entry("ib.core/Book.<init>", "parts of hot-plug, which tests replace one by one"),
          Map.entry("ib.driver.rxe/Inbound.<init>", "parts of a receiver, made once"),
          Map.entry(
              "ib.driver.rxe/Inbound.datagram",
              "what the two kinds of socket know of a datagram: an object would be made for each"),
          Map.entry("ib.driver.rxe/Inbound.decode", "the same, for the ICRC"),
          Map.entry(
              "ib.driver.rxe/SocketAddress.write",
              "the fields of sockaddr_in6; a GID is two words, as everywhere on the way of a packet"),
          Map.entry("ib.engine/DatagramCodec.flow", "two GIDs of two words each, for each packet"),
          Map.entry("ib.engine/DatagramIcrc.flow", "two GIDs of two words each, for each packet"),
          Map.entry(
              "ib.engine/Mover.counted",
              "two memories of key, version and address: an object would be made for each request"),
          Map.entry(
              "ib.engine/Key.bind",
              "the fields of a key, written between two versions; a bind allocates nothing"),
          Map.entry("ib.ulp.ipoib/IpPacket.write", "the fields of an IP header, for each packet"));

  private CodeRules() {}

  static List<String> check(Source source) {
    List<String> found = new ArrayList<>();
    List<String> lines = source.lines();
    if (!source.product() && lines.size() > FILE_LINES) {
      found.add(source.path() + ": " + lines.size() + " lines, at most " + FILE_LINES);
    }
    long code = source.codeLines();
    if (source.product() && code > CODE_LINES && !rebuilt(source)) {
      found.add(source.path() + ": " + code + " lines of code, at most " + CODE_LINES);
    }
    for (int i = 0; i < lines.size(); i++) {
      String at = source.path() + ":" + (i + 1) + ": ";
      if (lines.get(i).length() > COLUMNS) {
        found.add(at + lines.get(i).length() + " columns, at most " + COLUMNS);
      }
      if (lines.get(i).matches(".*\\b(TO" + "DO|FIX" + "ME|XX" + "X)\\b.*")) {
        found.add(at + "unfinished work");
      }
    }
    if (source.packageName().matches("(.*\\.)?utils?(\\..*)?")) {
      found.add(source.path() + ": a package called util");
    }
    Walk walk = new Walk(source, found);
    walk.scan(source.unit(), null);
    return found;
  }

  /** {@return an entry of the exceptions for each that no method of these sources needs} */
  static List<String> unused(List<Source> sources) {
    Set<String> needed = new HashSet<>();
    sources.stream().filter(Source::product).forEach(s -> new Many(s, needed).scan(s.unit(), null));
    return MANY_PARAMETERS.keySet().stream()
        .filter(name -> !needed.contains(name))
        .map(name -> name + " has no longer too many parameters: it leaves the list")
        .sorted()
        .toList();
  }

  /** Collects the names of methods with many parameters. */
  private static final class Many extends TreeScanner<Void, Void> {
    private final Source source;
    private final Set<String> found;

    Many(Source source, Set<String> found) {
      this.source = source;
      this.found = found;
    }

    @Override
    public Void visitMethod(MethodTree tree, Void none) {
      if (tree.getParameters().size() > PARAMETERS) {
        found.add(name(source, tree));
      }
      return super.visitMethod(tree, none);
    }
  }

  /** The name of a method as {@link #MANY_PARAMETERS} has it. */
  private static String name(Source source, MethodTree tree) {
    String file = source.room() + "/" + source.fileName();
    return file.replace(".java", ".") + tree.getName();
  }

  private static boolean rebuilt(Source source) {
    String name = source.fileName().replace(".java", "");
    return source.room().equals("ib.engine") && REBUILT.contains(name);
  }

  private static final class Walk extends TreeScanner<Void, Void> {
    private final Source source;
    private final List<String> found;
    private Tree.Kind type = Tree.Kind.CLASS;

    Walk(Source source, List<String> found) {
      this.source = source;
      this.found = found;
    }

    @Override
    public Void visitClass(ClassTree tree, Void none) {
      if (tree.getSimpleName().toString().matches(".+(Impl|Manager|Helper|Utils?)")) {
        found.add(source.at(tree, "a type called " + tree.getSimpleName()));
      }
      for (Tree member : tree.getMembers()) {
        if (source.product() && member instanceof VariableTree field && mutable(tree, field)) {
          found.add(source.at(field, "static mutable state: " + field.getName()));
        }
      }
      Tree.Kind outer = type;
      type = tree.getKind();
      super.visitClass(tree, none);
      type = outer;
      return null;
    }

    private static boolean mutable(ClassTree owner, VariableTree field) {
      var flags = field.getModifiers().getFlags();
      boolean constant =
          owner.getKind() == Tree.Kind.INTERFACE || owner.getKind() == Tree.Kind.ANNOTATION_TYPE;
      return !constant && flags.contains(Modifier.STATIC) && !flags.contains(Modifier.FINAL);
    }

    @Override
    public Void visitMethod(MethodTree tree, Void none) {
      long length = source.length(tree);
      if (length > METHOD_LINES) {
        found.add(
            source.at(tree, tree.getName() + " has " + length + " lines, at most " + METHOD_LINES));
      }
      int parameters = tree.getParameters().size();
      String name = name(source, tree);
      boolean many = source.product() && parameters > PARAMETERS && !rebuilt(source);
      if (many && !construct(tree) && !MANY_PARAMETERS.containsKey(name)) {
        found.add(
            source.at(
                tree,
                tree.getName() + " has " + parameters + " parameters, at most " + PARAMETERS));
      }
      return super.visitMethod(tree, none);
    }

    /** {@return whether this is the constructor of a record or an enum: its values are a table} */
    private boolean construct(MethodTree tree) {
      boolean table = type == Tree.Kind.RECORD || type == Tree.Kind.ENUM;
      return table && tree.getReturnType() == null;
    }

    @Override
    public Void visitCatch(CatchTree tree, Void none) {
      BlockTree block = tree.getBlock();
      if (source.product() && block.getStatements().isEmpty()) {
        found.add(source.at(tree, "a swallowed exception"));
      }
      return super.visitCatch(tree, none);
    }

    @Override
    public Void visitMemberSelect(MemberSelectTree tree, Void none) {
      if (source.product()) {
        banned(tree, tree.toString());
      }
      return super.visitMemberSelect(tree, none);
    }

    /**
     * One copier: what reads or writes registered memory copies by {@code Copier}, and not itself.
     */
    private boolean copies(String name) {
      return source.packageName().matches("ib\\.engine\\.(mr|qp|cq|run|ring)")
          && !source.fileName().equals("Copier.java")
          && name.matches("(.*\\.)?(MemorySegment\\.copy|copyFrom)");
    }

    private void banned(Tree tree, String name) {
      boolean program = source.room().equals("cnf/launcher");
      boolean clock = source.room().matches("ib\\.(core|engine)");
      if (!program && name.matches("(java\\.lang\\.)?System\\.(out|err)")
          || name.endsWith(".printStackTrace")
          || name.matches("(java\\.lang\\.)?Thread\\.sleep")
          || name.matches("((java\\.util\\.concurrent\\.)?TimeUnit\\.)?[A-Z]+\\.sleep")
          || clock && name.endsWith("System.currentTimeMillis")
          || copies(name)) {
        found.add(source.at(tree, "banned: " + name));
      }
    }
  }
}
