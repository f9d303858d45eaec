package ib.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.Access;
import ib.core.verbs.EventType;
import ib.core.verbs.IbBusyException;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.MemoryRegion;
import ib.core.verbs.MemoryWindow;
import ib.core.verbs.MemoryWork;
import ib.core.verbs.MwType;
import ib.core.verbs.PostStatus;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.SendFlags;
import ib.core.verbs.SendWr;
import ib.core.verbs.WcFlags;
import ib.core.verbs.WcOpcode;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WorkCompletion;
import ib.core.verbs.WrOpcode;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Fast registration, invalidation and memory windows (IBA 10.6.4 to 10.6.7). */
class MemoryWorkTest {
  private static final int RIGHTS =
      Access.LOCAL_WRITE | Access.REMOTE_WRITE | Access.REMOTE_READ | Access.REMOTE_ATOMIC;

  private final Rig rig = Rig.two();
  private Rig.Side a;
  private Rig.Side b;

  @BeforeEach
  void connect() {
    rig.connect(QpType.RC, 16, 14, 1, 0);
    a = rig.a();
    b = rig.b();
  }

  @AfterEach
  void close() {
    rig.close();
  }

  /** Posts on b's queue pair, whose memory a reaches. */
  private WcStatus local(SendWr wr) {
    assertEquals(PostStatus.OK, b.qp.postSend(wr.flags(SendFlags.SIGNALED)));
    return Rig.await(b.sendCq).status();
  }

  private static SendWr reg(MemoryRegion region, int key, int access) {
    return new SendWr(0)
        .opcode(WrOpcode.REG_MR)
        .memory(new MemoryWork().register(region, key, access));
  }

  private static SendWr inv(int rkey) {
    return new SendWr(0).opcode(WrOpcode.LOCAL_INV).invalidateRkey(rkey);
  }

  private static SendWr bind(
      MemoryWindow mw, int key, MemoryRegion region, long address, long length, int access) {
    return new SendWr(0)
        .opcode(WrOpcode.BIND_MW)
        .memory(new MemoryWork().bind(mw, key, region, address, length, access));
  }

  private WcStatus remote(WrOpcode op, int rkey, long address, int length) {
    SendWr wr =
        new SendWr(1)
            .opcode(op)
            .flags(SendFlags.SIGNALED)
            .rkey(rkey)
            .remoteAddr(address)
            .addSge(a.mr.lkey(), a.mr.iova(), length);
    assertEquals(PostStatus.OK, a.qp.postSend(wr));
    return Rig.await(a.sendCq).status();
  }

  private void again() {
    a.qp.close();
    b.qp.close();
    connect();
  }

  @Test
  @DisplayName(
      "IBA 10.6.4: a fast registration of several segments serves both ways, until LOCAL_INV")
  void fastRegistration() {
    MemoryRegion mr = b.pd.allocFastRegistration(3);
    assertEquals(0, mr.length());
    assertEquals(WcStatus.MW_BIND_ERR, local(reg(mr, mr.rkey(), RIGHTS)), "nothing was mapped");
    again();
    try (Arena arena = Arena.ofShared()) {
      MemorySegment[] parts = {arena.allocate(100), arena.allocate(3000), arena.allocate(50)};
      mr.map(parts);
      assertEquals(3150, mr.length());
      int key = MemoryRegion.nextKey(mr.rkey());
      assertEquals(WcStatus.SUCCESS, local(reg(mr, key, RIGHTS)));
      assertEquals(key, mr.rkey());
      assertNotEquals(mr.lkey(), mr.rkey());
      for (int i = 0; i < 3150; i++) {
        a.mr.segment().set(ValueLayout.JAVA_BYTE, i, (byte) (i * 7));
      }
      assertEquals(WcStatus.SUCCESS, remote(WrOpcode.RDMA_WRITE, key, mr.iova(), 3150));
      assertEquals((byte) (99 * 7), parts[0].get(ValueLayout.JAVA_BYTE, 99));
      assertEquals((byte) (100 * 7), parts[1].get(ValueLayout.JAVA_BYTE, 0));
      assertEquals((byte) (3149 * 7), parts[2].get(ValueLayout.JAVA_BYTE, 49));
      a.mr.segment().fill((byte) 0);
      assertEquals(WcStatus.SUCCESS, remote(WrOpcode.RDMA_READ, key, mr.iova() + 50, 3100));
      assertEquals((byte) (3149 * 7), a.mr.segment().get(ValueLayout.JAVA_BYTE, 3099));
      a.qp.postReceive(1, a.mr.lkey(), a.mr.iova() + 8192, 3150);
      SendWr send = new SendWr(1).addSge(mr.lkey(), mr.iova(), 3150);
      assertEquals(WcStatus.SUCCESS, local(send));
      assertEquals((byte) (100 * 7), a.mr.segment().get(ValueLayout.JAVA_BYTE, 8192 + 100));
      assertEquals(WcStatus.MW_BIND_ERR, local(reg(mr, key, RIGHTS)), "it is registered");
      again();
      assertEquals(WcStatus.SUCCESS, local(inv(key)));
      assertEquals(WcStatus.REM_ACCESS_ERR, remote(WrOpcode.RDMA_READ, key, mr.iova(), 8));
    }
    again();
    mr.close();
  }

