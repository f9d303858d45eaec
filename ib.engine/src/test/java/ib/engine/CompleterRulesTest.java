package ib.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import ib.core.verbs.AddressHandle;
import ib.core.verbs.AhAttr;
import ib.core.verbs.Limit;
import ib.core.verbs.Mtu;
import ib.core.verbs.PostStatus;
import ib.core.verbs.QpAttr;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.SendFlags;
import ib.core.verbs.SendWr;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WrOpcode;
import ib.core.wire.BthOpcode;
import ib.engine.qp.HcaConfig;
import ib.engine.time.VirtualClock;
import ib.engine.wire.Packet;
import ib.engine.wire.RunContext;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What a requester takes for an answer, and what its packets say. */
class CompleterRulesTest {
  private static final int PSN = 0xfffffe; // of the first request
  private static final int MTU = 1024;
  private static final int LONGEST = 2 * MTU;

  private final Rig rig =
      new Rig(
          new VirtualClock(),
          false,
          HcaConfig.of(0x10, 0x11).withLimits(Map.of(Limit.MAX_MSG_SZ, (long) LONGEST)),
          HcaConfig.of(0x20, 0x21));
  private final Rig.Side a = rig.a();
  private final Rig.Side b = rig.b();
  private Forge forge;

  @AfterEach
  void close() {
    rig.close();
  }

  /** The peer is played by the test: nothing of it arrives. */
  private void play() {
    rig.connect(QpType.RC);
    forge = new Forge(rig, a, b);
  }

  private void post(WrOpcode opcode, int flags, int length) {
    SendWr wr =
        new SendWr(1)
            .wrId(1)
            .opcode(opcode)
            .flags(SendFlags.SIGNALED | flags)
            .rkey(b.mr.rkey())
            .remoteAddr(b.mr.iova())
            .addSge(a.mr.lkey(), a.mr.iova(), length);
    assertEquals(PostStatus.OK, a.qp.postSend(wr));
    rig.settle();
  }

  private void arrive(BthOpcode opcode, int psn, int payload, Consumer<Packet> change) {
    Packet p = forge.packet(opcode, psn, payload);
    p.syndrome = 0x1f; // ACK
    change.accept(p);
    RunContext run = a.hca.newRunContext();
    a.hca.port(1).receive(p, run);
    run.finish();
    rig.settle();
  }

  private void arrive(BthOpcode opcode, int psn, int payload) {
    arrive(opcode, psn, payload, p -> {});
  }

  private long count(String name) {
    return a.hca.counters(1).get(name);
  }

  private WcStatus next() {
    return Rig.next(a.sendCq).status();
  }

  @Test
  @DisplayName("IBA 9.6.1.1: an answer from elsewhere or of another partition completes nothing")
  void strangers() {
    play();
    post(WrOpcode.RDMA_WRITE, 0, 8);
    arrive(BthOpcode.RC_ACKNOWLEDGE, PSN, 0, p -> p.pkey = 0x9234);
    arrive(BthOpcode.RC_ACKNOWLEDGE, PSN, 0, p -> p.slid = 77);
    Rig.assertEmpty(a.sendCq);
    assertEquals(1, count("drop_pkey"));
    assertEquals(1, count("drop_source"));
    arrive(BthOpcode.RC_ACKNOWLEDGE, PSN, 0);
    assertEquals(WcStatus.SUCCESS, next());
  }

  @Test
  @DisplayName("IBA 9.6.1.1.1: in RTR there is nothing that could be answered")
  void readyToReceive() {
    a.qp = a.pd.createQp(Rig.init(a, QpType.RC, 4));
    Rig.toRtr(a.qp, 5, b.lid(), Mtu.MTU_1024);
    forge = new Forge(rig, a, b);
    arrive(BthOpcode.RC_ACKNOWLEDGE, 0, 0);
    assertEquals(1, count("drop_qp_state"));
  }

  @Test
  @DisplayName("IBA 9.7.5.1.9: the answer of a read counts once; its copy is old")
  void twice() {
    play();
    post(WrOpcode.RDMA_READ, 0, 8);
    post(WrOpcode.RDMA_WRITE, 0, 8);
    arrive(BthOpcode.RC_RDMA_READ_RESPONSE_ONLY, PSN, 8);
    assertEquals(WcStatus.SUCCESS, next());
    assertEquals(0, count("drop_ack_psn"));
    arrive(BthOpcode.RC_RDMA_READ_RESPONSE_ONLY, PSN, 8);
    assertEquals(1, count("drop_ack_psn"));
    Rig.assertEmpty(a.sendCq);
  }

