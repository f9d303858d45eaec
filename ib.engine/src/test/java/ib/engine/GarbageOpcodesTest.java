package ib.engine;

import ib.core.verbs.Access;
import ib.core.verbs.Flush;
import ib.core.verbs.MemoryRegion;
import ib.core.verbs.MemoryWindow;
import ib.core.verbs.MemoryWork;
import ib.core.verbs.MwType;
import ib.core.verbs.PostStatus;
import ib.core.verbs.QpType;
import ib.core.verbs.SendFlags;
import ib.core.verbs.SendWr;
import ib.core.verbs.WrOpcode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** D3, G5: the opcodes beyond send, write and read, in both forms of posting. */
class GarbageOpcodesTest extends GarbageMeter {
  private static final int RIGHTS =
      Access.LOCAL_WRITE | Access.REMOTE_WRITE | Access.REMOTE_READ | Access.REMOTE_ATOMIC;

  private final Rig rig = Rig.two();
  private Rig.Side a;
  private Rig.Side b;
  private int key;

  @BeforeEach
  void connect() {
    rig.connect(QpType.RC, 64, 14, 7, 7);
    a = rig.a();
    b = rig.b();
  }

  @AfterEach
  void close() {
    rig.close();
  }

  private void start() {
    a.qp.wrStart();
    a.qp.wrId(1).wrFlags(SendFlags.SIGNALED);
  }

  private void complete() {
    expect(a.qp.wrComplete() == PostStatus.OK);
    sent(a);
  }

  @Test
  @DisplayName("D3, G5: atomics, builder: 0 bytes, never blocked")
  void atomics() {
    measure(
        () -> {
          start();
          a.qp.wrAtomicFetchAdd(b.mr.rkey(), b.mr.iova(), 3);
          a.qp.wrSetSge(a.mr.lkey(), a.mr.iova(), 8);
          complete();
          start();
          a.qp.wrAtomicCmpSwp(b.mr.rkey(), b.mr.iova() + 8, 0, 0);
          a.qp.wrSetSge(a.mr.lkey(), a.mr.iova() + 8, 8);
          complete();
        });
  }

  @Test
  @DisplayName("D3, G5: atomics and atomic write, list form: 0 bytes, never blocked")
  void atomicList() {
    SendWr write = atomic(WrOpcode.ATOMIC_WRITE).compareAdd(5);
    SendWr add = atomic(WrOpcode.ATOMIC_FETCH_AND_ADD).compareAdd(1).next(write);
    SendWr swap = atomic(WrOpcode.ATOMIC_CMP_AND_SWP).compareAdd(1).swap(2).next(add);
    measure(
        () -> {
          expect(a.qp.postSend(swap) == PostStatus.OK);
          sent(a);
          sent(a);
          sent(a);
        });
  }

  private SendWr atomic(WrOpcode op) {
    return new SendWr(1)
        .opcode(op)
        .flags(SendFlags.SIGNALED)
        .rkey(b.mr.rkey())
        .remoteAddr(b.mr.iova())
        .addSge(a.mr.lkey(), a.mr.iova(), 8);
  }

  @Test
  @DisplayName("D3, G5: atomic write and flush: 0 bytes, never blocked")
  void atomicWriteAndFlush() {
    measure(
        () -> {
          start();
          a.qp.wrAtomicWrite(b.mr.rkey(), b.mr.iova(), 77);
          complete();
          start();
          a.qp.wrFlush(b.mr.rkey(), b.mr.iova(), 64, Flush.GLOBAL, Flush.RANGE);
          complete();
        });
  }

  @Test
  @DisplayName("D3, G5: REG_MR, a write to it, LOCAL_INV: 0 bytes, never blocked")
  void fastRegistration() {
    MemoryRegion region = a.pd.allocFastRegistration(1);
    region.map(a.mr.segment());
    key = region.rkey();
    measure(
        () -> {
          key = MemoryRegion.nextKey(key);
          start();
          a.qp.wrRegMr(region, key, RIGHTS);
          complete();
          start();
          a.qp.wrRdmaWrite(b.mr.rkey(), b.mr.iova());
          a.qp.wrSetSge(region.lkey(), region.iova(), 64);
          complete();
          start();
          a.qp.wrLocalInv(key);
          complete();
        });
  }

  @Test
  @DisplayName(
      "D3, G5: BIND_MW of type 2, send with invalidate from the peer: 0 bytes, never blocked")
  void window() {
    MemoryWindow mw = b.pd.allocWindow(MwType.TYPE_2);
    key = mw.rkey();
    measure(
        () -> {
          key = MemoryRegion.nextKey(key);
          b.qp.wrStart();
          b.qp.wrFlags(SendFlags.SIGNALED);
          b.qp.wrBindMw(mw, key, b.mr, b.mr.iova(), 64, Access.REMOTE_WRITE);
          expect(b.qp.wrComplete() == PostStatus.OK);
          sent(b);
          expect(b.qp.postReceive(1, b.mr.lkey(), b.mr.iova(), 64) == PostStatus.OK);
          start();
          a.qp.wrSendInv(key);
          a.qp.wrSetSge(a.mr.lkey(), a.mr.iova(), 8);
          complete();
          received(b);
        });
  }

  @Test
  @DisplayName("D3, G5: REG_MR and LOCAL_INV, list form: 0 bytes, never blocked")
  void registrationList() {
    MemoryRegion region = a.pd.allocFastRegistration(1);
    region.map(a.mr.segment());
    MemoryWork work = new MemoryWork();
    SendWr invalidate = new SendWr(2).opcode(WrOpcode.LOCAL_INV).flags(SendFlags.SIGNALED);
    SendWr register = new SendWr(1).opcode(WrOpcode.REG_MR).memory(work);
    register.flags(SendFlags.SIGNALED).next(invalidate);
    key = region.rkey();
    measure(
        () -> {
          key = MemoryRegion.nextKey(key);
          work.register(region, key, RIGHTS);
          invalidate.invalidateRkey(key);
          expect(a.qp.postSend(register) == PostStatus.OK);
          sent(a);
          sent(a);
        });
  }
}
