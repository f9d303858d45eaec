package ib.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import ib.core.verbs.CompletionQueue;
import ib.core.verbs.MemoryRegion;
import ib.core.verbs.MemoryWindow;
import ib.core.verbs.Mtu;
import ib.core.verbs.MwType;
import ib.core.verbs.QpAttr;
import ib.core.verbs.QpCap;
import ib.core.verbs.QpInit;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.SendFlags;
import ib.core.verbs.WcStatus;
import ib.core.wire.Psn;
import ib.engine.qp.HcaConfig;
import ib.engine.qp.QpCore;
import ib.engine.time.VirtualClock;
import ib.engine.wire.Packet;
import ib.engine.wire.RunContext;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** How far ahead a requester sends, and what follows a packet that comes back. */
class RequesterLimitsTest {
  private static final int WINDOW_PSNS = 1 << 22;
  private static final int MTU = 256;
  private static final int INLINE = 2 * MTU;

  private final Rig rig =
      new Rig(new VirtualClock(), false, HcaConfig.of(0x10, 0x11), HcaConfig.of(0x20, 0x21));
  private final Rig.Side a = rig.a();
  private final Rig.Side b = rig.b();

  @AfterEach
  void close() {
    rig.close();
  }

  private QpCore core() {
    return Objects.requireNonNull(a.hca.port(1).queuePair(a.qp.qpn()));
  }

  private void write(int flags) {
    a.qp.wrStart();
    a.qp.wrFlags(flags);
    a.qp.wrRdmaWrite(b.mr.rkey(), b.mr.iova());
    a.qp.wrSetSge(a.mr.lkey(), a.mr.iova(), 8);
    assertEquals(0, a.qp.wrComplete());
    rig.settle();
  }

  /** A write of one packet, with so many packets before it that are not acknowledged. */
  private long sentBehind(QpType type, int packets) {
    rig.wire.segments(true);
    rig.wire.loses(p -> true);
    rig.connect(type);
    QpCore qp = core();
    qp.sending.psnNext = Psn.add(qp.sending.una(), packets);
    write(0);
    return rig.wire.transmitted.get();
  }

  @Test
  @DisplayName("IBA 9.7.1: 2^22 packets of a connection may be under way")
  void farthest() {
    assertEquals(1, sentBehind(QpType.RC, WINDOW_PSNS - 1));
  }

  @Test
  @DisplayName("IBA 9.7.1: more than 2^22 packets of a connection are not under way")
  void tooFar() {
    assertEquals(0, sentBehind(QpType.RC, WINDOW_PSNS));
  }

  @Test
  @DisplayName("IBA 9.8: packets of UC are not acknowledged, so none waits")
  void unacknowledged() {
    assertEquals(1, sentBehind(QpType.UC, WINDOW_PSNS));
  }

  @Test
  @DisplayName("IBA 9.8: local work behind a message of UC is done when the packet is back")
  void localBehind() {
    rig.wire.segments(true);
    rig.connect(QpType.UC);
    rig.wire.holds(p -> true);
    MemoryRegion fast = a.pd.allocFastRegistration(1);
    fast.map(a.mr.segment());
    write(SendFlags.SIGNALED);
    a.qp.wrStart();
    a.qp.wrFlags(SendFlags.SIGNALED);
    a.qp.wrLocalInv(fast.rkey());
    assertEquals(0, a.qp.wrComplete());
    rig.settle();
    Rig.assertEmpty(a.sendCq);

    RunContext run = a.hca.newRunContext();
    List<Packet> held = List.copyOf(rig.wire.held);
    rig.wire.held.clear();
    held.forEach(p -> p.release(run));
    run.finish();
    assertEquals(WcStatus.SUCCESS, Rig.next(a.sendCq).status());
    assertEquals(WcStatus.SUCCESS, Rig.next(a.sendCq).status());
  }

  @Test
  @DisplayName("IBA 10.7.2.2: inline data of two packets arrives whole")
  void inline() {
    for (Rig.Side s : List.of(a, b)) {
      CompletionQueue cq = s.sendCq;
      s.qp = s.pd.createQp(new QpInit(QpType.RC, cq, new QpCap(4, 4, 1, 1, INLINE)));
    }
    Rig.toRtr(a.qp, b.qp.qpn(), b.lid(), Mtu.MTU_256);
    Rig.toRtr(b.qp, a.qp.qpn(), a.lid(), Mtu.MTU_256);
    QpAttr rts = new QpAttr().state(QpState.RTS).sqPsn(0xfffffe);
    a.qp.modify(rts.timeout(14).retryCount(7).rnrRetry(7).maxRdAtomic(4));
    rig.wire.segments(true);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment data = arena.allocate(INLINE);
      data.asSlice(0, MTU).fill((byte) 1);
      data.asSlice(MTU, MTU).fill((byte) 2);
      a.qp.wrStart();
      a.qp.wrFlags(SendFlags.SIGNALED);
      a.qp.wrRdmaWrite(b.mr.rkey(), b.mr.iova());
      a.qp.wrSetInline(data, 0, INLINE);
      assertEquals(0, a.qp.wrComplete());
      rig.settle();
      assertEquals(WcStatus.SUCCESS, Rig.next(a.sendCq).status());
      assertEquals(-1, b.mr.segment().asSlice(0, INLINE).mismatch(data));
    }
  }

  @Test
  @DisplayName("IBA 10.8.3.3: work on memory that is not fenced does not wait for a read before it")
  void notFenced() {
    rig.wire.segments(true);
    rig.connect(QpType.RC);
    rig.wire.holds(p -> p.slid == b.lid());
    MemoryWindow mw = a.pd.allocWindow(MwType.TYPE_1);
    QpCore qp = core();
    long before = qp.sending.started;
    a.qp.wrStart();
    a.qp.wrFlags(SendFlags.SIGNALED);
    a.qp.wrRdmaRead(b.mr.rkey(), b.mr.iova());
    a.qp.wrSetSge(a.mr.lkey(), a.mr.iova(), 8);
    assertEquals(0, a.qp.wrComplete());
    a.qp.wrStart();
    a.qp.wrFlags(SendFlags.SIGNALED);
    a.qp.wrBindMw(mw, mw.rkey(), a.mr, a.mr.iova(), 8, 0);
    assertEquals(0, a.qp.wrComplete());
    rig.settle();
    assertEquals(1, qp.sending.readsOut);
    assertEquals(before + 2, qp.sending.started, "the window is bound already");
    Rig.assertEmpty(a.sendCq);
  }
}
