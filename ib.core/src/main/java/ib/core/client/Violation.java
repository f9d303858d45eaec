package ib.core.client;

import java.util.List;

/**
 * A broken clause.
 *
 * @param clause for example {@code S24}
 * @param culprit the client or driver, as far as known
 * @param text what happened
 * @param stack where, innermost first
 * @param otherStack the other side (the driver call below a callback, the handler running already),
 *     or empty
 */
public record Violation(
    String clause, String culprit, String text, List<String> stack, List<String> otherStack) {

  /** Copies the lists. */
  public Violation {
    stack = List.copyOf(stack);
    otherStack = List.copyOf(otherStack);
  }
}