  @Test
  @DisplayName("IBA 9.9.2.4.2: the first answer of a read of two packets is as long as the MTU")
  void shortFirst() {
    play();
    post(WrOpcode.RDMA_READ, 0, 2 * MTU);
    arrive(BthOpcode.RC_RDMA_READ_RESPONSE_FIRST, PSN, MTU / 2);
    assertEquals(WcStatus.BAD_RESP_ERR, next());
  }

  @Test
  @DisplayName("IBA 9.9.2.4.2: the last answer of a read brings what is left of it")
  void shortLast() {
    play();
    post(WrOpcode.RDMA_READ, 0, 2 * MTU);
    arrive(BthOpcode.RC_RDMA_READ_RESPONSE_FIRST, PSN, MTU);
    arrive(BthOpcode.RC_RDMA_READ_RESPONSE_LAST, PSN + 1, MTU / 2);
    assertEquals(WcStatus.BAD_RESP_ERR, next());
  }

  private List<Boolean> solicited(int flags) {
    List<Boolean> seen = new ArrayList<>();
    rig.wire.segments(true);
    rig.wire.loses(
        p -> {
          if (p.slid == a.lid()) {
            seen.add(p.solicited);
          }
          return false;
        });
    assertEquals(PostStatus.OK, b.qp.postReceive(1, b.mr.lkey(), b.mr.iova(), 2 * MTU));
    post(WrOpcode.SEND, flags, 2 * MTU);
    assertEquals(WcStatus.SUCCESS, next());
    return seen;
  }

  @Test
  @DisplayName("IBA 9.2.3: only the last packet of a message is solicited, and only if asked for")
  void solicitedEvents() {
    rig.connect(QpType.RC);
    assertEquals(List.of(false, true), solicited(SendFlags.SOLICITED));
    assertEquals(List.of(false, false), solicited(0));
  }

  @Test
  @DisplayName("IBA 10.2.5: the Q_Key 0 is one as others are")
  void noQkey() {
    rig.connect(QpType.UD);
    List<Integer> seen = new ArrayList<>();
    rig.wire.loses(
        p -> {
          seen.add(p.qkey);
          return false;
        });
    AddressHandle ah = a.pd.createAh(AhAttr.ofLid(1, b.lid(), 0));
    for (int qkey : new int[] {0, 1, 0x80000000}) {
      a.qp.wrStart();
      a.qp.wrFlags(SendFlags.SIGNALED);
      a.qp.wrSend();
      a.qp.wrSetUdAddress(ah, b.qp.qpn(), qkey);
      a.qp.wrSetSge(a.mr.lkey(), a.mr.iova(), 8);
      assertEquals(PostStatus.OK, a.qp.wrComplete());
      rig.settle();
    }
    assertEquals(List.of(0, 1, Rig.QKEY), seen);
  }

  @Test
  @DisplayName("IBA 9.7.7: a message is as long as the device allows, and one byte more fails")
  void longest() {
    rig.connect(QpType.RC);
    rig.wire.segments(true);
    post(WrOpcode.RDMA_WRITE, 0, LONGEST);
    assertEquals(WcStatus.SUCCESS, next());
    post(WrOpcode.RDMA_WRITE, 0, LONGEST + 1);
    assertEquals(WcStatus.LOC_LEN_ERR, next());
    assertEquals(QpState.ERR, a.qp.state());
  }

  @Test
  @DisplayName("IBA 10.9.3: a request of QP1 says by which P_Key it goes")
  void ownPkey() {
    for (Rig.Side s : rig.sides) {
      s.hca.port(1).pkeys(0xffff, 0x9234);
      s.qp = s.pd.createQp(Rig.init(s, QpType.GSI, 8).withPort(1));
      Rig.toRtr(s.qp, 0, 0, Mtu.MTU_256);
      s.qp.modify(new QpAttr().state(QpState.RTS).sqPsn(1));
    }
    List<Integer> seen = new ArrayList<>();
    rig.wire.loses(
        p -> {
          seen.add(p.pkey);
          return false;
        });
    AddressHandle ah = a.pd.createAh(AhAttr.ofLid(1, b.lid(), 0));
    for (int index = 0; index < 2; index++) {
      SendWr wr =
          new SendWr(1)
              .opcode(WrOpcode.SEND)
              .ah(ah)
              .remoteQpn(1)
              .remoteQkey(0x80010000)
              .pkeyIndex(index)
              .addSge(a.mr.lkey(), a.mr.iova(), 256);
      assertEquals(PostStatus.OK, a.qp.postSend(wr));
      rig.settle();
    }
    assertEquals(List.of(0xffff, 0x9234), seen);
  }
}
