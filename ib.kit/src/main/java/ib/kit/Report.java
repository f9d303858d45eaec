package ib.kit;

import ib.kit.Result.Outcome;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The results of a run as one HTML page, which needs no script and no other file. */
final class Report {
  private static final String STYLE =
      """
      body { font-family: sans-serif; margin: 2em; max-width: 75em }
      table { border-collapse: collapse }
      td, th { border: 1px solid #bbb; padding: .2em .6em; text-align: left; vertical-align: top }
      .failed { background: #fbd5d5 } .passed { background: #d9f2d9 } .skipped { background: #eee }
      pre { margin: .3em 0; white-space: pre-wrap }
      """;

  private final String driver;
  private final List<String> devices;
  private final List<Result> results;

  Report(String driver, List<String> devices, List<Result> results) {
    this.driver = driver;
    this.devices = List.copyOf(devices);
    this.results = List.copyOf(results);
  }

  long count(Outcome outcome) {
    return results.stream().filter(r -> r.outcome() == outcome).count();
  }

  String summary() {
    return "%d cases: %d passed, %d failed, %d skipped"
        .formatted(
            results.size(), count(Outcome.PASSED), count(Outcome.FAILED), count(Outcome.SKIPPED));
  }

  String html() {
    StringBuilder page = new StringBuilder();
    String title = escaped("The contract of a device: " + driver);
    page.append("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n<title>")
        .append(title)
        .append("</title>\n<style>\n")
        .append(STYLE)
        .append("</style></head><body>\n<h1>")
        .append(title)
        .append("</h1>\n<p>")
        .append(escaped("Devices " + String.join(", ", devices) + ". " + summary() + "."))
        .append("</p>\n");
    clauses(page);
    cases(page);
    return page.append("</body></html>\n").toString();
  }

  private void clauses(StringBuilder page) {
    Map<String, Map<Outcome, Integer>> rows = new LinkedHashMap<>();
    for (Result r : results) {
      for (String clause : r.clauses()) {
        rows.computeIfAbsent(clause, c -> new EnumMap<>(Outcome.class))
            .merge(r.outcome(), 1, Integer::sum);
      }
    }
    page.append("<h2>Clauses</h2>\n<p>A case that cites no clause counts for its group.</p>\n")
        .append("<table><tr><th>clause or group</th>")
        .append("<th>passed</th><th>failed</th><th>skipped</th></tr>\n");
    rows.forEach(
        (clause, counts) -> {
          int failed = counts.getOrDefault(Outcome.FAILED, 0);
          int passed = counts.getOrDefault(Outcome.PASSED, 0);
          Outcome all = failed > 0 ? Outcome.FAILED : passed > 0 ? Outcome.PASSED : Outcome.SKIPPED;
          row(
              page,
              all,
              List.of(
                  escaped(clause),
                  Integer.toString(passed),
                  Integer.toString(failed),
                  Integer.toString(counts.getOrDefault(Outcome.SKIPPED, 0))));
        });
    page.append("</table>\n");
  }

  private void cases(StringBuilder page) {
    page.append("<h2>Cases</h2>\n<table><tr><th>case</th><th>what is done and expected</th>")
        .append("<th>result</th><th>ms</th><th>evidence</th></tr>\n");
    List<Result> failedFirst = new ArrayList<>(results);
    failedFirst.sort((a, b) -> Boolean.compare(failed(b), failed(a))); // stable otherwise
    for (Result r : failedFirst) {
      String evidence = r.evidence().isEmpty() ? "" : "<pre>" + escaped(r.evidence()) + "</pre>";
      row(
          page,
          r.outcome(),
          List.of(
              r.what().id(),
              escaped(r.what().name()),
              word(r.outcome()),
              Long.toString(TimeUnit.NANOSECONDS.toMillis(r.ns())),
              evidence));
    }
    page.append("</table>\n");
  }

  private static boolean failed(Result r) {
    return r.outcome() == Outcome.FAILED;
  }

  private static String word(Outcome outcome) {
    return outcome.name().toLowerCase(Locale.ROOT);
  }

  private static void row(StringBuilder page, Outcome outcome, List<String> cells) {
    page.append("<tr class=\"").append(word(outcome)).append("\">");
    cells.forEach(cell -> page.append("<td>").append(cell).append("</td>"));
    page.append("</tr>\n");
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }
}
