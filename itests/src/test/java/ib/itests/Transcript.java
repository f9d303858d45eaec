package ib.itests;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The {@code console} blocks of a page: commands behind a prompt, and the output that follows each.
 * Figures differ from run to run, the form does not: all numbers count as one. A line {@code …}
 * stands for any lines, and an {@code …} in a line for any text.
 */
record Transcript(List<Step> steps) {
  private static final String PROMPT = "$ ";
  private static final String ANY = "…";

  /** A command and what it prints. */
  record Step(String command, List<String> expected) {
    /**
     * {@return whether the output is as the page has it}
     *
     * @param error the standard error: each of its lines stands somewhere on the page, or where an
     *     {@code …} hides it, because the order of two streams is not fixed
     */
    boolean accepts(String output, String error) {
      List<String> lines = new ArrayList<>(form(String.join("\n", expected)).lines().toList());
      boolean hides = lines.contains(ANY);
      for (String line : form(error).lines().toList()) {
        if (!lines.remove(line) && !hides) {
          return false;
        }
      }
      StringBuilder wanted = new StringBuilder();
      for (String line : lines) {
        if (line.equals(ANY)) {
          wanted.append("(?:.*\n)*");
        } else {
          wanted
              .append(Pattern.quote(line.replaceAll(" *" + ANY, ANY)).replace(ANY, "\\E.*\\Q"))
              .append('\n');
        }
      }
      return Pattern.matches(wanted.toString(), form(output));
    }
  }

  static Transcript read(Path page) throws IOException {
    List<Step> steps = new ArrayList<>();
    boolean inside = false;
    for (String line : Files.readAllLines(page)) {
      if (line.startsWith("```")) {
        inside = line.equals("```console");
      } else if (inside && line.startsWith(PROMPT)) {
        steps.add(new Step(line.substring(PROMPT.length()), new ArrayList<>()));
      } else if (inside) {
        steps.getLast().expected().add(line);
      }
    }
    return new Transcript(steps);
  }

  /** {@return the text with each number as N, also hexadecimal ones, but not those in names} */
  static String form(String text) {
    StringBuilder out = new StringBuilder();
    for (String line : text.lines().toList()) {
      out.append(
              line.replaceAll("0x[0-9a-f]+|\\b[0-9a-f]{16}\\b|\\b\\d+(\\.\\d+)?", "N")
                  .replaceAll(" +(?=N)", " ") // columns of figures
                  .replaceAll("(?<=N) +(?=\t)", "")
                  .replaceAll("   +", "  ") // columns are as wide as their figures
                  .stripTrailing())
          .append('\n');
    }
    return out.toString();
  }
}
