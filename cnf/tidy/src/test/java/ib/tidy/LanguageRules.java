package ib.tidy;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Words that comments and texts of product code, and the names of tests, must not use, because they
 * do not name the thread, the peer or the object that they speak of; and citations of pages that no
 * clone holds.
 */
final class LanguageRules {
  /** The modules that have been edited. A module is added when it is clean, and stays. */
  static final Set<String> EDITED =
      Set.of(
          "ib.core",
          "ib.engine",
          "ib.engine/stress",
          "ib.kit",
          "ib.cm",
          "ib.ulp.ipoib",
          "ib.driver.rxe",
          "ib.driver.verbs",
          "ib.driver.soft",
          "ib.driver.base",
          "ib.health",
          "ib.tools",
          "ib.verifier",
          "ib.web",
          "cnf/launcher",
          "itests",
          "samples/plain",
          "samples/kv/api",
          "samples/kv/client",
          "samples/kv/server",
          "samples/ulp",
          "samples/nvmet",
          "samples/driver");

  private static final Pattern WORDS =
      Pattern.compile(
          "\\b(?:[Ww]hoever|[Ss]omebody|[Nn]obody|[Aa]nybody|[Ee]verybody|[Hh]e|[Hh]is|[Hh]im|[Hh]imself"
              + "|[Tt]old|borne|bears?|The[\\s*/]+owner's)\\b");

  /** Metaphors; the output of original tools may contain them, so texts are not checked. */
  private static final Pattern METAPHORS = Pattern.compile("\\b(?:[Rr]oom|[Dd]oor)s?\\b");

  /** A first sentence that does not stand alone. */
  private static final Pattern STARTS =
      Pattern.compile(
          "/\\*\\*[\\s*]*(?:Its?|Their|The same|There|What|Who|Makes it|From now on)\\b");

  /** Citations of pages that no clone holds. */
  private static final Pattern PAGES =
      Pattern.compile(
          "\\b(?:rocev2|reliability|contract|verifier|walls|users)\\.md\\b"
              + "|\\b(?:rocev2|reliability|contract)[ ,*/]+(?:section )?[A-Z]?-?[0-9]");

  /** The modules whose constants are named by rule. A module is added when it is clean. */
  static final Set<String> NAMED =
      Set.of(
          "ib.core",
          "ib.kit",
          "ib.cm",
          "ib.ulp.ipoib",
          "ib.driver.rxe",
          "ib.driver.verbs",
          "ib.driver.soft",
          "ib.driver.base",
          "ib.engine",
          "ib.engine/stress",
          "ib.health",
          "ib.tools",
          "ib.verifier",
          "ib.web",
          "cnf/launcher",
          "itests",
          "samples/plain",
          "samples/driver",
          "samples/nvmet",
          "samples/kv/api",
          "samples/kv/client",
          "samples/kv/server");

  /** A limit whose name does not begin with what it is. */
  private static final Pattern LIMITS =
      Pattern.compile("\\bstatic final \\w+ (?:\\w+_)?(?:MOST|LEAST)(?:_\\w+)?\\b");

  /** Code, and a comment behind it. */
  private static final Pattern TRAILING = Pattern.compile("^\\s*[^\\s/*].*? // .*");

  private static final int COLUMNS = 100; // where the formatter breaks lines

  /** The name of a test, also one of several literals. */
  private static final Pattern NAME =
      Pattern.compile(
          "@DisplayName\\(\\s*\"(?:\\\\.|[^\"\\\\])*\"(?:\\s*\\+\\s*\"(?:\\\\.|[^\"\\\\])*\")*");

  private static final Pattern PART =
      Pattern.compile(
          "(?<comment>/\\*[\\s\\S]*?\\*/|//.*)|(?<text>\"\"\"[\\s\\S]*?\"\"\"|\"(?:\\\\.|[^\"\\\\\\n])*\")"
              + "|'(?:\\\\.|[^'\\\\\\n])+'");

  private LanguageRules() {}

  static List<String> check(Source source) {
    List<String> found = new ArrayList<>();
    if (source.product() && EDITED.contains(source.room())) {
      find(source, WORDS, text(source.text(), true), found);
      String comments = text(source.text(), false);
      find(source, METAPHORS, comments, found);
      find(source, STARTS, comments, found);
    }
    if (NAMED.contains(source.room())) {
      find(source, LIMITS, source.text(), found);
    }
    if (EDITED.contains(source.room())) {
      find(source, PAGES, text(source.text(), true), found);
      broken(source, found);
      if (!source.product()) {
        find(source, WORDS, names(source.text()), found);
      }
    }
    return found;
  }

  /** Finds comments behind code that the formatter has broken, since they were too long. */
  private static void broken(Source source, List<String> found) {
    List<String> lines = source.lines();
    for (int i = 1; i < lines.size(); i++) {
      String next = lines.get(i).strip();
      String line = lines.get(i - 1);
      if (next.startsWith("// ")
          && TRAILING.matcher(line).matches()
          && line.length() + next.split(" ")[1].length() >= COLUMNS) {
        found.add(source.path() + ":" + i + ": a comment behind code is broken: move it above");
      }
    }
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

  /** {@return the text with all but the names of tests replaced by spaces} */
  private static String names(String java) {
    StringBuilder kept = new StringBuilder(java.replaceAll("[^\\n]", " "));
    NAME.matcher(java).results().forEach(m -> kept.replace(m.start(), m.end(), m.group()));
    return kept.toString();
  }

  /** {@return the text with all code, and the string literals if so wanted, replaced by spaces} */
  static String text(String java, boolean strings) {
    StringBuilder kept = new StringBuilder(java.replaceAll("[^\\n]", " "));
    PART.matcher(java)
        .results()
        .filter(m -> m.group("comment") != null || strings && m.group("text") != null)
        .forEach(m -> kept.replace(m.start(), m.end(), m.group()));
    return kept.toString();
  }

  /** {@return the text with all comments replaced by spaces} */
  static String withoutComments(String java) {
    StringBuilder kept = new StringBuilder(java);
    PART.matcher(java)
        .results()
        .filter(m -> m.group("comment") != null)
        .forEach(m -> kept.replace(m.start(), m.end(), m.group().replaceAll("[^\\n]", " ")));
    return kept.toString();
  }
}
