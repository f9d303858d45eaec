package ib.tools.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.health.Finding;
import ib.health.Finding.Verdict;
import ib.health.Health;
import ib.tools.output.Listing;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("U17: ib:doctor prints what was found, and fails when something fails")
final class DoctorTest {
  private static Listing<Finding> run(Verdict verdict, String... args) {
    Health health =
        new Health() {
          @Override
          public List<Finding> examine() {
            return List.of(
                Finding.ok("devices", "soft0"), new Finding("ports", verdict, "down", "rdma link"));
          }

          @Override
          public String writeMetrics() {
            throw new UnsupportedOperationException();
          }
        };
    return Doctor.run(health, args);
  }

  @Test
  @DisplayName("a warning keeps status 0, a failure sets 1")
  void status() {
    assertEquals(0, run(Verdict.WARN).getAsInt());
    assertEquals(1, run(Verdict.FAIL).getAsInt());
    assertEquals(1, run(Verdict.FAIL, "-j").getAsInt());
  }

  @Test
  @DisplayName("a line for each finding, with what to try")
  void text() {
    List<String> lines = run(Verdict.FAIL).text().lines().toList();
    assertEquals(3, lines.size(), lines::toString);
    assertTrue(lines.get(0).matches("CHECK +VERDICT +FOUND +TRY"), lines.get(0));
    assertTrue(lines.get(1).matches("devices +OK +soft0 +-"), lines.get(1));
    assertTrue(lines.get(2).matches("ports +FAIL +down +rdma link"), lines.get(2));
    assertTrue(run(Verdict.FAIL, "-j").text().contains("\"check\":\"ports\""));
  }
}
