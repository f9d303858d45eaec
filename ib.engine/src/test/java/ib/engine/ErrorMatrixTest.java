package ib.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.Access;
import ib.core.verbs.EventType;
import ib.core.verbs.MemoryRegion;
import ib.core.verbs.PostStatus;
import ib.core.verbs.QpAttr;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.SendFlags;
import ib.core.verbs.SendWr;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WorkCompletion;
import ib.core.verbs.WrOpcode;
import ib.engine.wire.Packet;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** Remote and local errors of a requester (D6), on both kinds of wire. */
@ParameterizedClass(name = "segments: {0}")
@ValueSource(booleans = {false, true})
class ErrorMatrixTest {
  private final Rig rig = Rig.two();
  private int nak; // last syndrome that was not an acknowledgement

  ErrorMatrixTest(boolean segments) {
    rig.wire.segments(segments);
  }

  @BeforeEach
  void connect() {
    rig.connect(QpType.RC, 16, 14, 1, 0);
    rig.wire.loses(this::watch);
  }

  @AfterEach
  void close() {
    rig.close();
  }

  private boolean watch(Packet p) {
    if (p.opcode == 0x11 && p.syndrome != 0x1f) {
      nak = p.syndrome;
    }
    return false;
  }

  private SendWr wr(WrOpcode op, int length) {
    Rig.Side a = rig.a();
    return new SendWr(2)
        .wrId(1)
        .opcode(op)
        .flags(SendFlags.SIGNALED)
        .rkey(rig.b().mr.rkey())
        .remoteAddr(rig.b().mr.iova())
        .addSge(a.mr.lkey(), a.mr.iova(), length);
  }

  /** Posts one that must fail and one that must be flushed, and checks both ends. */
  private void fails(SendWr bad, WcStatus status, int syndrome, EventType event) {
    SendWr after = wr(WrOpcode.SEND, 1).wrId(2).flags(0);
    bad.next(after);
    assertEquals(PostStatus.OK, rig.a().qp.postSend(bad));
    WorkCompletion first = Rig.await(rig.a().sendCq);
    assertEquals(status, first.status());
    assertEquals(1, first.wrId());
    WorkCompletion second = Rig.await(rig.a().sendCq);
    assertEquals(WcStatus.WR_FLUSH_ERR, second.status(), "unsignaled ones complete on error");
    assertEquals(2, second.wrId());
    assertEquals(QpState.ERR, rig.a().qp.state());
    assertEquals(syndrome, nak);
    if (syndrome != 0) {
      assertEquals(QpState.ERR, rig.b().qp.state());
      assertEquals(syndrome, first.vendorError());
    }
    if (event != null) {
      assertTrue(rig.b().device.heard(event), "" + event);
    }
    nak = 0;
  }

  @Test
  @DisplayName("matrix: bad rkey, WRITE and READ: 62, REM_ACCESS_ERR")
  void badRkey() {
    fails(
        wr(WrOpcode.RDMA_WRITE, 8).rkey(rig.b().mr.lkey()),
        WcStatus.REM_ACCESS_ERR,
        0x62,
        EventType.QP_ACCESS_ERR);
    connect();
    fails(
        wr(WrOpcode.RDMA_READ, 8).rkey(12345),
        WcStatus.REM_ACCESS_ERR,
        0x62,
        EventType.QP_ACCESS_ERR);
  }

  @Test
  @DisplayName("matrix: out of bounds by one byte at either end: 62")
  void bounds() {
    long end = rig.b().mr.iova() + rig.b().mr.length();
    fails(wr(WrOpcode.RDMA_WRITE, 8).remoteAddr(end - 7), WcStatus.REM_ACCESS_ERR, 0x62, null);
    connect();
    fails(
        wr(WrOpcode.RDMA_READ, 8).remoteAddr(rig.b().mr.iova() - 1),
        WcStatus.REM_ACCESS_ERR,
        0x62,
        null);
    connect();
    fails(wr(WrOpcode.RDMA_WRITE, 8).remoteAddr(-4L), WcStatus.REM_ACCESS_ERR, 0x62, null);
  }

