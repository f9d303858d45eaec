package ib.core.internal.event;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("B6: reports of detours around a bus")
class DetourReportTest {
  private static final long MINUTE = TimeUnit.MINUTES.toNanos(1);
  private static final long START = 1_000;

  private final Rig rig = new Rig();
  private final DetourReport report = new DetourReport(rig.hub, rig.events);

  @AfterEach
  void close() {
    rig.close();
  }

  private void told(String... lines) {
    List<String> expected = List.of(lines).stream().map(l -> "fake0: " + l).toList();
    assertEquals(expected, List.copyOf(rig.reports.troubles));
    rig.reports.troubles.clear();
  }

  private static String late(long first) {
    return "event "
        + first
        + " did not come back from the event bus in time: handlers get events directly until it does";
  }

  private static String counts(int events, int detours) {
    return "handlers got " + events + " events directly, in " + detours + " detours";
  }

  @Test
  @DisplayName("B6: a beginning and its end are reported, with how many events took the detour")
  void once() {
    assertFalse(report.hasBegun());
    report.ends(START);
    told();
    report.begins(7, 3, START);
    assertTrue(report.hasBegun());
    told(late(7));
    report.goesOn(START + 1);
    told();
    report.ends(START + 2);
    assertFalse(report.hasBegun());
    told("the event bus is back: " + counts(4, 1));
    report.ends(START + 3);
    told();
  }

  @Test
  @DisplayName("B6: detours within a minute of the last line are counted, and reported afterwards")
  void quiet() {
    report.begins(7, 3, START);
    report.ends(START);
    rig.reports.troubles.clear();
    report.begins(20, 2, START + 1);
    report.goesOn(START + 2);
    assertFalse(report.hasBegun());
    report.ends(START + 3);
    report.begins(30, 1, START + MINUTE - 1);
    assertFalse(report.hasBegun());
    told();
    report.begins(31, 1, START + MINUTE);
    assertTrue(report.hasBegun());
    told(late(31) + "; so it was 2 times unreported");
    report.ends(START + MINUTE);
    told("the event bus is back: " + counts(5, 3));
    report.begins(40, 1, START + 2 * MINUTE);
    told(late(40));
  }

  @Test
  @DisplayName("B6: a detour that goes on is reported once a minute")
  void goesOn() {
    report.begins(1, 1, START);
    rig.reports.troubles.clear();
    report.begins(2, 1, START + MINUTE - 1);
    told();
    report.begins(3, 1, START + MINUTE);
    told("the event bus is still held up: " + counts(3, 3));
    report.goesOn(START + 2 * MINUTE - 1);
    told();
    report.goesOn(START + 2 * MINUTE);
    told("the event bus is still held up: " + counts(5, 3));
  }
}