  @Test
  @DisplayName("IBA 10.6.4: registered again under another key, the old one is dead; zero-based")
  void newKey() {
    MemoryRegion mr = b.pd.allocFastRegistration(1);
    mr.map(b.mr.segment().asSlice(0, 64));
    int first = MemoryRegion.nextKey(mr.rkey());
    int second = MemoryRegion.nextKey(first);
    b.qp.wrStart();
    b.qp.wrFlags(SendFlags.SIGNALED);
    b.qp.wrRegMr(mr, first, RIGHTS);
    b.qp.wrLocalInv(first);
    b.qp.wrRegMr(mr, second, RIGHTS | Access.ZERO_BASED);
    assertEquals(PostStatus.OK, b.qp.wrComplete());
    for (WcOpcode op : new WcOpcode[] {WcOpcode.REG_MR, WcOpcode.LOCAL_INV, WcOpcode.REG_MR}) {
      WorkCompletion wc = Rig.await(b.sendCq);
      assertEquals(WcStatus.SUCCESS, wc.status());
      assertEquals(op, wc.opcode());
    }
    assertEquals(0, mr.iova());
    assertEquals(WcStatus.SUCCESS, remote(WrOpcode.RDMA_WRITE, second, 56, 8));
    assertEquals(WcStatus.REM_ACCESS_ERR, remote(WrOpcode.RDMA_WRITE, first, 56, 8));
  }

  @Test
  @DisplayName(
      "what is wrong with a fast registration: at the call, at the post, in the completion")
  void registrationErrors() {
    assertThrows(IbInvalidException.class, () -> b.pd.allocFastRegistration(0));
    assertThrows(IbInvalidException.class, () -> b.mr.map(b.mr.segment()));
    MemoryRegion mr = b.pd.allocFastRegistration(1);
    MemorySegment s = b.mr.segment();
    assertThrows(IbInvalidException.class, () -> mr.map(s, s));
    assertThrows(IbInvalidException.class, () -> mr.map(MemorySegment.ofArray(new byte[8])));
    assertThrows(IbInvalidException.class, () -> mr.reregister(s, 0));
    mr.map(s);
    assertEquals(PostStatus.INVALID, b.qp.postSend(reg(b.mr, b.mr.rkey(), 0)));
    SendWr[] wrong = {
      reg(mr, mr.rkey() ^ 0x100, RIGHTS),
      reg(mr, mr.rkey(), Access.REMOTE_WRITE),
      reg(mr, mr.rkey(), Access.FLUSH_PERSISTENT),
      inv(b.mr.rkey()),
      inv(12345)
    };
    for (SendWr wr : wrong) {
      assertEquals(WcStatus.MW_BIND_ERR, local(wr));
      assertEquals(QpState.ERR, b.qp.state());
      again();
    }
    MemoryRegion other = b.device.allocPd().allocFastRegistration(1);
    other.map(s);
    assertEquals(WcStatus.MW_BIND_ERR, local(reg(other, other.rkey(), RIGHTS)));
  }

