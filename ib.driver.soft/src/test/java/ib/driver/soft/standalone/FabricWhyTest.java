package ib.driver.soft.standalone;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.spi.QpDiagnosis.Report;
import ib.core.spi.StandaloneFabric;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.PostStatus;
import ib.core.verbs.QpType;
import ib.core.verbs.QueuePair;
import ib.core.verbs.QueuePairs;
import ib.core.verbs.SendFlags;
import ib.core.verbs.SendWr;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WrOpcode;
import ib.kit.fabric.IbFabric;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("findings E1: why a queue pair is as it is, for a plain program")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@IbFabric
final class FabricWhyTest {
  private static final String NO_RECEIVE = "a message waits: the peer has no receive posted";

  /** Writes with a key that the peer has not given; the completion says REM_ACCESS_ERR. */
  static void writeByWrongKey(Pair pair) {
    Pair.End a = pair.a();
    int key = pair.b().mr().rkey() ^ 0x5555;
    SendWr write = new SendWr(1).opcode(WrOpcode.RDMA_WRITE).flags(SendFlags.SIGNALED);
    write.remoteAddr(pair.b().mr().iova()).rkey(key).addSge(a.mr().lkey(), a.mr().iova(), 4);
    assertEquals(PostStatus.OK, a.qp().postSend(write));
    assertEquals(WcStatus.REM_ACCESS_ERR, a.cq().await(Duration.ofMinutes(5)).status());
  }

  /** Sends one message; the peer has posted nothing. */
  static void sendWithoutReceive(Pair pair) {
    Pair.End a = pair.a();
    SendWr send = new SendWr(1).flags(SendFlags.SIGNALED);
    assertEquals(PostStatus.OK, a.qp().postSend(send.addSge(a.mr().lkey(), a.mr().iova(), 4)));
  }

  private static String causes(StandaloneFabric fabric) {
    return fabric.troubles().stream().map(Report::likely).collect(Collectors.joining("\n"));
  }

  @Test
  @DisplayName("the words of ib:why, with how long ago; a healthy pair is no trouble")
  void words(StandaloneFabric fabric) {
    try (Pair pair = Pair.open(fabric)) {
      Report well = fabric.why(pair.a().qp());
      assertEquals("nothing is wrong as far as can be seen here", well.likely());
      assertEquals(List.of("no receive is posted: post one before the peer sends"), well.tries());
      assertEquals(List.of(), fabric.troubles());
      pair.b().qp().postReceive(1, 0, 0, 0);
      assertEquals(List.of(), fabric.why(pair.b().qp()).tries());

      writeByWrongKey(pair);
      String text = fabric.why(pair.a().qp()).toString();
      String head = "QP 0x%06x RC ERR on soft0 since ".formatted(pair.a().qp().qpn());
      assertTrue(text.startsWith(head), text);
      assertTrue(text.matches("(?s).*\n  \\d+\\.\\d ms ago ERR: remote access error at .*"), text);
      assertTrue(text.contains("\n  likely: the peer refused the rkey, the range"), text);
      assertTrue(text.contains("\n  try: "), text);
      assertTrue(fabric.why(pair.b().qp()).likely().startsWith("the peer asked for memory"));
    }
  }

  @Test
  @DisplayName("what was wrong with a closed queue pair is kept, what was healthy is not")
  void closed(StandaloneFabric fabric) {
    QueuePair healthy;
    QueuePair failed;
    try (Pair pair = Pair.open(fabric)) {
      pair.exchange(1, 2);
      healthy = pair.a().qp();
    }
    try (Pair pair = Pair.open(fabric)) {
      writeByWrongKey(pair);
      failed = pair.a().qp();
    }
    assertEquals(2, fabric.troubles().size(), () -> fabric.troubles().toString());
    assertTrue(fabric.why(failed).likely().startsWith("the peer refused the rkey"));
    String device = fabric.why(failed).device();
    assertEquals("soft0", device);
    String message = assertThrows(IbInvalidException.class, () -> fabric.why(healthy)).getMessage();
    assertTrue(message.contains("it is closed"), message);
  }

  @Test
  @DisplayName("of the closed ones the latest 16 of each device are kept")
  void latest(StandaloneFabric fabric) {
    QueuePair last = null;
    for (int i = 0; i < 20; i++) {
      try (Pair pair = Pair.open(fabric)) {
        writeByWrongKey(pair);
        last = pair.a().qp();
      }
    }
    assertEquals(2 * 16, fabric.troubles().size());
    assertEquals("soft0", fabric.why(last).device());
  }

  @Test
  @DisplayName("no receive posted is said while the message waits, and when all is closed")
  void noReceive(StandaloneFabric fabric) {
    noReceiveIsSaid(fabric);
  }

  @Test
  @IbFabric(packets = 0)
  @DisplayName("no receive posted is said of a message that moves without packets, too")
  void noReceiveDirectly(StandaloneFabric fabric) {
    noReceiveIsSaid(fabric);
  }

  private static void noReceiveIsSaid(StandaloneFabric fabric) {
    try (Pair pair = Pair.open(fabric)) {
      sendWithoutReceive(pair);
      while (!causes(fabric).contains(NO_RECEIVE)) {
        Thread.onSpinWait(); // the test has a limit
      }
      String b = fabric.why(pair.b().qp()).likely();
      assertEquals("messages of the peer wait: no receive is posted here", b);
    }
    String after = causes(fabric); // the sender's may be another one when the peer closes first
    assertTrue(after.contains("messages of the peer wait: no receive is posted here"), after);
  }

  @Test
  @DisplayName("a queue pair that was never brought up is in trouble while it is open")
  void notUp(StandaloneFabric fabric) {
    try (Pair pair = Pair.unconnected(fabric, QpType.RC)) {
      assertTrue(causes(fabric).startsWith("it was not brought up: in RESET"), causes(fabric));
      QueuePairs.connect(pair.a().qp(), pair.b().qp());
      assertEquals("", causes(fabric));
    }
  }
}