  @Test
  @DisplayName("matrix: the region does not allow it: 62; the queue pair does not: 61")
  void rights() {
    MemoryRegion local = rig.b().pd.allocMemory(64, 8, Access.LOCAL_WRITE | Access.REMOTE_READ);
    fails(
        wr(WrOpcode.RDMA_WRITE, 8).rkey(local.rkey()).remoteAddr(local.iova()),
        WcStatus.REM_ACCESS_ERR,
        0x62,
        EventType.QP_ACCESS_ERR);
    connect();
    rig.b().qp.modify(new QpAttr().state(QpState.RTS).accessFlags(Access.REMOTE_READ));
    fails(wr(WrOpcode.RDMA_WRITE, 8), WcStatus.REM_INV_REQ_ERR, 0x61, EventType.QP_REQ_ERR);
    connect();
    rig.b().qp.modify(new QpAttr().state(QpState.RTS).accessFlags(Access.REMOTE_WRITE));
    fails(wr(WrOpcode.RDMA_READ, 8), WcStatus.REM_INV_REQ_ERR, 0x61, EventType.QP_REQ_ERR);
  }

  @Test
  @DisplayName("matrix: another protection domain's region: 62")
  void otherDomain() {
    MemoryRegion other = rig.b().device.allocPd().allocMemory(64, 8, Rig.ALL_ACCESS);
    fails(
        wr(WrOpcode.RDMA_WRITE, 8).rkey(other.rkey()).remoteAddr(other.iova()),
        WcStatus.REM_ACCESS_ERR,
        0x62,
        null);
  }

  @Test
  @DisplayName("matrix: SEND longer than the buffer: 61, local LOC_LEN_ERR")
  void tooLong() {
    rig.b().qp.postReceive(5, rig.b().mr.lkey(), rig.b().mr.iova(), 7);
    rig.b().qp.postReceive(6, rig.b().mr.lkey(), rig.b().mr.iova(), 7);
    fails(wr(WrOpcode.SEND, 8), WcStatus.REM_INV_REQ_ERR, 0x61, null);
    WorkCompletion wc = Rig.await(rig.b().recvCq);
    assertEquals(WcStatus.LOC_LEN_ERR, wc.status());
    assertEquals(5, wc.wrId());
    wc = Rig.await(rig.b().recvCq);
    assertEquals(WcStatus.WR_FLUSH_ERR, wc.status());
    assertEquals(6, wc.wrId());
  }

  @Test
  @DisplayName("matrix: bad lkey in a receive: 63, local LOC_PROT_ERR")
  void badReceive() {
    rig.b().qp.postReceive(5, rig.b().mr.rkey(), rig.b().mr.iova(), 64);
    fails(wr(WrOpcode.SEND, 8), WcStatus.REM_OP_ERR, 0x63, null);
    assertEquals(WcStatus.LOC_PROT_ERR, Rig.await(rig.b().recvCq).status());
  }

  @Test
  @DisplayName("D6: a closed arena under a receive: 63, LOC_PROT_ERR")
  void closedReceive() {
    Arena arena = Arena.ofShared();
    MemoryRegion gone = rig.b().pd.registerMemory(arena.allocate(64), Rig.ALL_ACCESS);
    rig.b().qp.postReceive(5, gone.lkey(), gone.iova(), 64);
    arena.close();
    fails(wr(WrOpcode.SEND, 8), WcStatus.REM_OP_ERR, 0x63, null);
    assertEquals(WcStatus.LOC_PROT_ERR, Rig.await(rig.b().recvCq).status());
    gone.close();
  }