  @Test
  @DisplayName("IBA 10.8.3.3: LOCAL_INV waits until the requests before it are complete")
  void invalidateComesLast() {
    MemoryRegion mr = a.pd.allocFastRegistration(1);
    mr.map(a.mr.segment());
    int[] lost = {0};
    rig.wire.loses(p -> p.opcode == 0x0a && lost[0]++ == 0); // sent again, from memory
    a.qp.wrStart();
    a.qp.wrFlags(SendFlags.SIGNALED);
    a.qp.wrRegMr(mr, mr.rkey(), RIGHTS);
    a.qp.wrRdmaWrite(b.mr.rkey(), b.mr.iova());
    a.qp.wrSetSge(mr.lkey(), mr.iova(), 64);
    a.qp.wrLocalInv(mr.rkey());
    assertEquals(PostStatus.OK, a.qp.wrComplete());
    for (int i = 0; i < 3; i++) {
      assertEquals(WcStatus.SUCCESS, Rig.await(a.sendCq).status());
    }
    assertEquals(2, lost[0]);
  }

  @Test
  @DisplayName("IBA 9.4.1.1.3: SEND_WITH_INV invalidates, says so, and may be long")
  void sendWithInvalidate() {
    MemoryRegion mr = b.pd.allocFastRegistration(1);
    mr.map(b.mr.segment());
    for (int length : new int[] {0, 64, 5000}) {
      int key = MemoryRegion.nextKey(mr.rkey());
      assertEquals(WcStatus.SUCCESS, local(reg(mr, key, RIGHTS)));
      assertEquals(WcStatus.SUCCESS, remote(WrOpcode.RDMA_WRITE, key, mr.iova(), 8));
      b.qp.postReceive(1, b.mr.lkey(), b.mr.iova(), 5000);
      a.qp.wrStart();
      a.qp.wrFlags(SendFlags.SIGNALED);
      a.qp.wrSendInv(key);
      a.qp.wrSetSge(a.mr.lkey(), a.mr.iova(), length);
      rig.wire.segments(length > 64);
      assertEquals(PostStatus.OK, a.qp.wrComplete());
      assertEquals(WcOpcode.SEND, Rig.await(a.sendCq).opcode());
      WorkCompletion wc = Rig.await(b.recvCq);
      assertEquals(WcStatus.SUCCESS, wc.status());
      assertEquals(WcFlags.WITH_INVALIDATE, wc.wcFlags());
      assertEquals(key, wc.immData());
      assertEquals(length, wc.byteLen());
    }
    assertEquals(WcStatus.REM_ACCESS_ERR, remote(WrOpcode.RDMA_WRITE, mr.rkey(), mr.iova(), 8));
  }

  @Test
  @DisplayName("matrix: SEND_INV of an unknown, a normal or a free key: NAK 62, both in ERR")
  void sendInvalidateRefused() {
    MemoryRegion free = b.pd.allocFastRegistration(1);
    for (int key : new int[] {12345, b.mr.rkey(), free.rkey()}) {
      b.qp.postReceive(1, b.mr.lkey(), b.mr.iova(), 64);
      SendWr send = new SendWr(0).opcode(WrOpcode.SEND_WITH_INV).invalidateRkey(key);
      assertEquals(PostStatus.OK, a.qp.postSend(send.flags(SendFlags.SIGNALED)));
      WorkCompletion wc = Rig.await(a.sendCq);
      assertEquals(WcStatus.REM_ACCESS_ERR, wc.status());
      assertEquals(0x62, wc.vendorError());
      assertEquals(WcStatus.MW_BIND_ERR, Rig.await(b.recvCq).status());
      assertEquals(QpState.ERR, b.qp.state());
      assertTrue(b.device.heard(EventType.QP_ACCESS_ERR));
      again();
    }
    assertEquals(WcStatus.SUCCESS, remote(WrOpcode.RDMA_WRITE, b.mr.rkey(), b.mr.iova(), 8));
  }

