package ib.tidy;

import com.sun.source.tree.AnnotationTree;
import com.sun.source.tree.AssignmentTree;
import com.sun.source.tree.BinaryTree;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.LiteralTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.util.TreeScanner;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Which clauses of the contract have a test: S the clauses, CC the corner cases, I the invariants,
 * B the bugs that others had.
 *
 * <p>Only a test method counts, and only what its own {@code DisplayName} says before the first
 * colon, between commas: {@code S32, B14: …}. A title of a class names what its tests are about,
 * not what one of them tests; a number of another document has that document's name before it
 * ({@code findings B6: …}); a number within a sentence is a remark. Tests for JUnit 4 have the
 * number in their names: {@code s40_updated…}.
 */
final class Coverage {
  /** A number, or a row of them: {@code S2-S5}, {@code I1-I8}. */
  private static final Pattern NUMBER =
      Pattern.compile("(CC-|S|I|B)(\\d+)([a-z]?)(?:-(?:CC-|S|I|B)?(\\d+))?");

  /** A JUnit 4 test's name: {@code s40_…}, {@code cc17_…}. */
  private static final Pattern METHOD = Pattern.compile("(s|cc|i|b)(\\d+[a-z]?)_.*");

  private static final Set<String> TESTS =
      Set.of("Test", "ParameterizedTest", "RepeatedTest", "TestFactory", "Property");

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

  /** {@return the display names of the test methods of a file, and what stands for them} */
  static List<String> names(Source source) {
    List<String> names = new ArrayList<>();
    new TreeScanner<Void, Void>() {
      @Override
      public Void visitMethod(MethodTree tree, Void none) {
        List<? extends AnnotationTree> annotations = tree.getModifiers().getAnnotations();
        if (annotations.stream().anyMatch(a -> TESTS.contains(a.getAnnotationType().toString()))) {
          annotations.stream()
              .filter(a -> a.getAnnotationType().toString().equals("DisplayName"))
              .map(a -> a.getArguments().getFirst())
              .map(v -> text(v instanceof AssignmentTree a ? a.getExpression() : v))
              .forEach(names::add);
          Matcher m = METHOD.matcher(tree.getName());
          if (m.matches()) {
            String letters = m.group(1).toUpperCase(Locale.ROOT);
            names.add(
                (letters.equals("CC") ? "CC-" : letters) + m.group(2) + ": " + tree.getName());
          }
        }
        return super.visitMethod(tree, none);
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
    int colon = name.indexOf(':');
    for (String item : colon < 0 ? new String[0] : name.substring(0, colon).split(",")) {
      Matcher m = NUMBER.matcher(item.strip());
      if (!m.matches()) {
        continue;
      }
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