  @Test
  @DisplayName("D6: a closed arena under a remote write or read: REM_ACCESS_ERR")
  void closedRemote() {
    for (WrOpcode op : new WrOpcode[] {WrOpcode.RDMA_WRITE, WrOpcode.RDMA_READ}) {
      Arena arena = Arena.ofShared();
      MemoryRegion gone = rig.b().pd.registerMemory(arena.allocate(64), Rig.ALL_ACCESS);
      arena.close();
      SendWr bad = wr(op, 8).rkey(gone.rkey()).remoteAddr(gone.iova());
      assertEquals(PostStatus.OK, rig.a().qp.postSend(bad));
      assertEquals(WcStatus.REM_ACCESS_ERR, Rig.await(rig.a().sendCq).status());
      assertEquals(QpState.ERR, rig.b().qp.state());
      assertTrue(rig.b().device.heard(EventType.QP_ACCESS_ERR));
      rig.b().device.events().clear();
      connect();
    }
  }

  @Test
  @DisplayName("D6: a closed arena under the data of a send: LOC_PROT_ERR; the peer never sees it")
  void closedSource() {
    Arena arena = Arena.ofShared();
    MemoryRegion gone = rig.a().pd.registerMemory(arena.allocate(64), Rig.ALL_ACCESS);
    arena.close();
    SendWr bad = wr(WrOpcode.RDMA_WRITE, 8).clearSges().addSge(gone.lkey(), gone.iova(), 8);
    rig.b().mr.segment().set(ValueLayout.JAVA_LONG, 0, 3);
    assertEquals(PostStatus.OK, rig.a().qp.postSend(bad.next(wr(WrOpcode.SEND, 1).wrId(2))));
    assertEquals(WcStatus.LOC_PROT_ERR, Rig.await(rig.a().sendCq).status());
    assertEquals(WcStatus.WR_FLUSH_ERR, Rig.await(rig.a().sendCq).status());
    assertEquals(3, rig.b().mr.segment().get(ValueLayout.JAVA_LONG, 0));
    assertEquals(QpState.RTS, rig.b().qp.state());
  }

  @Test
  @DisplayName(
      "IBA 10.7.3.1: LOC_PROT_ERR for a bad lkey, out of bounds, or a read into read-only memory")
  void localProtection() {
    fails(
        wr(WrOpcode.SEND, 8).clearSges().addSge(rig.a().mr.rkey(), rig.a().mr.iova(), 8),
        WcStatus.LOC_PROT_ERR,
        0,
        null);
    connect();
    fails(
        wr(WrOpcode.SEND, 8)
            .clearSges()
            .addSge(rig.a().mr.lkey(), rig.a().mr.iova() + rig.a().mr.length() - 7, 8),
        WcStatus.LOC_PROT_ERR,
        0,
        null);
    connect();
    MemoryRegion readOnly = rig.a().pd.allocMemory(64, 8, Access.REMOTE_READ);
    fails(
        wr(WrOpcode.RDMA_READ, 8).clearSges().addSge(readOnly.lkey(), readOnly.iova(), 8),
        WcStatus.LOC_PROT_ERR,
        0,
        null);
  }

  @Test
  @DisplayName("I8, B23: a deregistered region is not touched any more, by key or by address")
  void deregistered() {
    MemoryRegion gone = rig.b().pd.allocMemory(64, 8, Rig.ALL_ACCESS);
    SendWr bad = wr(WrOpcode.RDMA_WRITE, 8).rkey(gone.rkey()).remoteAddr(gone.iova());
    gone.close();
    fails(bad, WcStatus.REM_ACCESS_ERR, 0x62, null);
  }