  @Test
  @DisplayName("IBA 10.6.7: a type 1 window: bound, bound again, unbound; the old keys are dead")
  void typeOne() {
    MemoryWindow mw = b.pd.allocWindow(MwType.TYPE_1);
    int k1 = MemoryRegion.nextKey(mw.rkey());
    long at = b.mr.iova() + 1000;
    assertEquals(WcStatus.SUCCESS, local(bind(mw, k1, b.mr, at, 100, Access.REMOTE_WRITE)));
    assertEquals(k1, mw.rkey());
    assertEquals(WcStatus.SUCCESS, remote(WrOpcode.RDMA_WRITE, k1, at + 92, 8));
    assertThrows(IbBusyException.class, b.mr::close);
    int k2 = MemoryRegion.nextKey(k1);
    assertEquals(WcStatus.SUCCESS, local(bind(mw, k2, b.mr, at, 8, Access.REMOTE_READ)));
    assertEquals(WcStatus.SUCCESS, remote(WrOpcode.RDMA_READ, k2, at, 8));
    assertEquals(WcStatus.REM_ACCESS_ERR, remote(WrOpcode.RDMA_WRITE, k1, at, 8));
    again();
    assertEquals(WcStatus.REM_ACCESS_ERR, remote(WrOpcode.RDMA_WRITE, k2, at, 8), "read only");
    again();
    assertEquals(WcStatus.REM_ACCESS_ERR, remote(WrOpcode.RDMA_READ, k2, at, 9), "9 bytes");
    again();
    assertEquals(WcStatus.MW_BIND_ERR, local(inv(k2)), "o10-37.2.26: not a type 1 window");
    again();
    assertEquals(WcStatus.SUCCESS, local(bind(mw, k1, null, 0, 0, 0)));
    assertEquals(WcStatus.REM_ACCESS_ERR, remote(WrOpcode.RDMA_READ, k1, at, 8));
    again();
    mw.close();
    assertEquals(0, b.mr.useCount());
  }

  @Test
  @DisplayName(
      "IBA 10.6.7.2: a type 2B window belongs to the queue pair that bound it, till invalidated")
  void typeTwo() {
    MemoryWindow mw = b.pd.allocWindow(MwType.TYPE_2);
    int key = MemoryRegion.nextKey(mw.rkey());
    long at = b.mr.iova();
    int access = Access.REMOTE_WRITE | Access.REMOTE_ATOMIC;
    assertEquals(WcStatus.SUCCESS, local(bind(mw, key, b.mr, at, 64, access)));
    assertEquals(WcStatus.SUCCESS, remote(WrOpcode.RDMA_WRITE, key, at, 64));
    assertEquals(WcStatus.SUCCESS, remote(WrOpcode.ATOMIC_FETCH_AND_ADD, key, at, 8));
    assertEquals(WcStatus.SUCCESS, local(inv(key)));
    assertEquals(0, b.mr.useCount());
    assertEquals(WcStatus.SUCCESS, local(bind(mw, key, b.mr, at, 64, access)));
    assertEquals(WcStatus.MW_BIND_ERR, local(bind(mw, key + 1, b.mr, at, 64, access)), "bound");
    again(); // another queue pair
    assertEquals(WcStatus.REM_ACCESS_ERR, remote(WrOpcode.RDMA_WRITE, key, at, 64), "not its own");
    again();
    assertEquals(
        WcStatus.SUCCESS, local(bind(mw, key, b.mr, at, 64, access)), "its holder is gone");
    b.qp.postReceive(1, b.mr.lkey(), b.mr.iova(), 64);
    SendWr send = new SendWr(0).opcode(WrOpcode.SEND_WITH_INV).invalidateRkey(key);
    assertEquals(PostStatus.OK, a.qp.postSend(send));
    assertEquals(WcFlags.WITH_INVALIDATE, Rig.await(b.recvCq).wcFlags());
    assertEquals(0, b.mr.useCount());
    assertEquals(WcStatus.REM_ACCESS_ERR, remote(WrOpcode.RDMA_WRITE, key, at, 64));
  }

  @Test
  @DisplayName("a bind whose window was closed before its turn came fails, and pins no region")
  void bindOfClosed() {
    MemoryWindow mw = b.pd.allocWindow(MwType.TYPE_2);
    int key = MemoryRegion.nextKey(mw.rkey());
    mw.close();
    SendWr wr = bind(mw, key, b.mr, b.mr.iova(), 64, Access.REMOTE_READ);
    assertEquals(WcStatus.MW_BIND_ERR, local(wr));
    assertEquals(0, b.mr.useCount());
  }

