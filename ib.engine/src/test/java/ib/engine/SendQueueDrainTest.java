package ib.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.Access;
import ib.core.verbs.AhAttr;
import ib.core.verbs.EventType;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.PostStatus;
import ib.core.verbs.QpAttr;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.SendFlags;
import ib.core.verbs.SendWr;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WorkCompletion;
import ib.core.verbs.WrOpcode;
import ib.engine.qp.HcaConfig;
import ib.engine.time.VirtualClock;
import ib.engine.wire.Packet;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("issue 3, section 1: the SQD state (IBA 10.3.1.5)")
class SendQueueDrainTest {
  private final VirtualClock clock = new VirtualClock();
  private final Rig rig = new Rig(clock, false, HcaConfig.of(0x10, 0x11), HcaConfig.of(0x20, 0x21));
  private final List<Integer> sent = new ArrayList<>();

  @AfterEach
  void close() {
    rig.close();
  }

  private void connect() {
    rig.connect(QpType.RC, 64, 8, 7, 7);
    rig.wire.loses(
        p -> {
          if (p.dlid == rig.b().lid()) {
            sent.add(p.opcode);
          }
          return false;
        });
  }

  private SendWr wr(WrOpcode op, int id, int length) {
    return new SendWr(1)
        .wrId(id)
        .opcode(op)
        .flags(SendFlags.SIGNALED)
        .rkey(rig.b().mr.rkey())
        .remoteAddr(rig.b().mr.iova())
        .addSge(rig.a().mr.lkey(), rig.a().mr.iova(), length);
  }

  private void post(SendWr wr) {
    assertEquals(PostStatus.OK, rig.a().qp.postSend(wr));
    rig.settle();
  }

  private void drain(boolean notify) {
    rig.a().qp.modify(new QpAttr().state(QpState.SQD).enSqdAsyncNotify(notify));
    rig.settle();
  }

  private long drained() {
    return rig.a().device.events().stream().filter(e -> e.type() == EventType.SQ_DRAINED).count();
  }

