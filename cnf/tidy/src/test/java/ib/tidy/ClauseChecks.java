package ib.tidy;

import com.sun.source.tree.AnnotationTree;
import com.sun.source.tree.IfTree;
import com.sun.source.tree.LiteralTree;
import com.sun.source.util.TreeScanner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * How each clause of the locking guide and of the mail is checked, read from the sources: a clause
 * is reported by the midlayer or by the verifier when its number stands there as a string of its
 * own; only with {@code ib.check} when that string stands below a condition on {@code checking}.
 */
final class ClauseChecks {
  private static final Pattern CLAUSE =
      Pattern.compile("\\b(?:S|CC-|I)\\d+[a-z]?(?:-(?:S|CC-|I)?\\d+)?\\b");
  private static final Path CASES = Path.of("ib.kit/src/test/resources/ib/kit/cases.txt");

  /** The table of advice names clauses, too, and reports none. */
  private static final String ADVICE =
      "ib.core/src/main/java/ib/core/internal/callback/Advice.java";

  private final Set<String> always = new TreeSet<>();
  private final Set<String> withCheck = new TreeSet<>();
  private final Set<String> verifier = new TreeSet<>();
  private final Set<String> kit = new TreeSet<>();

  ClauseChecks(Collection<Source> sources, List<String> kitCases) {
    for (Source s : sources) {
      boolean core = s.path().startsWith("ib.core/src/main/") && !s.path().equals(ADVICE);
      if (core || s.path().startsWith("ib.verifier/src/main/")) {
        s.unit().accept(new Reports(core), false);
      }
    }
    kitCases.forEach(title -> kit.addAll(numbers(title)));
  }

  /** Reads the sources and the list of the suite's cases. */
  static ClauseChecks of(Path root) throws IOException {
    return new ClauseChecks(new House(root).sources(), Files.readAllLines(root.resolve(CASES)));
  }

  private static Set<String> numbers(String text) {
    Set<String> numbers = new TreeSet<>();
    CLAUSE.matcher(text).results().forEach(m -> numbers.addAll(Coverage.numbers(m.group() + ":")));
    return numbers;
  }

  /** Finds the clauses that a file reports; the parameter says whether it does only if checking. */
  private final class Reports extends TreeScanner<Void, Boolean> {
    private final boolean core;

    Reports(boolean core) {
      this.core = core;
    }

    @Override
    public Void visitIf(IfTree tree, Boolean checking) {
      boolean below = checking || tree.getCondition().toString().contains("checking");
      scan(tree.getThenStatement(), below);
      scan(tree.getElseStatement(), checking);
      return null;
    }

    @Override
    public Void visitAnnotation(AnnotationTree tree, Boolean checking) {
      return null;
    }

    @Override
    public Void visitLiteral(LiteralTree tree, Boolean checking) {
      if (tree.getValue() instanceof String text && CLAUSE.matcher(text).matches()) {
        (core ? checking ? withCheck : always : verifier).addAll(numbers(text));
      }
      return null;
    }
  }

  private static int number(String clause) {
    return Integer.parseInt(clause.replaceAll("\\D", ""));
  }

  /** {@return how a clause is checked} */
  String checked(String clause) {
    List<String> by = new ArrayList<>();
    if (always.contains(clause)) {
      by.add("always");
    }
    if (withCheck.contains(clause)) {
      by.add((by.isEmpty() ? "" : "more ") + "with `ib.check`");
    }
    if (verifier.contains(clause)) {
      by.add("with the verifier");
    }
    return by.isEmpty() ? "by tests only" : String.join(", ", by);
  }

  /** {@return the table, a row for each clause} */
  String table() {
    StringBuilder table =
        new StringBuilder("| clause | checked | by cases of the kit |\n|---|---|---|\n");
    for (String letter : List.of("S", "CC-", "I")) { // no B: the bugs of others are no rules
      Coverage.wanted().stream()
          .filter(clause -> clause.startsWith(letter))
          .sorted(Comparator.comparingInt(ClauseChecks::number))
          .forEach(
              clause ->
                  table.append(
                      "| %s | %s | %s |\n"
                          .formatted(
                              clause, checked(clause), kit.contains(clause) ? "yes" : "no")));
    }
    return table.toString();
  }
}
