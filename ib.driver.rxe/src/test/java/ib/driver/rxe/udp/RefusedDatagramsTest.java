package ib.driver.rxe.udp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.wire.DropReason;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("bad input: one line per minute says what was refused, and from which source")
final class RefusedDatagramsTest {
  private static final long SECOND = 1_000_000_000;
  private static final long LOW = 0xffff_0a4d_0002L; // 10.77.0.2

  private final RefusedDatagrams refusals = new RefusedDatagrams();

  @Test
  @DisplayName(
      "without refusals nothing is reported; reasons are counted; the last source is named")
  void line() {
    assertEquals(Optional.empty(), refusals.report(0));
    refusals.refused(DropReason.SHORT, 0, 0xffff_7f00_0001L, 7);
    refusals.refused(DropReason.ICRC, 0, LOW, 4791);
    refusals.refused(DropReason.ICRC, 0, LOW, 4791);
    assertEquals(
        Optional.of(
            "datagrams refused: short 1, icrc 2, the last from 10.77.0.2 port 4791"
                + " (::ffff:10.77.0.2)"),
        refusals.report(SECOND));
  }

  @Test
  @DisplayName("at most one line per minute, which covers the whole minute")
  void minute() {
    int lines = 0;
    long told = 0;
    for (int s = 0; s < 600; s++) {
      refusals.refused(DropReason.OPCODE, 0, LOW, 1);
      Optional<String> line = refusals.report(s * SECOND);
      if (line.isPresent()) {
        lines++;
        told += Long.parseLong(line.get().replaceAll(".*opcode (\\d+),.*", "$1"));
      }
    }
    assertEquals(10, lines);
    assertEquals(541, told);
  }

  @Test
  @DisplayName("a failure of the driver is reported with its place, without a stack")
  void failure() {
    refusals.failed(new IllegalStateException("why"));
    refusals.failed(new IllegalStateException("because"));
    String line = refusals.report(SECOND).orElseThrow();
    assertTrue(line.startsWith("failed 2 times to receive: java.lang.Ille"), line);
    assertTrue(line.contains("because at ib.driver.rxe"), line);
    assertEquals(1, line.lines().count());
    assertEquals(Optional.empty(), refusals.report(61 * SECOND), "it is told once");
  }

  @Test
  @DisplayName("a failed join is reported with its last text, beside refused datagrams")
  void multicast() {
    refusals.multicastFailed("join ff15::1 on eth0: No buffer space available");
    refusals.multicastFailed("join ff15::2 on eth1: No such device");
    refusals.refused(DropReason.SHORT, 0, LOW, 7);
    assertEquals(
        Optional.of(
            "datagrams refused: short 1, the last from 10.77.0.2 port 7 (::ffff:10.77.0.2);"
                + " multicast failed 2 times, the last: join ff15::2 on eth1: No such device"),
        refusals.report(SECOND));
    refusals.multicastFailed("join ff15::2 on eth1: No such device");
    assertEquals(Optional.empty(), refusals.report(2 * SECOND), "one line per minute");
    assertTrue(refusals.report(61 * SECOND).orElseThrow().startsWith("multicast failed 1 times"));
  }
}
