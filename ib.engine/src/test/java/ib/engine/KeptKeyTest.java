package ib.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import ib.core.verbs.Access;
import ib.core.verbs.MemoryRegion;
import ib.core.verbs.MemoryWindow;
import ib.core.verbs.MwType;
import ib.core.verbs.QpType;
import ib.core.verbs.SendFlags;
import ib.core.verbs.WcStatus;
import ib.engine.qp.HcaConfig;
import ib.engine.time.VirtualClock;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.ref.Reference;
import java.lang.ref.WeakReference;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Requests executed at the peer through keys that the queue pairs used before. */
class KeptKeyTest {
  private static final int COLLECTIONS = 100;
  private static final int GUARD = 16;
  private static final int LONGEST = 129;

  private final Rig rig =
      new Rig(new VirtualClock(), false, HcaConfig.of(0x10, 0x11), HcaConfig.of(0x20, 0x21))
          .connect(QpType.RC);
  private final Rig.Side a = rig.a();
  private final Rig.Side b = rig.b();

  private WcStatus write(int lkey, long from, int rkey, long to, int length) {
    a.qp.wrStart();
    a.qp.wrId(1).wrFlags(SendFlags.SIGNALED);
    a.qp.wrRdmaWrite(rkey, to);
    a.qp.wrSetSge(lkey, from, length);
    assertEquals(0, a.qp.wrComplete());
    return Rig.next(a.sendCq).status();
  }

  private WcStatus write(int rkey, long to) {
    return write(a.mr.lkey(), a.mr.iova(), rkey, to, 64);
  }

  private void work(Runnable request) {
    b.qp.wrStart();
    b.qp.wrId(2).wrFlags(SendFlags.SIGNALED);
    request.run();
    assertEquals(0, b.qp.wrComplete());
    assertEquals(WcStatus.SUCCESS, Rig.next(b.sendCq).status());
  }

  private void refused(int rkey, long to, MemorySegment memory) {
    memory.fill((byte) 0x55);
    a.mr.segment().fill((byte) 7);
    assertEquals(WcStatus.REM_ACCESS_ERR, write(rkey, to));
    assertEquals(-1, memory.mismatch(filled(memory.byteSize())));
  }

  private static MemorySegment filled(long bytes) {
    return Arena.ofAuto().allocate(bytes).fill((byte) 0x55);
  }

  @Test
  @DisplayName("D6: a kept key opens nothing after its region is closed")
  void closed() {
    MemorySegment memory = Arena.ofAuto().allocate(64);
    MemoryRegion mr = b.pd.registerMemory(memory, Rig.ALL_ACCESS);
    assertEquals(WcStatus.SUCCESS, write(mr.rkey(), mr.iova()));
    assertEquals(0, rig.wire.transmitted.get());
    int rkey = mr.rkey();
    long iova = mr.iova();
    mr.close();
    refused(rkey, iova, memory);
  }

  @Test
  @DisplayName("D6: a kept key opens nothing after LOCAL_INV, and nothing by its old low byte")
  void invalidated() {
    MemorySegment memory = Arena.ofAuto().allocate(64);
    MemoryRegion mr = b.pd.allocFastRegistration(1);
    mr.map(memory);
    int old = mr.rkey();
    int next = MemoryRegion.nextKey(old);
    work(() -> b.qp.wrRegMr(mr, old, Rig.ALL_ACCESS));
    assertEquals(WcStatus.SUCCESS, write(old, mr.iova()));
    work(() -> b.qp.wrLocalInv(old));
    work(() -> b.qp.wrRegMr(mr, next, Rig.ALL_ACCESS));
    assertEquals(WcStatus.SUCCESS, write(next, mr.iova()));
    assertEquals(0, rig.wire.transmitted.get());
    refused(old, mr.iova(), memory);
  }

  @Test
  @DisplayName("D6: a kept key of a window that is bound elsewhere opens the new place only")
  void reboundElsewhere() {
    MemoryWindow window = b.pd.allocWindow(MwType.TYPE_1);
    int first = MemoryRegion.nextKey(window.rkey());
    long at = b.mr.iova();
    work(() -> b.qp.wrBindMw(window, first, b.mr, at, 64, Access.REMOTE_WRITE));
    assertEquals(WcStatus.SUCCESS, write(first, at));
    work(() -> b.qp.wrBindMw(window, first, b.mr, at + 4096, 64, Access.REMOTE_WRITE));
    assertEquals(WcStatus.SUCCESS, write(first, at + 4096));
    refused(first, at, b.mr.segment().asSlice(0, 64));
  }

  @Test
  @DisplayName("D6: each length from 0 to 129 from and to each alignment, and no byte beside")
  void eachLength() {
    MemorySegment source = a.mr.segment();
    MemorySegment target = b.mr.segment().asSlice(0, LONGEST + 2 * GUARD);
    MemorySegment expected = Arena.ofAuto().allocate(target.byteSize());
    for (int i = 0; i < LONGEST + GUARD; i++) {
      source.set(ValueLayout.JAVA_BYTE, i, (byte) (i + 1));
    }
    for (int length = 0; length <= LONGEST; length++) {
      for (int alignments = 0; alignments < 64; alignments++) {
        int from = alignments & 7;
        int to = GUARD + (alignments >> 3);
        target.fill((byte) 0x55);
        expected.fill((byte) 0x55);
        MemorySegment.copy(source, from, expected, to, length);
        long address = b.mr.iova() + to;
        assertEquals(
            WcStatus.SUCCESS, write(a.mr.lkey(), a.mr.iova() + from, b.mr.rkey(), address, length));
        assertEquals(-1, target.mismatch(expected), length + " bytes, " + from + " to " + to);
      }
    }
    assertEquals(0, rig.wire.transmitted.get());
  }

  @Test
  @Timeout(600)
  @DisplayName("D6: no queue pair keeps a region that has gone, at neither end")
  void regionsGo() {
    WeakReference<MemoryRegion> source = used(a, true);
    WeakReference<MemoryRegion> target = used(b, false);
    for (int i = 0; i < COLLECTIONS && (source.get() != null || target.get() != null); i++) {
      System.gc();
    }
    assertNull(source.get(), "the sender keeps it");
    assertNull(target.get(), "the peer keeps it");
    Reference.reachabilityFence(rig);
  }

  @Test
  @Timeout(600)
  @DisplayName("D6: a queue pair that is closed keeps no region")
  void closedQueuePair() {
    WeakReference<MemoryRegion> target = closedFirst();
    for (int i = 0; i < COLLECTIONS && target.get() != null; i++) {
      System.gc();
    }
    assertNull(target.get(), "the closed queue pair keeps it");
    Reference.reachabilityFence(rig);
  }

  private WeakReference<MemoryRegion> closedFirst() {
    MemoryRegion mr = region(b);
    assertEquals(WcStatus.SUCCESS, write(mr.rkey(), mr.iova()));
    b.qp.close();
    mr.close();
    return new WeakReference<>(mr);
  }

  private static MemoryRegion region(Rig.Side side) {
    return side.pd.registerMemory(Arena.ofAuto().allocate(64), Rig.ALL_ACCESS);
  }

  private WeakReference<MemoryRegion> used(Rig.Side side, boolean from) {
    MemoryRegion mr = region(side);
    MemoryRegion source = from ? mr : a.mr;
    MemoryRegion target = from ? b.mr : mr;
    assertEquals(
        WcStatus.SUCCESS, write(source.lkey(), source.iova(), target.rkey(), target.iova(), 64));
    mr.close();
    return new WeakReference<>(mr);
  }
}
