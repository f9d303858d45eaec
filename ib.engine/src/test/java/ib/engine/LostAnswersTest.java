package ib.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.EventType;
import ib.core.verbs.MemoryRegion;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.SendFlags;
import ib.core.verbs.WcStatus;
import ib.engine.qp.HcaConfig;
import ib.engine.time.VirtualClock;
import ib.engine.wire.Opcode;
import ib.engine.wire.Packet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Answers that do not come, or come when the memory is gone that they were for. */
class LostAnswersTest {
  private static final int LENGTH = 3000;

  private final VirtualClock clock = new VirtualClock();
  private final Rig rig = new Rig(clock, false, HcaConfig.of(0x10, 0x11), HcaConfig.of(0x20, 0x21));
  private final Rig.Side a = rig.a();
  private final Rig.Side b = rig.b();

  @BeforeEach
  void connect() {
    rig.connect(QpType.RC, 16, 14, 7, 7);
  }

  @AfterEach
  void close() {
    rig.close();
  }

  private static boolean isAnswer(Packet p) {
    return p.opcode >= Opcode.READ_RESPONSE_FIRST && p.opcode <= Opcode.ATOMIC_ACKNOWLEDGE;
  }

  private void read(int id, MemoryRegion from, MemoryRegion to) {
    a.qp.wrId(id).wrFlags(SendFlags.SIGNALED);
    a.qp.wrRdmaRead(from.rkey(), from.iova());
    a.qp.wrSetSge(to.lkey(), to.iova(), LENGTH);
  }

  private void atomic(MemoryRegion to) {
    a.qp.wrId(1).wrFlags(SendFlags.SIGNALED);
    a.qp.wrAtomicFetchAdd(b.mr.rkey(), b.mr.iova(), 1);
    a.qp.wrSetSge(to.lkey(), to.iova(), 8);
  }

  private void deliver() {
    rig.wire.holds(null);
    rig.wire.deliverHeld(LostAnswersTest::isAnswer, a.hca.newRunContext());
    rig.settle();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @DisplayName("D6: the memory that an answer is for is gone when it comes: LOC_PROT_ERR")
  void targetGone(boolean atomic) {
    MemoryRegion own = a.pd.allocMemory(LENGTH, 8, Rig.ALL_ACCESS);
    rig.wire.holds(LostAnswersTest::isAnswer);
    a.qp.wrStart();
    if (atomic) {
      atomic(own);
    } else {
      read(1, b.mr, own);
    }
    assertEquals(0, a.qp.wrComplete());
    own.close();
    deliver();
    assertEquals(WcStatus.LOC_PROT_ERR, Rig.next(a.sendCq).status());
    assertEquals(QpState.ERR, a.qp.state());
    assertEquals(QpState.RTS, b.qp.state());
  }

  @Test
  @DisplayName("D6: the memory that was read is gone when the answer comes: REM_ACCESS_ERR")
  void sourceGone() {
    MemoryRegion theirs = b.pd.allocMemory(LENGTH, 8, Rig.ALL_ACCESS);
    rig.wire.holds(LostAnswersTest::isAnswer);
    a.qp.wrStart();
    read(1, theirs, a.mr);
    assertEquals(0, a.qp.wrComplete());
    theirs.close();
    deliver();
    assertEquals(WcStatus.REM_ACCESS_ERR, Rig.next(a.sendCq).status());
    assertEquals(QpState.ERR, b.qp.state());
    assertTrue(b.device.heard(EventType.QP_ACCESS_ERR));
  }

  @ParameterizedTest
  @ValueSource(strings = {"write", "send", "read", "atomic"})
  @DisplayName(
      "IBA 9.7.5.2.7: a read whose answer was lost is asked for at once when a later answer comes")
  void askedAgain(String later) {
    int[] lost = {0};
    rig.wire.loses(p -> p.opcode == Opcode.READ_RESPONSE_ONLY && lost[0]++ == 0);
    a.qp.wrStart();
    a.qp.wrId(1).wrFlags(SendFlags.SIGNALED);
    a.qp.wrRdmaRead(b.mr.rkey(), b.mr.iova());
    a.qp.wrSetSge(a.mr.lkey(), a.mr.iova(), 64);
    switch (later) {
      case "read" -> read(2, b.mr, a.mr);
      case "atomic" -> atomic(a.mr);
      default -> {
        a.qp.wrId(2).wrFlags(SendFlags.SIGNALED);
        if (later.equals("write")) {
          a.qp.wrRdmaWrite(b.mr.rkey(), b.mr.iova());
        } else {
          a.qp.wrSend(); // no receive is there: an RNR NAK is an answer as well
        }
        a.qp.wrSetSge(a.mr.lkey(), a.mr.iova(), 64);
      }
    }
    assertEquals(0, a.qp.wrComplete());
    rig.settle(); // no time has passed
    assertEquals(1, Rig.next(a.sendCq).wrId());
    if (!later.equals("send")) {
      assertEquals(WcStatus.SUCCESS, Rig.next(a.sendCq).status());
    }
  }

  @Test
  @DisplayName("IBA 9.7.6.1.3: each answer to a long read gives the peer its time anew")
  void slowRead() {
    rig.wire.segments(true);
    rig.wire.holds(LostAnswersTest::isAnswer);
    a.qp.wrStart();
    read(1, b.mr, a.mr);
    assertEquals(0, a.qp.wrComplete());
    assertEquals(3, rig.wire.held.size());
    for (int i = 0; i < 3; i++) {
      clock.advance((4096L << 14) * 9 / 10);
      rig.settle();
      int[] n = {0};
      rig.wire.deliverHeld(p -> n[0]++ == 0, a.hca.newRunContext());
    }
    assertEquals(WcStatus.SUCCESS, Rig.next(a.sendCq).status());
    assertEquals(0L, a.hca.counters(1).get("completer_retry_err"), "times asked again");
  }

  @Test
  @DisplayName(
      "IBA 9.7.5.1: reads are answered one behind the other, however few packets there are")
  void manyAnswers() {
    int bytes = 64 << 10; // more than there are packets for
    rig.wire.segments(true);
    rig.wire.holds(LostAnswersTest::isAnswer);
    a.qp.wrStart();
    for (int i = 0; i < 2; i++) {
      a.qp.wrId(i).wrFlags(SendFlags.SIGNALED);
      a.qp.wrRdmaRead(b.mr.rkey(), b.mr.iova());
      a.qp.wrSetSge(a.mr.lkey(), a.mr.iova(), bytes);
    }
    assertEquals(0, a.qp.wrComplete());
    for (int i = 0; i < 200 && !rig.wire.held.isEmpty(); i++) {
      rig.wire.deliverHeld(LostAnswersTest::isAnswer, a.hca.newRunContext());
      rig.settle();
    }
    for (int i = 0; i < 2; i++) {
      assertEquals(i, Rig.next(a.sendCq).wrId());
    }
    assertEquals(0L, a.hca.counters(1).get("completer_retry_err"));
  }
}
