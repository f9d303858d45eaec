package ib.core.internal.restrack;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Where and when an object was made. The stack is that of a throwable, which is 3 to 4 times
 * cheaper than a walk; it becomes text only for a report (B10).
 */
final class Origin {
  private static final int MAX_FRAMES = 24;

  final String thread = Thread.currentThread().getName();
  private final long timeNs = System.nanoTime();
  private final Throwable stack = new Throwable("never thrown");

  static Origin here() {
    return new Origin();
  }

  private Origin() {}

  private static boolean isCore(StackTraceElement frame) {
    String c = frame.getClassName();
    return c.startsWith("ib.core.internal.") || c.startsWith("ib.core.verbs.");
  }

  long ageNs() {
    return System.nanoTime() - timeNs;
  }

  /** {@return the stack without the core's own calls, innermost first} */
  private List<StackTraceElement> frames() {
    return Arrays.stream(stack.getStackTrace())
        .dropWhile(Origin::isCore)
        .limit(MAX_FRAMES)
        .toList();
  }

  /**
   * The stacks of a report as text. Objects that were made at one place share one text: a client
   * that leaves 1,000 queue pairs behind made them in one loop. Only one thread may use it.
   */
  static final class Texts {
    private final Map<List<StackTraceElement>, List<String>> known = new HashMap<>();

    /** {@return the stack of an origin without the core's own calls, innermost first} */
    List<String> of(Origin origin) {
      return known.computeIfAbsent(origin.frames(), Texts::text);
    }

    /** {@return the text of some frames, in a list that {@link List#copyOf} does not copy} */
    private static List<String> text(List<StackTraceElement> frames) {
      return frames.stream()
          .map(StackTraceElement::toString)
          .collect(Collectors.toUnmodifiableList());
    }
  }
}
