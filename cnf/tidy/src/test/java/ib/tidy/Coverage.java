package ib.tidy;

import com.sun.source.tree.AnnotationTree;
import com.sun.source.tree.AssignmentTree;
import com.sun.source.tree.BinaryTree;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.LiteralTree;
import com.sun.source.util.TreeScanner;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Which clauses of the contract have a test that names them in its {@code DisplayName}: S the
 * clauses, CC the corner cases, I the invariants, B the bugs that others had.
 */
final class Coverage {
  /** A number, or a row of them: {@code S2-S5}, {@code I1-I8}. */
  private static final Pattern NUMBER =
      Pattern.compile("\\b(CC-|S|I|B)(\\d+)([a-z]?)\\b(?:-(?:CC-|S|I|B)?(\\d+)\\b)?");

  private Coverage() {}

  /** {@return what has to be there, in order} */
  static List<String> wanted() {
    return Stream.of(row("CC-", 26), row("I", 8), row("S", 52), Stream.of("S11b"), row("B", 25))
        .flatMap(s -> s)
        .toList();
  }

  private static Stream<String> row(String letter, int last) {
    return IntStream.rangeClosed(1, last).mapToObj(n -> letter + n);
  }

  /** {@return what of it no test names} */
  static List<String> missing(Collection<Source> sources) {
    Set<String> named = new TreeSet<>();
    for (Source source : sources) {
      names(source).forEach(name -> named.addAll(numbers(name)));
    }
    return wanted().stream().filter(w -> !named.contains(w)).toList();
  }

  /** {@return the display names of a file} */
  static List<String> names(Source source) {
    List<String> names = new ArrayList<>();
    new TreeScanner<Void, Void>() {
      @Override
      public Void visitAnnotation(AnnotationTree tree, Void none) {
        if (tree.getAnnotationType().toString().equals("DisplayName")) {
          ExpressionTree value = tree.getArguments().getFirst();
          names.add(text(value instanceof AssignmentTree a ? a.getExpression() : value));
        }
        return super.visitAnnotation(tree, none);
      }
    }.scan(source.unit(), null);
    return names;
  }

  private static String text(ExpressionTree value) {
    return switch (value) {
      case LiteralTree literal -> String.valueOf(literal.getValue());
      case BinaryTree sum -> text(sum.getLeftOperand()) + text(sum.getRightOperand());
      default -> "";
    };
  }

  /** {@return the numbers that a display name names} */
  static Set<String> numbers(String name) {
    Set<String> numbers = new TreeSet<>();
    Matcher m = NUMBER.matcher(name);
    while (m.find()) {
      int first = Integer.parseInt(m.group(2));
      numbers.add(m.group(1) + first + m.group(3));
      int last = m.group(4) == null ? first : Integer.parseInt(m.group(4));
      for (int n = first; n <= last; n++) {
        numbers.add(m.group(1) + n);
      }
    }
    return numbers;
  }
}
