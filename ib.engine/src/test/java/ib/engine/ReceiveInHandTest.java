package ib.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.AddressHandle;
import ib.core.verbs.AhAttr;
import ib.core.verbs.PostStatus;
import ib.core.verbs.QpAttr;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.QueuePair;
import ib.core.verbs.SendFlags;
import ib.core.verbs.SendWr;
import ib.core.verbs.SrqAttr;
import ib.core.verbs.SrqInit;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WorkCompletion;
import ib.core.verbs.WrOpcode;
import ib.engine.qp.HcaConfig;
import ib.engine.time.VirtualClock;
import ib.engine.wire.Opcode;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The receive request that a message has taken, and what its completion says. */
class ReceiveInHandTest {
  private static final int PIECE = 4096; // so that a longer message is several packets
  private static final int LENGTH = 3 * PIECE;
  private static final long APART = 1 << 16;
  private static final int LID = 8;
  private static final int PATH = 1;
  private static final int PKEY = 0x9234;

  private final Rig rig =
      new Rig(
          new VirtualClock(),
          false,
          HcaConfig.of(0x10, 0x11).withPace(PIECE, PIECE, 16, 8, 128),
          HcaConfig.of(0x20, 0x21).withPace(PIECE, PIECE, 16, 8, 128));
  private final Rig.Side a = rig.a();
  private final Rig.Side b = rig.b();

  private void shared(int receives) {
    b.srq = b.pd.createSrq(new SrqInit(new SrqAttr(16, 2, 0), null, null));
    for (int i = 0; i < receives; i++) {
      assertEquals(
          PostStatus.OK, b.srq.postReceive(i, b.mr.lkey(), b.mr.iova() + i * APART, LENGTH));
    }
  }

  private void send(int fill) {
    a.mr.segment().asSlice(0, LENGTH).fill((byte) fill);
    SendWr wr =
        new SendWr(1)
            .wrId(fill)
            .opcode(WrOpcode.SEND)
            .flags(SendFlags.SIGNALED)
            .addSge(a.mr.lkey(), a.mr.iova(), LENGTH);
    assertEquals(PostStatus.OK, a.qp.postSend(wr));
    rig.settle();
  }

  private void received(int receive, int fill) {
    WorkCompletion wc = Rig.next(b.recvCq);
    assertEquals(WcStatus.SUCCESS, wc.status());
    assertEquals(receive, wc.wrId());
    assertEquals(LENGTH, wc.byteLen());
    byte[] bytes = b.mr.segment().asSlice(receive * APART, LENGTH).toArray(ValueLayout.JAVA_BYTE);
    for (byte octet : bytes) {
      assertEquals(fill, octet);
    }
  }

  @Test
  @DisplayName("IBA 10.2.9: a message of several packets takes one receive of a shared queue")
  void several() {
    shared(3);
    rig.connect(QpType.RC);
    for (int i = 0; i < 3; i++) {
      send(i + 1);
      received(i, i + 1);
      assertEquals(WcStatus.SUCCESS, Rig.next(a.sendCq).status());
    }
  }

  @Test
  @DisplayName("a queue pair that is reset in the middle of a message takes another receive after")
  void reset() {
    shared(2);
    rig.connect(QpType.RC);
    rig.wire.holds(p -> (Opcode.what(p.opcode) & Opcode.END) != 0);
    send(1);
    assertTrue(rig.wire.held.size() > 0, "the last packet is on the way");
    for (Rig.Side s : new Rig.Side[] {a, b}) {
      s.qp.modify(new QpAttr().state(QpState.RESET));
    }
    rig.wire.holds(p -> false);
    rig.wire.held.clear();
    Rig.bringUp(a, a.qp, b.qp.qpn(), b.lid(), 1, 7, 7);
    Rig.bringUp(b, b.qp, a.qp.qpn(), a.lid(), 1, 7, 7);

    send(2);
    received(1, 2);
  }

  @Test
  @DisplayName("IBA 11.4.2.1: the completion of a datagram has its P_Key index and its path bits")
  void path() {
    b.hca.port(1).lid(LID, 1);
    rig.wire.lmc = 1;
    for (Rig.Side s : new Rig.Side[] {a, b}) {
      s.hca.port(1).pkeys(0xffff, PKEY);
      s.qp = datagrams(s);
    }
    assertEquals(PostStatus.OK, b.qp.postReceive(1, b.mr.lkey(), b.mr.iova(), 40 + 8));
    AddressHandle ah = a.pd.createAh(AhAttr.ofLid(1, LID + PATH, 0));
    a.qp.wrStart();
    a.qp.wrId(1).wrFlags(SendFlags.SIGNALED);
    a.qp.wrSend();
    a.qp.wrSetUdAddress(ah, b.qp.qpn(), Rig.QKEY);
    a.qp.wrSetSge(a.mr.lkey(), a.mr.iova(), 8);
    assertEquals(PostStatus.OK, a.qp.wrComplete());
    rig.settle();

    WorkCompletion wc = Rig.next(b.recvCq);
    assertEquals(1, wc.pkeyIndex());
    assertEquals(PATH, wc.dlidPathBits());
    assertEquals(a.lid(), wc.slid());
  }

  private static QueuePair datagrams(Rig.Side s) {
    QueuePair qp = s.pd.createQp(Rig.init(s, QpType.UD, 4));
    qp.modify(new QpAttr().state(QpState.INIT).pkeyIndex(1).port(1).qkey(Rig.QKEY));
    qp.modify(new QpAttr().state(QpState.RTR));
    qp.modify(new QpAttr().state(QpState.RTS).sqPsn(0));
    return qp;
  }
}
