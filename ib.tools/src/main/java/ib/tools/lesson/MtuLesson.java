package ib.tools.lesson;

import ib.core.spi.PacketCapture.Filter;
import ib.core.verbs.QpType;
import ib.core.verbs.QueuePairs;
import ib.core.verbs.WorkCompletion;
import java.util.List;
import java.util.Map;

/** A message that is longer than the path MTU. */
final class MtuLesson {
  private static final int BYTES = 2500;

  static final Lesson LESSON =
      new Lesson(
          "mtu",
          "MTU, a message in several packets",
          """
          A message may have 2 GiB, a packet no more than the path MTU: the smaller one of
          what both ports can do, a number that both queue pairs must agree on. lesson0
          can do 4096 bytes, lesson1 can do 1024. The adapter cuts 2500 bytes into FIRST,
          MIDDLE and LAST; the receiver's program gets one message and one completion.""",
          MtuLesson::run,
          List.of(Map.of("mtu", 4096), Map.of("mtu", 1024)));

  private MtuLesson() {}

  private static void run(Stage stage) {
    Party a = stage.party("lesson0", QpType.RC);
    Party b = stage.party("lesson1", QpType.RC);
    QueuePairs.connect(a.qp, b.qp);
    int mtu = a.qp.query().pathMtu().bytes();
    stage.watch("lesson0", Filter.ALL);
    b.receive(7);
    a.send(1, "x".repeat(BYTES));
    WorkCompletion sent = a.completion();
    WorkCompletion received = b.completion();
    List<Seen> packets = stage.stop();
    List<Seen> out = packets.stream().filter(p -> !p.incoming()).toList();
    stage.say("lesson0: request %d completed with %s", sent.wrId(), sent.status());
    stage.say(
        "lesson1: receive %d completed with %s, %d bytes",
        received.wrId(), received.status(), received.byteLen());
    stage.lookAt(
        "path MTU %d: %d packets, and %d = %d + %d + %d",
        mtu, out.size(), BYTES, mtu, mtu, BYTES - 2 * mtu);
    stage.lookAt(
        "PSN 0x%06x to 0x%06x: one number for each packet, one MSN for the message",
        out.getFirst().psn(), out.getLast().psn());
    stage.lookAt("AckReq is in the last packet only: one acknowledgement covers all before it");
  }
}
