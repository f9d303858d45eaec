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
import java.util.List;
import javax.lang.model.element.Modifier;

/** Sizes, names and banned calls: DESIGN section 4. */
final class CodeRules {
  static final int FILE_LINES = 400;
  static final int METHOD_LINES = 60;
  static final int COLUMNS = 120;

  private CodeRules() {}

  static List<String> check(Source source) {
    List<String> found = new ArrayList<>();
    List<String> lines = source.lines();
    if (lines.size() > FILE_LINES) {
      found.add(source.path() + ": " + lines.size() + " lines, at most " + FILE_LINES);
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

  private static final class Walk extends TreeScanner<Void, Void> {
    private final Source source;
    private final List<String> found;

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
      return super.visitClass(tree, none);
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
      return super.visitMethod(tree, none);
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

    private void banned(Tree tree, String name) {
      boolean program = source.room().equals("cnf/launcher");
      boolean clock = source.room().matches("ib\\.(core|engine)");
      if (!program && name.matches("(java\\.lang\\.)?System\\.(out|err)")
          || name.endsWith(".printStackTrace")
          || name.matches("(java\\.lang\\.)?Thread\\.sleep")
          || clock && name.endsWith("System.currentTimeMillis")) {
        found.add(source.at(tree, "banned: " + name));
      }
    }
  }
}
