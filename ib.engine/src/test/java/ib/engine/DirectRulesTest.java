package ib.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.AhAttr;
import ib.core.verbs.Mtu;
import ib.core.verbs.PostStatus;
import ib.core.verbs.QpAttr;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.SendFlags;
import ib.core.verbs.SendWr;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WrOpcode;
import ib.engine.qp.HcaConfig;
import ib.engine.time.VirtualClock;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Requests that need no packet, and those that only packets can execute or refuse. */
class DirectRulesTest {
  private static final int UNKNOWN = 0x00ffff00; // a key that no table has
  private static final int ELSEWHERE = 77;

  private final Rig rig =
      new Rig(new VirtualClock(), false, HcaConfig.of(0x10, 0x11), HcaConfig.of(0x20, 0x21));
  private final Rig.Side a = rig.a();
  private final Rig.Side b = rig.b();

  @AfterEach
  void close() {
    rig.close();
  }

  private void post(WrOpcode opcode, int rkey, int lkey, int length) {
    SendWr wr =
        new SendWr(1)
            .wrId(1)
            .opcode(opcode)
            .flags(SendFlags.SIGNALED)
            .rkey(rkey)
            .remoteAddr(b.mr.iova());
    if (length > 0) {
      wr.addSge(lkey, a.mr.iova(), length);
    }
    assertEquals(PostStatus.OK, a.qp.postSend(wr));
    rig.settle();
  }

  private void receive(int lkey) {
    assertEquals(PostStatus.OK, b.qp.postReceive(1, lkey, b.mr.iova(), 64));
  }

  private static void assertNoCrash(Rig.Side s) {
    assertEquals(0L, s.hca.counters(1).get("steps_crashed"));
  }

  @ParameterizedTest
  @EnumSource(names = {"SEND", "RDMA_WRITE", "RDMA_READ"})
  @DisplayName("IBA 9.7.4.1.1: no key is looked at for no bytes, and no packet is needed")
  void empty(WrOpcode opcode) {
    rig.connect(QpType.RC);
    receive(UNKNOWN);
    post(opcode, UNKNOWN, 0, 0);
    assertEquals(WcStatus.SUCCESS, Rig.next(a.sendCq).status());
    assertEquals(0, rig.wire.transmitted.get());
  }

  @ParameterizedTest
  @EnumSource(names = {"RDMA_WRITE", "RDMA_READ"})
  @DisplayName("IBA 9.7.4.1.3: an unknown remote key is refused by the peer, as with packets")
  void unknownKey(WrOpcode opcode) {
    rig.connect(QpType.RC);
    post(opcode, UNKNOWN, a.mr.lkey(), 8);
    assertEquals(WcStatus.REM_ACCESS_ERR, Rig.next(a.sendCq).status());
    assertEquals(QpState.ERR, b.qp.state());
    assertNoCrash(a);
  }

  @Test
  @DisplayName("IBA 9.9.3: a receive of an unknown key fails, and its sender hears of it")
  void unknownReceive() {
    rig.connect(QpType.RC);
    receive(UNKNOWN);
    post(WrOpcode.SEND, 0, a.mr.lkey(), 8);
    assertEquals(WcStatus.REM_OP_ERR, Rig.next(a.sendCq).status());
    assertEquals(WcStatus.LOC_PROT_ERR, Rig.next(b.recvCq).status());
    assertNoCrash(a);
  }

  @ParameterizedTest
  @EnumSource(names = {"SEND", "RDMA_WRITE", "RDMA_READ"})
  @DisplayName("IBA 10.7.2: an unknown key of the sender's own fails, and the peer sees nothing")
  void unknownLocal(WrOpcode opcode) {
    rig.connect(QpType.RC);
    receive(b.mr.lkey());
    post(opcode, b.mr.rkey(), UNKNOWN, 8);
    assertEquals(WcStatus.LOC_PROT_ERR, Rig.next(a.sendCq).status());
    assertEquals(QpState.RTS, b.qp.state());
    Rig.assertEmpty(b.recvCq);
    assertNoCrash(a);
  }

  @ParameterizedTest
  @EnumSource(names = {"RDMA_WRITE", "RDMA_READ"})
  @DisplayName("IBA 9.6.1.1.2: a peer that is connected elsewhere takes nothing")
  void elsewhere(WrOpcode opcode) {
    for (Rig.Side s : List.of(a, b)) {
      s.qp = s.pd.createQp(Rig.init(s, QpType.RC, 16));
    }
    Rig.bringUp(a, a.qp, b.qp.qpn(), b.lid(), 1, 7, 7);
    Rig.bringUp(b, b.qp, a.qp.qpn(), ELSEWHERE, 1, 7, 7);
    post(opcode, b.mr.rkey(), a.mr.lkey(), 8);
    Rig.assertEmpty(a.sendCq);
    assertTrue(rig.wire.transmitted.get() > 0);
    assertEquals(1L, b.hca.counters(1).get("drop_source"));
  }

  private void create() {
    for (Rig.Side s : List.of(a, b)) {
      s.qp = s.pd.createQp(Rig.init(s, QpType.RC, 16));
    }
    Rig.bringUp(b, b.qp, a.qp.qpn(), a.lid(), 1, 7, 7);
  }

  private static QpAttr rts(int reads) {
    QpAttr rts = new QpAttr().state(QpState.RTS).sqPsn(0xfffffe);
    return rts.timeout(1).retryCount(7).rnrRetry(7).maxRdAtomic(reads);
  }

  @Test
  @DisplayName("IBA 9.4.4: a queue pair that may have no read under way sends none")
  void noReads() {
    create();
    Rig.toRtr(a.qp, b.qp.qpn(), b.lid(), Mtu.MTU_1024);
    a.qp.modify(rts(0));
    post(WrOpcode.RDMA_READ, b.mr.rkey(), a.mr.lkey(), 8);
    assertEquals(WcStatus.LOC_QP_OP_ERR, Rig.next(a.sendCq).status());
  }

  @Test
  @DisplayName("IBA 9.6.1.2: what comes from another LID of the sender's port is not taken")
  void otherSource() {
    a.hca.port(1).lid(4, 1);
    create();
    a.qp.modify(new QpAttr().state(QpState.INIT).pkeyIndex(0).port(1).accessFlags(Rig.ALL_ACCESS));
    a.qp.modify(
        new QpAttr()
            .state(QpState.RTR)
            .av(new AhAttr(b.lid(), 0, 1, 0, 1, null))
            .pathMtu(Mtu.MTU_1024)
            .destQpn(b.qp.qpn())
            .rqPsn(0xfffffe)
            .maxDestRdAtomic(4)
            .minRnrTimer(1));
    a.qp.modify(rts(4));
    post(WrOpcode.RDMA_WRITE, b.mr.rkey(), a.mr.lkey(), 8);
    Rig.assertEmpty(a.sendCq);
    assertEquals(1L, b.hca.counters(1).get("drop_source"));
  }
}