  @Test
  @DisplayName("IBA 10.7.2: errors come in order, after the requests before them succeeded")
  void inOrder() {
    SendWr list = wr(WrOpcode.RDMA_WRITE, 64).wrId(0).flags(0);
    SendWr good = wr(WrOpcode.RDMA_READ, 64).wrId(1);
    SendWr bad = wr(WrOpcode.RDMA_WRITE, 8).wrId(2).rkey(1);
    SendWr flushed = wr(WrOpcode.RDMA_WRITE, 8).wrId(3).flags(0);
    assertEquals(PostStatus.OK, rig.a().qp.postSend(list.next(good.next(bad.next(flushed)))));
    assertEquals(1, Rig.await(rig.a().sendCq).wrId());
    WorkCompletion wc = Rig.await(rig.a().sendCq);
    assertEquals(2, wc.wrId());
    assertEquals(WcStatus.REM_ACCESS_ERR, wc.status());
    assertEquals(3, Rig.await(rig.a().sendCq).wrId());
    Rig.assertEmpty(rig.a().sendCq);
    assertEquals(PostStatus.OK, rig.a().qp.postSend(wr(WrOpcode.SEND, 1).wrId(4)));
    assertEquals(WcStatus.WR_FLUSH_ERR, Rig.await(rig.a().sendCq).status());
  }

  @Test
  @DisplayName("a bare or ghost acknowledgement completes no request")
  void ghostAcknowledgement() {
    MemorySegment target = rig.a().mr.segment();
    target.set(ValueLayout.JAVA_LONG, 0, 1);
    rig.b().mr.segment().set(ValueLayout.JAVA_LONG, 0, 2);
    boolean[] once = {false};
    rig.wire.loses(
        p -> {
          if (p.opcode == 0x10 && !once[0]) { // the read's only response becomes a bare ACK
            once[0] = true;
            p.opcode = 0x11;
            p.payload.clear();
          } else if (p.opcode == 0x11) {
            p.psn = p.psn + 50 & 0xffffff; // never sent
          }
          return false;
        });
    assertEquals(PostStatus.OK, rig.a().qp.postSend(wr(WrOpcode.RDMA_READ, 8)));
    assertEquals(WcStatus.SUCCESS, Rig.await(rig.a().sendCq).status());
    assertEquals(2, target.get(ValueLayout.JAVA_LONG, 0), "asked again, got the data");
    assertEquals(PostStatus.OK, rig.a().qp.postSend(wr(WrOpcode.RDMA_WRITE, 8)));
    assertEquals(WcStatus.RETRY_EXC_ERR, Rig.await(rig.a().sendCq).status());
    assertTrue(rig.a().hca.counters(1).get("drop_ack_psn") >= 1);
  }

  @Test
  @DisplayName("a response with a reserved syndrome is dropped")
  void reservedSyndrome() {
    int[] n = {0};
    rig.wire.loses(
        p -> {
          if (p.opcode == 0x11 && n[0]++ == 0) {
            p.syndrome = 0x40;
          }
          return false;
        });
    assertEquals(PostStatus.OK, rig.a().qp.postSend(wr(WrOpcode.RDMA_WRITE, 8)));
    assertEquals(WcStatus.SUCCESS, Rig.await(rig.a().sendCq).status());
    assertEquals(1L, rig.a().hca.counters(1).get("drop_syndrome"));
    assertFalse(rig.a().qp.state() == QpState.ERR);
  }

  @Test
  @DisplayName("matrix: MIDDLE without FIRST, wrong lengths, unknown opcode: 61")
  void malformed() {
    int[] opcodes = {0x01, 0x07, 0x13, 0x15, 0x1f};
    for (int opcode : opcodes) {
      rig.wire.loses(
          p -> {
            if (p.opcode == 0x0a) {
              p.opcode = opcode;
            }
            return watch(p);
          });
      fails(wr(WrOpcode.RDMA_WRITE, 8), WcStatus.REM_INV_REQ_ERR, 0x61, EventType.QP_REQ_ERR);
      connect();
    }
    rig.wire.loses(
        p -> {
          if (p.opcode == 0x0a) {
            p.dmaLength = 9;
          }
          return watch(p);
        });
    fails(wr(WrOpcode.RDMA_WRITE, 8), WcStatus.REM_INV_REQ_ERR, 0x61, EventType.QP_REQ_ERR);
  }
}
