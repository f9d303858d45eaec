package ib.tidy;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Words that comments and texts of product code must not use, because they do not name the thread,
 * the peer or the object that they speak of.
 */
final class LanguageRules {
  /** The modules that have been edited. A module is added when it is clean, and stays. */
  static final Set<String> EDITED =
      Set.of("ib.ulp.ipoib", "ib.driver.rxe", "ib.driver.base", "ib.tools", "cnf/launcher");

  private static final Pattern WORDS =
      Pattern.compile(
          "\\b(?:[Ww]hoever|[Ss]omebody|[Nn]obody|[Aa]nybody|[Ee]verybody|[Hh]e|[Hh]is|[Hh]im|[Hh]imself"
              + "|[Tt]old|borne|bears?|The owner's)\\b");

  /** Metaphors; the output of original tools may contain them, so texts are not checked. */
  private static final Pattern METAPHORS = Pattern.compile("\\b(?:[Rr]oom|[Dd]oor)s?\\b");

  /** A first sentence that does not stand alone. */
  private static final Pattern STARTS =
      Pattern.compile("/\\*\\*[\\s*]*(?:It|The same|There|What|Who|Makes it)\\b");

  private LanguageRules() {}

  static List<String> check(Source source) {
    List<String> found = new ArrayList<>();
    if (source.product() && EDITED.contains(source.room())) {
      find(source, WORDS, text(source.text(), true), found);
      String comments = text(source.text(), false);
      find(source, METAPHORS, comments, found);
      find(source, STARTS, comments, found);
    }
    return found;
  }

  private static void find(Source source, Pattern pattern, String text, List<String> found) {
    pattern
        .matcher(text)
        .results()
        .forEach(
            hit -> {
              long line = text.substring(0, hit.start()).lines().count();
              String words = hit.group().replaceAll("[\\s*/]+", " ").strip();
              found.add(source.path() + ":" + Math.max(1, line) + ": says '" + words + "'");
            });
  }

  /** {@return the text with all code, and the string literals if so wanted, replaced by spaces} */
  static String text(String java, boolean strings) {
    Pattern part =
        Pattern.compile(
            "(?<comment>/\\*[\\s\\S]*?\\*/|//.*)|(?<text>\"\"\"[\\s\\S]*?\"\"\"|\"(?:\\\\.|[^\"\\\\\\n])*\")"
                + "|'(?:\\\\.|[^'\\\\\\n])+'");
    StringBuilder kept = new StringBuilder(java.replaceAll("[^\\n]", " "));
    part.matcher(java)
        .results()
        .filter(m -> m.group("comment") != null || strings && m.group("text") != null)
        .forEach(m -> kept.replace(m.start(), m.end(), m.group()));
    return kept.toString();
  }
}
