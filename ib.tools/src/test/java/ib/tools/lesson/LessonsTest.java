package ib.tools.lesson;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.spi.StandaloneDriver;
import ib.core.wire.BthOpcode;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("U25: a lesson runs what it speaks of, and shows its packets")
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LessonsTest {
  private static StandaloneDriver driver() {
    return StandaloneDriver.find("ib.driver.soft", LessonsTest.class.getClassLoader());
  }

  private static Report run(int number) {
    Report report = (Report) Lessons.run(LessonsTest::driver, "" + number);
    assertEquals(number, report.number());
    for (Seen packet : report.packets()) {
      assertTrue(packet.verdict().startsWith("ICRC ok"), packet.line());
    }
    return report;
  }

  /**
   * Direction and opcode of each packet, and what of a retransmission, a loss or a drop there is.
   */
  private static List<String> shape(Report report) {
    return report.packets().stream().map(LessonsTest::shape).toList();
  }

  private static String shape(Seen packet) {
    String way = packet.incoming() ? "<- " : "-> ";
    String rest = packet.verdict().replaceAll("ICRC ok(; )?", "").replaceAll(" of PSN .*", "");
    return (way + BthOpcode.of(packet.opcode()) + " " + rest).strip();
  }

  @Test
  @DisplayName("1: a SEND and its acknowledgement, with the same PSN")
  void send() {
    Report report = run(1);
    assertEquals(List.of("-> RC_SEND_ONLY", "<- RC_ACKNOWLEDGE"), shape(report));
    assertEquals(report.packets().getFirst().psn(), report.packets().getLast().psn());
    assertEquals(
        List.of(
            "lesson0: request 1 completed with SUCCESS",
            "lesson1: receive 7 completed with SUCCESS, 11 bytes: \"hello, RDMA\""),
        report.results());
  }

  @Test
  @DisplayName("2: an RNR NAK, then the same packet again")
  void rnr() {
    Report report = run(2);
    assertEquals(
        List.of("-> RC_SEND_ONLY", "<- RC_ACKNOWLEDGE", "-> RC_SEND_ONLY retransmission 1"),
        shape(report).subList(0, 3));
    assertTrue(report.packets().get(1).text().contains("RNR NAK, wait 40.96 ms"));
    assertTrue(report.packets().getLast().text().contains("ACK, MSN 1"));
    assertEquals(
        "lesson1: receive 7 completed with SUCCESS: \"are you ready?\"",
        report.results().getLast());
  }

  @Test
  @DisplayName("3: a READ and a response of three packets, no acknowledgement")
  void read() {
    Report report = run(3);
    assertEquals(
        List.of(
            "-> RC_RDMA_READ_REQUEST",
            "<- RC_RDMA_READ_RESPONSE_FIRST",
            "<- RC_RDMA_READ_RESPONSE_MIDDLE",
            "<- RC_RDMA_READ_RESPONSE_LAST"),
        shape(report));
    assertEquals(
        List.of(
            "lesson0: request 1 completed with SUCCESS",
            "lesson0: 2500 bytes are the same as in the peer's memory",
            "lesson1: 0 completions"),
        report.results());
  }
}
