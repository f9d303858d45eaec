package ib.core.client;

import java.util.List;
import java.util.StringJoiner;

/**
 * A broken clause.
 *
 * <p>Two violations of one clause at one place, which the same party caused, are one: the list of
 * the midlayer has the first, and counts the others.
 *
 * @param clause for example {@code S24}
 * @param culprit the client or driver, as far as known
 * @param text what happened
 * @param instead what to do instead, or empty
 * @param stack where, innermost first
 * @param otherStack the other side (the driver call below a callback, the handler running already),
 *     or empty
 */
public record Violation(
    String clause,
    String culprit,
    String text,
    String instead,
    List<String> stack,
    List<String> otherStack) {

  /** Copies the lists. */
  public Violation {
    stack = List.copyOf(stack);
    otherStack = List.copyOf(otherStack);
  }

  /**
   * A broken clause whose text says all that there is to say.
   *
   * @param clause for example {@code S24}
   * @param culprit the client or driver, as far as known
   * @param text what happened
   * @param stack where, innermost first
   * @param otherStack the other side, or empty
   */
  public Violation(
      String clause, String culprit, String text, List<String> stack, List<String> otherStack) {
    this(clause, culprit, text, "", stack, otherStack);
  }

  /**
   * {@return the report for a person, of several lines: the clause, the culprit and what happened;
   * what to do instead; the place first and then its callers; then the other side. What the reader
   * did not write is folded: frames of the midlayer, of the framework and of the JDK}
   */
  public String report() {
    StringJoiner lines = new StringJoiner("\n");
    lines.add(headline());
    if (!instead.isEmpty()) {
      lines.add("  instead: " + instead);
    }
    FoldedStack.of(stack).forEach(frame -> lines.add("    at " + frame));
    if (!otherStack.isEmpty()) {
      lines.add("  while");
      FoldedStack.of(otherStack).forEach(frame -> lines.add("    at " + frame));
    }
    return lines.toString();
  }

  /** {@return the first line of the report} */
  public String headline() {
    return clause + ' ' + culprit + ": " + text;
  }
}
