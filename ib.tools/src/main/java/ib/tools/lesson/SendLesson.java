package ib.tools.lesson;

import ib.core.spi.PacketCapture.Filter;
import ib.core.verbs.QpType;
import ib.core.verbs.QueuePairs;
import ib.core.verbs.WorkCompletion;

/** A SEND and its acknowledgement. */
final class SendLesson {
  static final Lesson LESSON =
      new Lesson(
          "send",
          "SEND, a message into memory that the receiver has posted",
          """
          Two queue pairs of type RC (reliable connection) are connected. The receiver
          posts a buffer; the sender posts a SEND. The adapter cuts the message into
          packets, one here, and the receiver's adapter acknowledges it. Only then does
          the sender get its completion: it knows that the message has arrived.""",
          SendLesson::run,
          Lesson.TWO);

  private SendLesson() {}

  private static void run(Stage stage) {
    Party a = stage.party("lesson0", QpType.RC);
    Party b = stage.party("lesson1", QpType.RC);
    QueuePairs.connect(a.qp, b.qp);
    stage.watch("lesson0", Filter.ALL);
    b.receive(7);
    a.send(1, "hello, RDMA world");
    WorkCompletion sent = a.completion();
    WorkCompletion received = b.completion();
    Seen request = stage.stop().getFirst();
    stage.say("lesson0: request %d completed with %s", sent.wrId(), sent.status());
    stage.say(
        "lesson1: receive %d completed with %s, %d bytes: \"%s\"",
        received.wrId(), received.status(), received.byteLen(), b.received(received));
    stage.lookAt(
        "PSN 0x%06x: the acknowledgement carries the number of the packet it is for",
        request.psn());
    stage.lookAt(
        "QP 0x%06x is the receiver's, QP 0x%06x the sender's: a packet names its target only",
        b.qp.qpn(), a.qp.qpn());
    stage.lookAt("MSN 1: the receiver has completed one message of this connection");
  }
}
