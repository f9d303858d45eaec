package ib.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.PostStatus;
import ib.core.verbs.QpType;
import ib.core.verbs.SendFlags;
import ib.core.verbs.SendWr;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WrOpcode;
import ib.engine.qp.HcaConfig;
import ib.engine.time.VirtualClock;
import ib.engine.wire.Packet;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Answers that come late, twice, or for what was never sent (F-07). */
class StaleAnswerTest {
  private static final long TIMEOUT = 4096L << 14;
  private static final int LONG_MESSAGE = 200 * 1024;

  private final VirtualClock clock = new VirtualClock();
  private final Rig rig = new Rig(clock, false, HcaConfig.of(0x10, 0x11), HcaConfig.of(0x20, 0x21));

  @BeforeEach
  void connect() {
    rig.wire.segments(true);
    rig.connect(QpType.RC, 1, 14, 7, 7); // depth 1: a slot that is free is used at once
    SplittableRandom random = new SplittableRandom(5);
    for (int i = 0; i < 1 << 20; i += 8) {
      rig.a().mr.segment().set(ValueLayout.JAVA_LONG, i, random.nextLong());
    }
  }

  @AfterEach
  void close() {
    rig.close();
  }

  private void write(int id, long from, int length) {
    SendWr wr =
        new SendWr(1)
            .wrId(id)
            .opcode(WrOpcode.RDMA_WRITE)
            .flags(SendFlags.SIGNALED)
            .rkey(rig.b().mr.rkey())
            .remoteAddr(rig.b().mr.iova() + from)
            .addSge(rig.a().mr.lkey(), rig.a().mr.iova() + from, length);
    assertEquals(PostStatus.OK, rig.a().qp.postSend(wr));
  }

  private static boolean isAck(Packet p) {
    return p.opcode == 0x11;
  }

  private void done(int id) {
    rig.settle();
    for (int i = 0; i < 100 && rig.a().sendCq.requestNotify(6) == 0; i++) {
      clock.advance(TIMEOUT);
      rig.settle();
    }
    var wc = Rig.next(rig.a().sendCq);
    assertEquals(WcStatus.SUCCESS, wc.status());
    assertEquals(id, wc.wrId());
  }

  private void same(long from, int length) {
    MemorySegment a = rig.a().mr.segment().asSlice(from, length);
    assertEquals(-1, a.mismatch(rig.b().mr.segment().asSlice(from, length)));
  }

  @Test
  @DisplayName("F-07: an acknowledgement of what has a number but was never sent completes nothing")
  void notSentYet() {
    boolean[] once = {false};
    rig.wire.loses(
        p -> {
          if (isAck(p) && !once[0]) { // after at most 128 packets it acknowledges 199
            once[0] = true;
            p.psn = 0xfffffe + 198 & 0xffffff;
          }
          return false;
        });
    write(1, 0, LONG_MESSAGE);
    done(1);
    same(0, LONG_MESSAGE);
    assertTrue(rig.a().hca.counters(1).get("drop_ack_psn") >= 1);
  }

  @Test
  @DisplayName(
      "F-07: a late acknowledgement in the middle of a retransmission: nothing old is sent")
  void lateAcknowledgement() {
    rig.wire.holds(StaleAnswerTest::isAck);
    write(1, 0, 100 * 1024);
    rig.settle();
    Rig.assertEmpty(rig.a().sendCq);
    rig.wire.holds(p -> true); // the retransmission is stuck after 16 packets
    clock.advance(3 * TIMEOUT);
    rig.settle();
    clock.advance(3 * TIMEOUT);
    rig.settle();
    assertTrue(rig.wire.held.stream().anyMatch(p -> !isAck(p)), "sent again");
    rig.wire.holds(p -> false);
    rig.wire.deliverHeld(StaleAnswerTest::isAck, rig.b().hca.newRunContext());
    done(1);
    write(2, 300_000, 50_000);
    rig.wire.deliverHeld(p -> true, rig.a().hca.newRunContext());
    done(2);
    same(0, 100 * 1024);
    same(300_000, 50_000);
    Rig.assertEmpty(rig.a().sendCq);
  }
}
