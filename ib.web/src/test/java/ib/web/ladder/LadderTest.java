package ib.web.ladder;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.spi.FaultInjection;
import ib.core.spi.FaultRule;
import ib.core.spi.PacketCapture;
import ib.core.verbs.IbExistsException;
import ib.driver.soft.standalone.SoftFabric;
import ib.tools.pingpong.Kind;
import ib.tools.pingpong.PingPong;
import ib.tools.run.WarmUp;
import ib.web.page.Markup;
import ib.web.page.Query;
import ib.web.page.RefusedException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("The ladder shows the packets of a capture")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LadderTest {
  private static final int ROUNDS = 40;

  private static void pingPong(SoftFabric soft) {
    PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream());
    List<PacketCapture> captures = List.of(capture(soft));
    String[] line = {"-d", "l0", "-n", "" + ROUNDS, "-s", "64", "l1"};
    PingPong.run(soft.core(), new WarmUp(List.of(), captures), Kind.RC, nowhere, nowhere, line);
  }

  private static PacketCapture capture(SoftFabric soft) {
    return soft.service("l0", PacketCapture.class);
  }

  /** {@return the recording of a ping-pong} */
  private static Recording recorded(SoftFabric soft) {
    Recording recording = Recording.start(soft.core(), capture(soft));
    pingPong(soft);
    recording.close();
    return recording;
  }

  private static long count(List<Arrow> arrows, Predicate<Arrow> wanted) {
    return arrows.stream().filter(wanted).count();
  }

  @Test
  @DisplayName("sends and acknowledgements of one pair, both ways, with both numbers")
  void aPairWithoutFaults() {
    try (SoftFabric soft = SoftFabric.open("l0", "l1")) {
      Recording recording = recorded(soft);
      Pair pair = recording.pairs().getFirst();
      assertTrue(pair.local() > 1 && pair.remote() > 1, pair.toString());
      List<Arrow> arrows = recording.arrows(pair);
      assertEquals(4 * ROUNDS, arrows.size());
      assertEquals(2 * ROUNDS, count(arrows, a -> a.what().equals("ACK")));
      assertEquals(2 * ROUNDS, count(arrows, a -> a.what().equals("SEND_ONLY")));
      assertEquals(2 * ROUNDS, count(arrows, Arrow::incoming));
      assertEquals(0, count(arrows, a -> a.isLost() || a.isRepeat() || a.isRefusal()));
    }
  }

  @Test
  @DisplayName("a lost packet is broken, the one that repeats it is red, and each says why")
  void aLostPacketAndItsRepeat() {
    try (SoftFabric soft = SoftFabric.open("l0", "l1")) {
      // the third send, once
      FaultRule third = FaultRule.parse("loss opcode=0x04 skip=2 count=1");
      soft.service("l0", FaultInjection.class).add(third);
      Recording recording = recorded(soft);
      Pair pair = recording.pairs().getFirst();
      List<Arrow> arrows = recording.arrows(pair);
      Arrow lost = arrows.stream().filter(Arrow::isLost).findFirst().orElseThrow();
      assertEquals(1, count(arrows, Arrow::isLost));
      Arrow repeat =
          arrows.stream().filter(a -> a.isRepeat() && !a.isLost()).findFirst().orElseThrow();
      assertEquals(lost.psn(), repeat.psn());
      Markup out = new Markup();
      LadderDrawing.draw(out, "l0", pair, arrows);
      String svg = out.toString();
      assertEquals(2, svg.split("class=\"arrow lost\"", -1).length, svg);
      assertTrue(svg.contains("class=\"arrow repeat\""), svg);
      assertTrue(svg.contains(">injected fault: loss</text>"), svg);
      assertTrue(svg.contains(">retransmission 1 of PSN "), svg);
    }
  }

  @Test
  @DisplayName("queue pairs that are gone before their packets are read are a pair all the same")
  void goneBeforeTheyAreRead() {
    try (SoftFabric soft = SoftFabric.open("l0")) {
      Recording recording = Recording.start(soft.core(), capture(soft));
      recording.close();
      recording.add(new Arrow(1, true, "SEND_ONLY", 5, -1, 77, "ICRC ok"));
      assertEquals(List.of(new Pair(77, -1)), recording.pairs());
      recording.add(new Arrow(2, false, "ACK", 5, 77, 78, "ICRC ok"));
      recording.add(new Arrow(3, true, "SEND_ONLY", 6, -1, 77, "ICRC ok"));
      recording.add(new Arrow(4, true, "SEND_ONLY", 0, 99, 77, "ICRC ok")); // a datagram
      assertEquals(List.of(new Pair(77, 78), new Pair(77, 99)), recording.pairs());
      List<Long> times = recording.arrows(new Pair(77, 78)).stream().map(Arrow::timeNs).toList();
      assertEquals(List.of(1L, 2L, 3L), times);
    }
  }

  @Test
  @DisplayName("a receiver that is not ready, and a NAK, are named and red")
  void refusals() {
    Arrow rnr = new Arrow(0, true, "RNR NAK", 1, -1, 2, "ICRC ok");
    assertTrue(rnr.isRefusal());
    Markup out = new Markup();
    LadderDrawing.draw(out, "l0", new Pair(2, 3), List.of(rnr));
    assertTrue(out.toString().contains("class=\"arrow refusal\""));
  }

  @Test
  @DisplayName("a device that is captured already is refused; a stopped recording stays to be read")
  void theScreen() {
    try (SoftFabric soft = SoftFabric.open("l0", "l1");
        LadderScreen screen = new LadderScreen(soft.core(), () -> List.of(capture(soft)))) {
      Query start = new Query(Map.of("act", "start", "device", "l0"));
      Query stop = new Query(Map.of("act", "stop"));
      assertThrows(RefusedException.class, () -> screen.act(stop));
      Query other = new Query(Map.of("act", "start", "device", "<b>"));
      assertThrows(RefusedException.class, () -> screen.act(other));
      try (PacketCapture.Session session =
          capture(soft)
              .start(new ib.kit.capture.CaptureReader(p -> {}), PacketCapture.Filter.ALL)) {
        assertThrows(IbExistsException.class, () -> screen.act(start));
        assertTrue(session.running());
      }
      screen.act(start);
      pingPong(soft);
      screen.act(stop);
      Markup out = new Markup();
      screen.drawLive(out, new Query(Map.of()));
      String html = out.toString();
      assertTrue(html.contains("l0 was recorded"), html);
      assertTrue(html.contains("SEND_ONLY PSN "), html);
      assertFalse(capture(soft).running().isPresent());
    }
  }

  @Test
  @DisplayName("a recording is bounded: the latest packets of a pair, and so many pairs")
  void bounds() {
    try (SoftFabric soft = SoftFabric.open("l0")) {
      Recording recording = Recording.start(soft.core(), capture(soft));
      recording.close();
      for (int i = 0; i < 3 * Recording.MAX_ARROWS; i++) {
        recording.add(new Arrow(i, false, "SEND_ONLY", i, 76, 77, "ICRC ok"));
      }
      for (int qpn = 100; qpn < 100 + 3 * Recording.MAX_PAIRS; qpn++) {
        recording.add(new Arrow(0, false, "SEND_ONLY", 0, 76, qpn, "ICRC ok"));
      }
      assertEquals(Recording.MAX_PAIRS, recording.pairs().size());
      List<Arrow> kept = recording.arrows(new Pair(76, 77));
      assertEquals(Recording.MAX_ARROWS, kept.size());
      assertEquals(3 * Recording.MAX_ARROWS - 1, kept.getLast().psn());
    }
  }
}
