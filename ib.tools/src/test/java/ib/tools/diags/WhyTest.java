package ib.tools.diags;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.spi.QpDiagnosis;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.tools.getopt.CommandException;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("users J4: ib:why")
class WhyTest {
  private static final long MS = 1_000_000;
  private static final Clock NOON =
      Clock.fixed(Instant.parse("2026-11-21T12:03:12.000Z"), ZoneOffset.UTC);

  /** Knows one queue pair. */
  private record Known(String device, Report report) implements QpDiagnosis {
    @Override
    public Optional<Report> diagnose(int qpn) {
      return Optional.of(report).filter(r -> r.qpn() == qpn);
    }
  }

  private static QpDiagnosis known(String device, int qpn) {
    return known(device, qpn, 7_877 * MS);
  }

  private static QpDiagnosis known(String device, int qpn, long heardNs) {
    return new Known(
        device,
        new QpDiagnosis.Report(
            device,
            qpn,
            QpType.RC,
            QpState.ERR,
            10_000 * MS,
            List.of(
                new QpDiagnosis.Change(7_901 * MS, QpState.RTS, "modify"),
                new QpDiagnosis.Change(9_482 * MS, QpState.ERR, "retries")),
            List.of(new QpDiagnosis.Note(9_482 * MS, "timeout, PSN 0x22a01c not acknowledged")),
            "QP 0x91c03a at LID 3",
            heardNs,
            Map.of("drop_icrc", 17L),
            "path corrupts packets",
            List.of("ib:capture start -f qp=0x4dbe86 soft0 FILE")));
  }

  private static final List<QpDiagnosis> ALL =
      List.of(known("soft0", 0x4dbe86), known("soft1", 1), known("soft2", 1));

  @Test
  @DisplayName(
      "history with times, last trouble, peer last heard, drops, likely cause, what to try")
  void text() {
    assertEquals(
        """
        QP 0x4dbe86 RC ERR on soft0 since 12:03:11.482
          12:03:09.901 RTS: modify
          12:03:11.482 ERR: retries
          last 12:03:11.482 timeout, PSN 0x22a01c not acknowledged
          peer QP 0x91c03a at LID 3, last heard 12:03:09.877
          packets to it dropped: drop_icrc 17
          likely: path corrupts packets
          try: ib:capture start -f qp=0x4dbe86 soft0 FILE\
        """,
        Why.run(ALL, NOON, "0x4dbe86").text());
  }

  @Test
  @DisplayName("QP1 of every device, or of the one that is named; -j")
  void devices() {
    assertEquals(2, Why.run(ALL, NOON, "1").size());
    assertEquals(1, Why.run(ALL, NOON, "soft2", "1").size());
    assertTrue(
        Why.run(ALL, NOON, "-j", "soft2", "1")
            .text()
            .startsWith("[{\"ifname\":\"soft2\",\"lqpn\":1,\"type\":\"RC\",\"state\":\"ERR\","));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "2 | ib:why: no device knows QP 0x000002; see 'rdma res show qp'",
        "soft0 1 | ib:why: no device soft0 knows QP 0x000001; see 'rdma res show qp'",
      })
  void refused(String line, String message) {
    CommandException e =
        assertThrows(CommandException.class, () -> Why.run(ALL, NOON, line.split(" ")));
    assertEquals(message, e.getMessage());
  }

  @Test
  void wrongWords() {
    assertThrows(CommandException.class, () -> Why.run(ALL, NOON));
    assertThrows(CommandException.class, () -> Why.run(ALL, NOON, "soft0"));
  }

  @Test
  @DisplayName("issue 17: of a device that does not tell when it hears, nothing is said of that")
  void notTold() {
    List<QpDiagnosis> host = List.of(known("mlx5_0", 7, QpDiagnosis.Report.NOT_TOLD));
    String text = Why.run(host, NOON, "7").text();
    assertTrue(text.contains("peer QP 0x91c03a at LID 3\n"), text);
    assertTrue(Why.run(List.of(known("a", 7, -1)), NOON, "7").text().contains(", never heard"));
  }
}
