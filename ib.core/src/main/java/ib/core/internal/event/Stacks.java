package ib.core.internal.event;

import java.util.Arrays;
import java.util.List;

/** Stacks as plain text, which stays readable when the bundle of the code is gone (B10). */
final class Stacks {
  private Stacks() {}

  static List<String> lines(Thread thread) {
    return Arrays.stream(thread.getStackTrace()).map(StackTraceElement::toString).toList();
  }

  static String text(Thread thread) {
    return thread.getName() + " at " + String.join(" < ", lines(thread));
  }
}
