package ib.kit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.kit.Result.Outcome;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("issue 15, point 3: the report of a run")
final class ReportTest {
  private static Result result(String id, String name, Outcome outcome, String evidence) {
    return new Result(
        new Case(id, "a group", name, Set.of(), false, false, t -> {}), outcome, evidence, 0);
  }

  @Test
  @DisplayName("a case counts for each clause that its name cites, or for its group")
  void clauses() {
    assertEquals(
        List.of("S2", "CC-21"),
        result("A-001", "a lease (S2, CC-21)", Outcome.PASSED, "").clauses());
    assertEquals(List.of("a group"), result("A-001", "64 B", Outcome.PASSED, "").clauses());
  }

  @Test
  @DisplayName("failed cases come first, and what a driver says cannot become a part of the page")
  void page() {
    Report report =
        new Report(
            "a & b",
            List.of("x0"),
            List.of(
                result("A-001", "one (S2)", Outcome.PASSED, ""),
                result("A-002", "two (S2)", Outcome.FAILED, "at <init>"),
                result("A-003", "three", Outcome.SKIPPED, "no SRQ")));
    assertEquals("3 cases: 1 passed, 1 failed, 1 skipped", report.summary());
    String page = report.html();
    assertTrue(page.contains("<title>The contract of a device: a &amp; b</title>"), page);
    assertTrue(page.contains("<pre>at &lt;init&gt;</pre>"), page);
    assertFalse(page.contains("<init>"), page);
    assertTrue(page.indexOf("<td>A-002</td>") < page.indexOf("<td>A-001</td>"), page);
    String row = "<tr class=\"failed\"><td>S2</td><td>1</td><td>1</td><td>0</td></tr>";
    assertTrue(page.contains(row), page);
  }
}
