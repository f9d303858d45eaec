package ib.launcher;

import java.util.ArrayList;
import java.util.List;

/**
 * Splits shell text into statements, at line ends and semicolons outside of quotes and brackets.
 * The shell itself shows only the value of a line's last statement; {@link Exec} shows the value of
 * each.
 */
final class Statements {
  private Statements() {}

  static List<String> split(String text) {
    List<String> statements = new ArrayList<>();
    StringBuilder current = new StringBuilder();
    int depth = 0;
    char quote = 0;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '\\' && i + 1 < text.length()) {
        current.append(c).append(text.charAt(++i));
        continue;
      }
      if (quote == 0 && isPercent(text, i)) {
        current.append('\\'); // as it is: the shell would take it for arithmetic
      }
      if (quote != 0) {
        quote = c == quote ? 0 : quote;
      } else if (c == '\'' || c == '"') {
        quote = c;
      } else if ("({[".indexOf(c) >= 0) {
        depth++;
      } else if (")}]".indexOf(c) >= 0) {
        depth--;
      } else if (depth <= 0 && (c == ';' || c == '\n')) {
        add(statements, current);
        continue;
      }
      current.append(c);
    }
    add(statements, current);
    return statements;
  }

  /** Whether a character is the end of a word such as {@code rate=5%}. */
  private static boolean isPercent(String text, int i) {
    boolean ends = i + 1 == text.length() || " \t\n;|&})".indexOf(text.charAt(i + 1)) >= 0;
    return text.charAt(i) == '%' && ends && i > 0 && Character.isDigit(text.charAt(i - 1));
  }

  private static void add(List<String> statements, StringBuilder current) {
    if (!current.toString().isBlank()) {
      statements.add(current.toString().strip());
    }
    current.setLength(0);
  }
}
