package ib.tidy;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Tests know no clock: a busy machine must fail none of them. What must happen is waited for, and
 * the bound of the wait, of minutes, only ends a hang. A bound in a constant is found by its name.
 */
final class ClockRules {
  private static final String UNDER_A_MINUTE = "(?<bound>[1-5]?[0-9])";

  private static final Map<String, Pattern> FORMS =
      Map.of(
          "a wait of seconds",
          Pattern.compile(
              "\\.(await|poll|get|orTimeout|waitFor|tryAcquire)\\([^;{}]*?\\b"
                  + UNDER_A_MINUTE
                  + ",\\s*(TimeUnit\\.)?SECONDS\\s*\\)"),
          "a join of seconds",
          Pattern.compile(
              "\\.join\\(\\s*([0-9]{1,2}_?000L?|(TimeUnit\\.)?SECONDS\\.toMillis\\("
                  + UNDER_A_MINUTE
                  + "\\)|Duration\\.ofSeconds\\([0-9]+\\))\\s*\\)"),
          "an end in seconds",
          Pattern.compile(
              "nanoTime\\(\\)\\s*(\\+|-\\s*\\w+\\s*[<>]=?)\\s*((TimeUnit\\.)?SECONDS\\.toNanos\\("
                  + UNDER_A_MINUTE
                  + "\\)|[1-5]?[0-9]_000_000_000L)"),
          "a constant of seconds",
          Pattern.compile(
              "static final (int|long) \\w*(PATIENCE|WAIT|TIMEOUT)\\w*_(NS|MS|S) =\\s*"
                  + "((TimeUnit\\.)?SECONDS\\.to(Nano|Milli)s\\([0-9]{1,2}\\)"
                  + "|[1-9]?[0-9]_000(_000_000L)?;|[0-9]{1,2};)"),
          "a test's limit below ten minutes",
          Pattern.compile("@Timeout\\(\\s*(value\\s*=\\s*)?([0-9]{1,2}|[1-5][0-9]{2})\\b"),
          "a sleep",
          Pattern.compile("\\bThread\\.sleep\\(|\\bTimeUnit\\.[A-Z]+\\.sleep\\("));

  private ClockRules() {}

  /**
   * All that is found, less what is listed; an exception that excuses nothing is found, too.
   *
   * @param sources what is read
   * @param exceptions the reason of each, by {@code path: what}, where what is the name of a form
   * @return what was found
   */
  static List<String> check(List<Source> sources, Map<String, String> exceptions) {
    Set<String> unused = new TreeSet<>(exceptions.keySet());
    List<String> found = new ArrayList<>();
    for (Source source : sources) {
      for (String hit : check(source)) {
        String key = hit.replaceFirst(":[0-9]+: ", ": ").replaceFirst("(: [^:]+): .*", "$1");
        if (exceptions.containsKey(key)) {
          unused.remove(key);
        } else {
          found.add(hit);
        }
      }
    }
    unused.forEach(key -> found.add(key + ": an exception that excuses nothing"));
    return found;
  }

  static List<String> check(Source source) {
    // this module has the forms as texts
    if (!source.path().contains("src/test/java/") || source.room().equals("cnf/tidy")) {
      return List.of();
    }
    List<String> found = new ArrayList<>();
    new TreeMap<>(FORMS)
        .forEach(
            (what, form) -> {
              Matcher m = form.matcher(source.text());
              while (m.find()) {
                long line = source.text().substring(0, m.start()).lines().count();
                found.add(
                    source.path()
                        + ":"
                        + line
                        + ": "
                        + what
                        + ": "
                        + m.group().replaceAll("\\s+", " "));
              }
            });
    return found;
  }
}
