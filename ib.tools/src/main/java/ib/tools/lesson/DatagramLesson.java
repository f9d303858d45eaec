package ib.tools.lesson;

import ib.core.spi.PacketCapture.Filter;
import ib.core.verbs.AddressHandle;
import ib.core.verbs.AhAttr;
import ib.core.verbs.QpType;
import ib.core.verbs.WorkCompletion;
import java.util.List;

/** Datagrams, one of them with a wrong Q_Key. */
final class DatagramLesson {
  private static final int QKEY = 0x11111111;
  private static final int WRONG = 0x22222222;

  static final Lesson LESSON =
      new Lesson(
          "datagram",
          "UD and the Q_Key, datagrams that nothing acknowledges",
          """
          A queue pair of type UD (unreliable datagram) has no peer: an address handle
          says the way for each message, and the message names the queue pair and its
          Q_Key. The first datagram has a wrong Q_Key. The receiver's adapter drops it
          and says nothing; the sender's request completes all the same. The second has
          the right one and arrives.""",
          DatagramLesson::run,
          Lesson.TWO);

  private DatagramLesson() {}

  private static void run(Stage stage) {
    Party a = stage.party("lesson0", QpType.UD);
    Party b = stage.party("lesson1", QpType.UD);
    a.ready(QKEY, 0);
    b.ready(QKEY, 0);
    stage.watch("lesson1", new Filter(1, b.qp.qpn(), -1));
    b.receive(7);
    b.receive(8);
    try (AddressHandle to = a.pd.createAh(AhAttr.ofLid(1, b.lid(), 0))) {
      a.datagram(1, "wrong key", to, b.qp.qpn(), WRONG);
      WorkCompletion first = a.completion();
      a.datagram(2, "right key", to, b.qp.qpn(), QKEY);
      WorkCompletion second = a.completion();
      WorkCompletion received = b.completion();
      List<Seen> packets = stage.stop();
      stage.say("lesson0: request %d completed with %s", first.wrId(), first.status());
      stage.say("lesson0: request %d completed with %s", second.wrId(), second.status());
      stage.say(
          "lesson1: receive %d completed with %s, %d bytes: \"%s\"",
          received.wrId(), received.status(), received.byteLen(), b.received(received));
      stage.say(
          "lesson1: qkey violations of the port: %d", b.device.queryPort(1).qkeyViolationCounter());
      stage.lookAt(
          "Q_Key 0x%08x of packet 1, not 0x%08x: \"%s\"",
          WRONG, QKEY, packets.getFirst().verdict());
      stage.lookAt("no acknowledgement: SUCCESS of a UD send says that the packet was sent");
      stage.lookAt(
          "%d bytes received for %d sent: the first 40 of a UD receive are kept for a GRH",
          received.byteLen(), received.byteLen() - 40);
    }
  }
}