  private void answer() {
    rig.wire.holds(null);
    while (!rig.wire.held.isEmpty()) {
      Packet p = rig.wire.held.peek();
      rig.wire.deliverHeld(x -> x == p, rig.a().hca.newRunContext());
      rig.settle();
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = WrOpcode.class,
      names = {"SEND", "RDMA_WRITE", "RDMA_READ", "ATOMIC_FETCH_AND_ADD"})
  @DisplayName("what is under way is finished, what is queued is held; SQ_DRAINED once, in between")
  void drains(WrOpcode op) {
    connect();
    rig.b().qp.postReceive(9, rig.b().mr.lkey(), rig.b().mr.iova(), 64);
    rig.wire.holds(p -> p.dlid == rig.a().lid());
    post(wr(op, 1, 8));
    drain(true);
    post(wr(WrOpcode.RDMA_WRITE, 2, 8)); // accepted, held
    post(wr(WrOpcode.RDMA_READ, 3, 8));
    assertEquals(1, sent.size(), "nothing is begun in SQD");
    assertEquals(0, drained(), "the answer is not here yet");
    answer();
    assertEquals(1, Rig.next(rig.a().sendCq).wrId());
    Rig.assertEmpty(rig.a().sendCq);
    assertEquals(1, drained());
    assertEquals(QpState.SQD, rig.a().qp.state());
    rig.a().qp.modify(new QpAttr().state(QpState.RTS));
    rig.settle();
    assertEquals(2, Rig.next(rig.a().sendCq).wrId());
    assertEquals(3, Rig.next(rig.a().sendCq).wrId());
    assertEquals(1, drained());
  }

  @Test
  @DisplayName("a message of 300 packets of which 128 were sent is sent to its end")
  void wholeMessage() {
    connect();
    rig.wire.segments(true);
    rig.wire.holds(p -> p.dlid == rig.a().lid());
    post(wr(WrOpcode.RDMA_WRITE, 1, 300 * 1024));
    assertTrue(sent.size() < 300, "the window was full after " + sent.size());
    drain(true);
    post(wr(WrOpcode.RDMA_WRITE, 2, 8));
    answer();
    assertEquals(300, sent.size());
    assertEquals(1, Rig.next(rig.a().sendCq).wrId());
    Rig.assertEmpty(rig.a().sendCq);
    assertEquals(1, drained());
  }

  @Test
  @DisplayName("what is lost while draining is sent again: the timer runs in SQD, too")
  void retransmits() {
    connect();
    rig.wire.holds(p -> p.dlid == rig.a().lid());
    post(wr(WrOpcode.RDMA_WRITE, 1, 8));
    drain(true);
    rig.wire.held.remove().release(rig.a().hca.newRunContext());
    rig.wire.holds(null);
    for (int i = 0; i < 3; i++) {
      clock.advance(4096 << 8);
      rig.settle();
    }
    assertEquals(1, Rig.next(rig.a().sendCq).wrId());
    assertEquals(1, drained());
  }

  @Test
  @DisplayName(
      "SQ_DRAINED comes when asked for with EN_SQD_ASYNC_NOTIFY, each time, and at once if idle")
  void notified() {
    connect();
    drain(false);
    rig.a().qp.modify(new QpAttr().state(QpState.RTS));
    assertEquals(0, drained());
    for (int i = 1; i <= 3; i++) {
      drain(true);
      assertEquals(i, drained());
      rig.a().qp.modify(new QpAttr().state(QpState.RTS));
    }
  }

  @Test
  @DisplayName("the responder goes on in SQD")
  void responds() {
    connect();
    drain(false);
    Rig.Side a = rig.a();
    Rig.Side b = rig.b();
    SendWr read =
        new SendWr(1)
            .wrId(7)
            .opcode(WrOpcode.RDMA_READ)
            .flags(SendFlags.SIGNALED)
            .rkey(a.mr.rkey())
            .remoteAddr(a.mr.iova())
            .addSge(b.mr.lkey(), b.mr.iova(), 8);
    assertEquals(PostStatus.OK, b.qp.postSend(read));
    rig.settle();
    assertEquals(WcStatus.SUCCESS, Rig.next(b.sendCq).status());
  }

  @Test
  @DisplayName(
      "attributes are changed in SQD and hold from RTS on: address, timeout, retries, rights")
  void attributes() {
    connect();
    drain(true);
    Rig.Side a = rig.a();
    post(wr(WrOpcode.RDMA_WRITE, 1, 8));
    a.qp.modify(
        new QpAttr()
            .state(QpState.SQD)
            .av(AhAttr.ofLid(1, 77, 0))
            .timeout(6)
            .retryCount(1)
            .rnrRetry(3)
            .maxRdAtomic(2)
            .maxDestRdAtomic(3)
            .minRnrTimer(5)
            .accessFlags(Access.REMOTE_READ));
    QpAttr q = a.qp.query();
    assertEquals(QpState.SQD, q.state());
    assertEquals(6, q.timeout());
    assertEquals(2, q.maxRdAtomic());
    assertEquals(3, q.maxDestRdAtomic());
    assertEquals(5, q.minRnrTimer());
    assertEquals(Access.REMOTE_READ, q.accessFlags());
    assertThrows(
        IbInvalidException.class, () -> a.qp.modify(new QpAttr().state(QpState.SQD).sqPsn(1)));
    List<Integer> to = new ArrayList<>();
    rig.wire.loses(p -> to.add(p.dlid));
    a.qp.modify(new QpAttr().state(QpState.RTS));
    for (int i = 0; i < 8; i++) {
      clock.advance(4096 << 6);
      rig.settle();
    }
    assertEquals(List.of(77, 77), to, "the new address; one retry");
    WorkCompletion wc = Rig.next(a.sendCq);
    assertEquals(WcStatus.RETRY_EXC_ERR, wc.status());
  }

  @Test
  @DisplayName("from SQD to ERR: what is held is flushed, in order; no SQ_DRAINED any more")
  void toError() {
    connect();
    rig.wire.holds(p -> p.dlid == rig.a().lid());
    post(wr(WrOpcode.RDMA_READ, 1, 8));
    drain(true);
    post(wr(WrOpcode.RDMA_WRITE, 2, 8));
    rig.a().qp.modify(new QpAttr().state(QpState.ERR));
    for (int i = 1; i <= 2; i++) {
      WorkCompletion wc = Rig.next(rig.a().sendCq);
      assertEquals(i, wc.wrId());
      assertEquals(WcStatus.WR_FLUSH_ERR, wc.status());
    }
    answer();
    assertEquals(0, drained());
  }

  @ParameterizedTest
  @EnumSource(
      value = QpType.class,
      names = {"UC", "UD"})
  @DisplayName("UC and UD: held in SQD, sent from RTS on")
  void unreliable(QpType type) {
    rig.connect(type);
    drain(true);
    assertEquals(1, drained());
    SendWr send = wr(WrOpcode.SEND, 1, 8);
    if (type == QpType.UD) {
      send.ah(rig.a().pd.createAh(AhAttr.ofLid(1, 2, 0))).remoteQpn(rig.b().qp.qpn());
      send.remoteQkey(Rig.QKEY);
    }
    rig.b().qp.postReceive(5, rig.b().mr.lkey(), rig.b().mr.iova(), 64);
    post(send);
    Rig.assertEmpty(rig.a().sendCq);
    rig.a().qp.modify(new QpAttr().state(QpState.RTS));
    rig.settle();
    assertEquals(1, Rig.next(rig.a().sendCq).wrId());
    assertEquals(5, Rig.next(rig.b().recvCq).wrId());
    assertFalse(rig.a().device.heard(EventType.QP_FATAL));
  }
}
