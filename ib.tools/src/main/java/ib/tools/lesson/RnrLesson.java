package ib.tools.lesson;

import ib.core.spi.PacketCapture.Filter;
import ib.core.verbs.QpAttr;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.QueuePairs;
import ib.core.verbs.WorkCompletion;
import ib.core.wire.BthOpcode;
import java.util.List;

/** A SEND for which no receive is posted. */
final class RnrLesson {
  private static final int TIMER = 24; // 40.96 ms: long enough to read, and to post a receive in

  static final Lesson LESSON =
      new Lesson(
          "rnr",
          "RNR, a receiver that is not ready",
          """
          The sender posts a SEND, but the receiver has posted no buffer. Its adapter has
          no place for the message, drops it and answers RNR NAK: receiver not ready, with
          a time to wait. The program posts the buffer meanwhile, the sender's adapter
          sends the same packet once more, and no program notices anything but time.""",
          RnrLesson::run,
          Lesson.TWO);

  private RnrLesson() {}

  private static void run(Stage stage) {
    Party a = stage.party("lesson0", QpType.RC);
    Party b = stage.party("lesson1", QpType.RC);
    QueuePairs.connect(a.qp, b.qp);
    b.qp.modify(new QpAttr().state(QpState.RTS).minRnrTimer(TIMER));
    stage.watch("lesson0", Filter.ALL);
    a.send(1, "are you ready?");
    Seen nak = stage.trace.await("RNR NAK", p -> p.text().contains("RNR NAK"));
    b.receive(7);
    WorkCompletion sent = a.completion();
    WorkCompletion received = b.completion();
    List<Seen> packets = stage.stop();
    List<Seen> sends =
        packets.stream().filter(p -> p.opcode() == BthOpcode.RC_SEND_ONLY.value()).toList();
    stage.say("lesson0: request %d completed with %s", sent.wrId(), sent.status());
    stage.say(
        "lesson1: receive %d completed with %s: \"%s\"",
        received.wrId(), received.status(), b.received(received));
    stage.lookAt(
        "packet %d: RNR NAK is an acknowledgement whose syndrome says how long to wait",
        nak.number());
    stage.lookAt(
        "PSN 0x%06x of packets 1 and %d: the request was sent %d times, %.1f ms apart",
        sends.getFirst().psn(),
        sends.getLast().number(),
        sends.size(),
        (sends.getLast().us() - sends.getFirst().us()) / 1000 / (sends.size() - 1));
    stage.lookAt("the verdict \"retransmission\": with rnr_retry below 7 the sender would give up");
  }
}
