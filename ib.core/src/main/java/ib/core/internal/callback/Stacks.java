package ib.core.internal.callback;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Stacks as plain text, which stays readable when the code's bundle is gone (B10). */
public final class Stacks {
  private static final int MAX_FRAMES = 64;
  private static final StackWalker WALKER = StackWalker.getInstance();

  private Stacks() {}

  /** {@return the caller's stack, innermost first} */
  public static List<String> here() {
    return WALKER.walk(
        frames ->
            frames.skip(1).limit(MAX_FRAMES).map(f -> f.toStackTraceElement().toString()).toList());
  }

  /**
   * Returns the stack of a thread.
   *
   * @param thread the thread, or null
   * @return the thread's present stack, innermost first; empty for null
   */
  public static List<String> of(@Nullable Thread thread) {
    if (thread == null) {
      return List.of();
    }
    return Arrays.stream(thread.getStackTrace())
        .limit(MAX_FRAMES)
        .map(StackTraceElement::toString)
        .toList();
  }
}
