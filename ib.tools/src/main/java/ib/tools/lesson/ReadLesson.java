package ib.tools.lesson;

import ib.core.spi.PacketCapture.Filter;
import ib.core.verbs.QpType;
import ib.core.verbs.QueuePairs;
import ib.core.verbs.WorkCompletion;
import ib.core.wire.BthOpcode;
import java.util.List;
import java.util.Map;

/** An RDMA READ whose response takes several packets. */
final class ReadLesson {
  private static final int BYTES = 2500;

  static final Lesson LESSON =
      new Lesson(
          "read",
          "RDMA READ, memory of the peer without its program",
          """
          The peer has registered memory and has given its address and its R_Key away.
          The reader posts one RDMA READ; the peer's adapter answers with the data, in
          packets of the path MTU. The peer's program does nothing and is not informed:
          its completion queue stays empty.""",
          ReadLesson::run,
          List.of(Map.of("mtu", 1024), Map.of("mtu", 1024)));

  private ReadLesson() {}

  private static void run(Stage stage) {
    Party a = stage.party("lesson0", QpType.RC);
    Party b = stage.party("lesson1", QpType.RC);
    QueuePairs.connect(a.qp, b.qp);
    b.write("0123456789".repeat(BYTES / 10));
    stage.watch("lesson0", Filter.ALL);
    a.post(a.request(1).wrRdmaRead(b.memory.rkey(), b.memory.iova()), BYTES);
    WorkCompletion read = a.completion();
    List<Seen> packets = stage.stop();
    boolean same = a.memory.segment().asSlice(0, BYTES).mismatch(b.memory.segment()) == BYTES;
    long responses = packets.stream().filter(Seen::incoming).count();
    stage.say("lesson0: request %d completed with %s", read.wrId(), read.status());
    stage.say("lesson0: %d bytes are %s as in the peer's memory", BYTES, same ? "the same" : "not");
    stage.say("lesson1: %d completions", b.completions());
    stage.lookAt(
        "R_Key 0x%08x of packet 1: the right to this memory; a wrong one is refused with a NAK",
        b.memory.rkey());
    stage.lookAt(
        "%d response packets for one request: FIRST, MIDDLE, LAST, with PSNs that count on",
        responses);
    stage.lookAt("no %s: the response is the acknowledgement", BthOpcode.RC_ACKNOWLEDGE);
  }
}
