package ib.tools.lesson;

import ib.core.spi.PacketCapture.Filter;
import ib.core.verbs.QpType;
import ib.core.verbs.QueuePairs;
import ib.core.verbs.WorkCompletion;
import java.util.List;

/** A packet that is lost, and its retransmission. */
final class LossLesson {
  private static final int MESSAGES = 3;

  static final Lesson LESSON =
      new Lesson(
          "loss",
          "loss, NAK and retransmission",
          """
          Three SENDs; a fault rule (loss opcode=4 skip=1 count=1) loses the second on its
          way. The third arrives with a PSN that the receiver does not expect yet: it
          answers NAK, PSN sequence error, and the sender repeats from the lost packet on.
          All three messages arrive once, in their order. Had the last packet been lost,
          there would be no NAK, and the sender's ACK timeout would repeat it.""",
          LossLesson::run,
          Lesson.TWO);

  private LossLesson() {}

  private static void run(Stage stage) {
    Party a = stage.party("lesson0", QpType.RC);
    Party b = stage.party("lesson1", QpType.RC);
    QueuePairs.connect(a.qp, b.qp);
    stage.fault("lesson0", "loss opcode=4 skip=1 count=1");
    stage.watch("lesson0", Filter.ALL);
    for (int i = 1; i <= MESSAGES; i++) {
      b.receive(i);
    }
    for (int i = 1; i <= MESSAGES; i++) {
      a.send(i, "message number " + i);
    }
    for (int i = 1; i <= MESSAGES; i++) {
      WorkCompletion sent = a.completion();
      stage.say("lesson0: request %d completed with %s", sent.wrId(), sent.status());
    }
    for (int i = 1; i <= MESSAGES; i++) {
      WorkCompletion received = b.completion();
      stage.say("lesson1: receive %d completed with %s", received.wrId(), received.status());
    }
    List<Seen> packets = stage.stop();
    Seen lost = first(packets, "injected fault");
    Seen again = first(packets, "retransmission");
    stage.lookAt(
        "packet %d, PSN 0x%06x: the verdict says that it was lost", lost.number(), lost.psn());
    packets.stream()
        .filter(p -> p.text().contains("NAK, PSN"))
        .findFirst()
        .ifPresent(
            nak ->
                stage.lookAt(
                    "packet %d: the NAK has PSN 0x%06x, the one that is missing",
                    nak.number(), nak.psn()));
    stage.lookAt(
        "packet %d, PSN 0x%06x: the same packet again, %.1f us after its loss",
        again.number(), again.psn(), again.us() - lost.us());
  }

  private static Seen first(List<Seen> packets, String verdict) {
    return packets.stream().filter(p -> p.verdict().contains(verdict)).findFirst().orElseThrow();
  }
}
