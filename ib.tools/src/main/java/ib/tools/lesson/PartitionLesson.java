package ib.tools.lesson;

import ib.core.spi.PacketCapture.Filter;
import ib.core.verbs.AddressHandle;
import ib.core.verbs.AhAttr;
import ib.core.verbs.QpType;
import ib.core.verbs.WorkCompletion;
import java.util.List;
import java.util.Map;

/** A packet of a partition that the receiver is not in. */
final class PartitionLesson {
  private static final int QKEY = 0x11111111;
  private static final int FOREIGN = 1; // indexes into the P_Key table of lesson0
  private static final int SHARED = 2;

  static final Lesson LESSON =
      new Lesson(
          "partition",
          "partitions, ports that may not talk to each other",
          """
          A port is in the partitions of its P_Key table, and every packet carries a
          P_Key. lesson0 has 0xffff, 0x8002 and 0x8001; lesson1 has 0xffff and 0x8001.
          lesson0 sends a datagram from a queue pair in partition 0x8002: the receiver's
          port drops it before any queue pair sees it. From a queue pair in partition
          0x8001 it arrives, at a queue pair in that partition.""",
          PartitionLesson::run,
          List.of(
              Map.of("pkeys", List.of("0xffff", "0x8002", "0x8001")),
              Map.of("pkeys", List.of("0xffff", "0x8001"))));

  private PartitionLesson() {}

  private static void run(Stage stage) {
    Party foreign = stage.party("lesson0", QpType.UD);
    Party shared = stage.party("lesson0", QpType.UD);
    Party b = stage.party("lesson1", QpType.UD);
    foreign.ready(QKEY, FOREIGN);
    shared.ready(QKEY, SHARED);
    b.ready(QKEY, 1);
    stage.watch("lesson1", new Filter(1, b.qp.qpn(), -1));
    b.receive(7);
    b.receive(8);
    AhAttr way = AhAttr.ofLid(1, b.lid(), 0);
    try (AddressHandle wrong = foreign.pd.createAh(way);
        AddressHandle right = shared.pd.createAh(way)) {
      foreign.datagram(1, "from 0x8002", wrong, b.qp.qpn(), QKEY);
      WorkCompletion first = foreign.completion();
      shared.datagram(2, "from 0x8001", right, b.qp.qpn(), QKEY);
      WorkCompletion second = shared.completion();
      WorkCompletion received = b.completion();
      List<Seen> packets = stage.stop();
      stage.say("lesson0: request %d completed with %s", first.wrId(), first.status());
      stage.say("lesson0: request %d completed with %s", second.wrId(), second.status());
      stage.say(
          "lesson1: receive %d completed with %s: \"%s\"",
          received.wrId(), received.status(), b.received(received));
      stage.say(
          "lesson1: P_Key violations of the port: %d", b.device.queryPort(1).badPkeyCounter());
      stage.lookAt("P_Key 0x8002 of packet 1: \"%s\"", packets.getFirst().verdict());
      stage.lookAt("P_Key 0x8001 of packet 2: \"%s\"", packets.getLast().verdict());
      stage.lookAt(
          "the top bit says full member: two limited members, 0x0001, could not talk either");
    }
  }
}
