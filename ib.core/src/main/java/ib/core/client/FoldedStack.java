package ib.core.client;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Stacks as a reader wants them: the place first, and what the reader did not write folded. */
final class FoldedStack {
  private static final List<Part> PARTS =
      List.of(
          new Part("ib.core.", "the core"),
          new Part("org.apache.felix.", "the framework"),
          new Part("java.", "the JDK"),
          new Part("jdk.", "the JDK"));

  private record Part(String prefix, String name) {}

  private FoldedStack() {}

  /**
   * Folds a stack. Frames of one part that follow each other become one line, and those at the top
   * none, unless there are no others.
   *
   * @param frames as text, innermost first
   * @return the lines
   */
  static List<String> of(List<String> frames) {
    List<String> lines = new ArrayList<>();
    int i = 0;
    while (i < frames.size()) {
      String part = part(frames.get(i));
      int next = i + 1;
      while (part != null && next < frames.size() && part.equals(part(frames.get(next)))) {
        next++;
      }
      if (part == null || !lines.isEmpty() || next == frames.size()) {
        lines.add(next - i > 1 ? "… " + (next - i) + " frames of " + part : frames.get(i));
      }
      i = next;
    }
    return lines;
  }

  // a frame begins with its module or class loader where these have a name: app//ib.core.…
  private static @Nullable String part(String frame) {
    String type = frame.substring(frame.lastIndexOf('/', frame.indexOf('(')) + 1);
    return PARTS.stream()
        .filter(p -> type.startsWith(p.prefix))
        .map(Part::name)
        .findFirst()
        .orElse(null);
  }
}
