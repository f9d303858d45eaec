package ib.kit;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The result of a case.
 *
 * @param what the case
 * @param outcome whether it passed
 * @param evidence why it was skipped or failed; else empty
 * @param ns how long it took
 */
record Result(Case what, Outcome outcome, String evidence, long ns) {
  private static final Pattern CLAUSE = Pattern.compile("\\b(?:S|CC-|I|B|F|D)\\d+(?:-(?:S)?\\d+)?");

  /** The kinds of result. */
  enum Outcome {
    PASSED,
    FAILED,
    /** The device or the bench does not have what the case needs. */
    SKIPPED
  }

  /** {@return the clauses that the name of the case cites, or its group if it cites none} */
  List<String> clauses() {
    List<String> all = new ArrayList<>();
    Matcher m = CLAUSE.matcher(what.name());
    while (m.find()) {
      all.add(m.group());
    }
    return all.isEmpty() ? List.of(what.group()) : all;
  }
}