  @Test
  @DisplayName("C10-72 to C10-75: binds that are not allowed: MW_BIND_ERR, the queue pair in ERR")
  void bindErrors() {
    MemoryWindow mw = b.pd.allocWindow(MwType.TYPE_2);
    MemoryWindow foreign = b.device.allocPd().allocWindow(MwType.TYPE_2);
    MemoryRegion plain = b.pd.allocMemory(64, 8, Access.LOCAL_WRITE);
    MemoryRegion readable = b.pd.allocMemory(64, 8, Access.REMOTE_READ | Access.MW_BIND);
    long at = b.mr.iova();
    int rights = Access.REMOTE_READ;
    SendWr[] wrong = {
      bind(foreign, foreign.rkey(), b.mr, at, 8, rights),
      bind(mw, mw.rkey() ^ 0x100, b.mr, at, 8, rights),
      bind(mw, mw.rkey(), plain, plain.iova(), 8, rights),
      bind(mw, mw.rkey(), readable, readable.iova(), 8, Access.REMOTE_WRITE),
      bind(mw, mw.rkey(), b.mr, at, b.mr.length() + 1, rights),
      bind(mw, mw.rkey(), b.mr, at - 1, 8, rights),
      bind(mw, mw.rkey(), b.mr, at, -1, rights),
      bind(mw, mw.rkey(), b.mr, at, 0, rights),
      bind(mw, mw.rkey(), b.mr, at, 8, Access.LOCAL_WRITE)
    };
    for (int i = 0; i < wrong.length; i++) {
      assertEquals(WcStatus.MW_BIND_ERR, local(wrong[i]), "case " + i);
      assertEquals(QpState.ERR, b.qp.state());
      again();
    }
    assertEquals(PostStatus.INVALID, b.qp.postSend(bind(mw, 1, null, 0, 8, rights)));
  }

  @Test
  @DisplayName("R-06: bounds of a window near 2^64 and a region that goes away below it")
  void extremes() {
    MemoryWindow mw = b.pd.allocWindow(MwType.TYPE_2);
    MemoryRegion mr = b.pd.allocFastRegistration(1);
    mr.map(b.mr.segment().asSlice(0, 64));
    assertEquals(WcStatus.SUCCESS, local(reg(mr, mr.rkey(), RIGHTS | Access.MW_BIND)));
    int key = mw.rkey();
    assertEquals(WcStatus.SUCCESS, local(bind(mw, key, mr, mr.iova(), 64, Access.REMOTE_WRITE)));
    assertEquals(WcStatus.MW_BIND_ERR, local(inv(mr.rkey())), "a window is bound to it");
    again();
    for (long address : new long[] {-8, -1, Long.MIN_VALUE, Long.MAX_VALUE, 0}) {
      assertEquals(WcStatus.REM_ACCESS_ERR, remote(WrOpcode.RDMA_WRITE, b.mr.rkey(), address, 16));
      again();
    }
    mw.close();
    assertEquals(WcStatus.SUCCESS, local(inv(mr.rkey())));
  }

  @Test
  @DisplayName("S6: a window or region of another device is refused when it is posted")
  void ofAnotherDevice() {
    MemoryRegion mr = a.mr;
    MemoryWindow theirs = b.pd.allocWindow(MwType.TYPE_1);
    MemoryWindow ours = a.pd.allocWindow(MwType.TYPE_1);
    MemoryRegion fast = b.pd.allocFastRegistration(1);
    a.qp.wrStart();
    a.qp.wrBindMw(theirs, theirs.rkey() + 1, mr, mr.iova(), 64, Access.REMOTE_WRITE);
    assertEquals(PostStatus.INVALID, a.qp.wrComplete());
    a.qp.wrStart();
    a.qp.wrBindMw(ours, ours.rkey() + 1, b.mr, b.mr.iova(), 64, Access.REMOTE_WRITE);
    assertEquals(PostStatus.INVALID, a.qp.wrComplete());
    a.qp.wrStart();
    a.qp.wrRegMr(fast, fast.rkey(), RIGHTS);
    assertEquals(PostStatus.INVALID, a.qp.wrComplete());
  }
}
