package ib.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import ib.core.verbs.Access;
import ib.core.verbs.MemoryRegion;
import ib.core.verbs.MemoryWindow;
import ib.core.verbs.MemoryWork;
import ib.core.verbs.MwType;
import ib.core.verbs.PostStatus;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.SendFlags;
import ib.core.verbs.SendWr;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WrOpcode;
import ib.engine.qp.HcaConfig;
import ib.engine.time.VirtualClock;
import ib.engine.verbs.Probe;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * IBA 10.6.5: an invalidation is complete when no copy through what it takes away is under way. The
 * copy is that of a thread which never goes on by itself, so that each step is seen.
 */
class CopyUnderWayTest {
  private static final int RIGHTS = Access.LOCAL_WRITE | Access.REMOTE_WRITE;
  private static final int STEPS = 20;

  private final Rig rig =
      new Rig(new VirtualClock(), false, HcaConfig.of(0x10, 0x11), HcaConfig.of(0x20, 0x21));
  private final Rig.Side a = rig.a();
  private final Rig.Side b = rig.b();
  private MemoryRegion mr;

  @BeforeEach
  void connect() {
    rig.connect(QpType.RC, 16, 14, 7, 7);
    mr = b.pd.allocFastRegistration(1);
    mr.map(b.mr.segment());
    MemoryWork register = new MemoryWork().register(mr, mr.rkey(), RIGHTS);
    post(b, new SendWr(0).opcode(WrOpcode.REG_MR).memory(register));
    assertEquals(WcStatus.SUCCESS, Rig.next(b.sendCq).status());
  }

  @AfterEach
  void close() {
    rig.close();
  }

  private static void post(Rig.Side s, SendWr wr) {
    assertEquals(PostStatus.OK, s.qp.postSend(wr.flags(SendFlags.SIGNALED)));
  }

  /** The workers go on; while a queue pair insists they find work each time. */
  private void steps() {
    for (int i = 0; i < STEPS; i++) {
      rig.sides.forEach(s -> s.hca.step());
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  @DisplayName("IBA 10.6.5: LOCAL_INV completes after the last copy has ended, and what follows it")
  void local(int copies) {
    Probe.copies(b.qp, mr.rkey(), copies);
    post(b, new SendWr(0).wrId(1).opcode(WrOpcode.LOCAL_INV).invalidateRkey(mr.rkey()));
    SendWr next = new SendWr(1).wrId(2).opcode(WrOpcode.RDMA_WRITE).rkey(a.mr.rkey());
    post(b, next.remoteAddr(a.mr.iova()).addSge(b.mr.lkey(), b.mr.iova(), 64));
    for (int i = 0; i < copies; i++) {
      steps();
      Rig.assertEmpty(b.sendCq);
      Probe.copies(b.qp, mr.rkey(), -1);
    }
    rig.settle();
    assertEquals(1, Rig.next(b.sendCq).wrId());
    assertEquals(2, Rig.next(b.sendCq).wrId());
  }

  /** The request that takes a window's key away. */
  private interface Ending {
    SendWr of(MemoryWindow mw, int bound, MemoryRegion below);
  }

  /** Binds a window, and posts what takes its key away while a copy by this key is under way. */
  private void endsAfterCopy(MwType type, Ending end) {
    MemoryRegion below = b.pd.allocMemory(64, 8, Rig.ALL_ACCESS);
    MemoryWindow mw = b.pd.allocWindow(type);
    int bound = MemoryRegion.nextKey(mw.rkey());
    post(b, bind(mw, bound, below, 64));
    rig.settle();
    assertEquals(WcStatus.SUCCESS, Rig.next(b.sendCq).status());
    Probe.copies(b.qp, bound, 1);
    post(b, end.of(mw, bound, below));
    steps();
    Rig.assertEmpty(b.sendCq);
    Probe.copies(b.qp, bound, -1);
    rig.settle();
    assertEquals(WcStatus.SUCCESS, Rig.next(b.sendCq).status());
  }

  @Test
  @DisplayName("IBA 10.6.7: an unbound window's request completes after the last copy has ended")
  void window() {
    endsAfterCopy(
        MwType.TYPE_1, (mw, bound, below) -> bind(mw, MemoryRegion.nextKey(bound), below, 0));
  }

  @Test
  @DisplayName("IBA 10.6.5: LOCAL_INV of a window completes after the last copy has ended")
  void windowInvalidated() {
    endsAfterCopy(
        MwType.TYPE_2,
        (mw, bound, below) -> new SendWr(0).opcode(WrOpcode.LOCAL_INV).invalidateRkey(bound));
  }

  private static SendWr bind(MemoryWindow mw, int key, MemoryRegion below, int length) {
    MemoryWork work =
        new MemoryWork().bind(mw, key, below, below.iova(), length, Access.REMOTE_WRITE);
    return new SendWr(0).opcode(WrOpcode.BIND_MW).memory(work);
  }

  private void sendInvalidate(int id) {
    a.qp.wrStart();
    a.qp.wrId(id).wrFlags(SendFlags.SIGNALED);
    a.qp.wrSendInv(mr.rkey());
    a.qp.wrSetSge(a.mr.lkey(), a.mr.iova(), 64);
    assertEquals(PostStatus.OK, a.qp.wrComplete());
  }

  @Test
  @DisplayName("IBA 10.6.5: SEND_WITH_INV completes at neither end before the last copy has ended")
  void remote() {
    b.qp.postReceive(1, b.mr.lkey(), b.mr.iova(), 64);
    b.qp.postReceive(2, b.mr.lkey(), b.mr.iova(), 64);
    Probe.copies(b.qp, mr.rkey(), 1);
    sendInvalidate(7);
    post(a, new SendWr(1).wrId(8).opcode(WrOpcode.SEND).addSge(a.mr.lkey(), a.mr.iova(), 9));
    steps();
    Rig.assertEmpty(b.recvCq);
    Rig.assertEmpty(a.sendCq);
    Probe.copies(b.qp, mr.rkey(), -1);
    rig.settle();
    assertEquals(64, Rig.next(b.recvCq).byteLen());
    assertEquals(9, Rig.next(b.recvCq).byteLen());
    assertEquals(7, Rig.next(a.sendCq).wrId());
    assertEquals(8, Rig.next(a.sendCq).wrId());
  }

  @Test
  @DisplayName("IBA 10.3.1: a receive whose invalidation is not complete is flushed in ERR")
  void flushed() {
    b.qp.postReceive(1, b.mr.lkey(), b.mr.iova(), 64);
    Probe.copies(b.qp, mr.rkey(), 1);
    sendInvalidate(7);
    steps();
    SendWr bad = new SendWr(1).opcode(WrOpcode.RDMA_WRITE).rkey(a.mr.rkey());
    post(b, bad.remoteAddr(a.mr.iova()).addSge(b.mr.lkey() ^ 1, b.mr.iova(), 64));
    steps();
    assertEquals(WcStatus.LOC_PROT_ERR, Rig.next(b.sendCq).status());
    assertEquals(QpState.ERR, b.qp.state());
    assertEquals(WcStatus.WR_FLUSH_ERR, Rig.next(b.recvCq).status());
    post(a, new SendWr(1).opcode(WrOpcode.SEND).addSge(a.mr.lkey(), a.mr.iova(), 9));
    steps();
    Probe.copies(b.qp, mr.rkey(), -1);
    rig.settle();
    Rig.assertEmpty(b.recvCq);
  }
}
