package ib.verifier.check;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Stacks as a reader wants them: the place first, and what the reader did not write folded. */
final class FoldedStack {
  private static final int MAX_FRAMES = 256;
  private static final StackWalker WALKER = StackWalker.getInstance();
  private static final List<Part> PARTS =
      List.of(
          new Part("ib.core.", "the core"),
          new Part("org.apache.felix.", "the framework"),
          new Part("java.", "the JDK"),
          new Part("jdk.", "the JDK"));

  private record Part(String prefix, String name) {}

  private FoldedStack() {}

  /** {@return the caller's stack, innermost first, from the code that is watched on} */
  static List<String> here() {
    return WALKER.walk(
        frames ->
            fold(
                frames
                    .dropWhile(f -> own(f.getClassName()))
                    .limit(MAX_FRAMES)
                    .map(StackWalker.StackFrame::toStackTraceElement)
                    .toList()));
  }

  private static boolean own(String type) {
    return type.startsWith("ib.verifier.check.") || type.startsWith("ib.verifier.probe.");
  }

  /** {@return the frames as text; frames of one part that follow each other become one line} */
  static List<String> fold(List<StackTraceElement> frames) {
    List<String> lines = new ArrayList<>();
    int i = 0;
    while (i < frames.size()) {
      String part = part(frames.get(i));
      int next = i + 1;
      while (part != null && next < frames.size() && part.equals(part(frames.get(next)))) {
        next++;
      }
      lines.add(next - i > 1 ? "… " + (next - i) + " frames of " + part : frames.get(i).toString());
      i = next;
    }
    return List.copyOf(lines);
  }

  private static @Nullable String part(StackTraceElement frame) {
    return PARTS.stream()
        .filter(p -> frame.getClassName().startsWith(p.prefix))
        .map(Part::name)
        .findFirst()
        .orElse(null);
  }
}
