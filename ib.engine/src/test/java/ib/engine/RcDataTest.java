package ib.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import ib.core.verbs.EventType;
import ib.core.verbs.PostStatus;
import ib.core.verbs.QpType;
import ib.core.verbs.RecvWr;
import ib.core.verbs.SendFlags;
import ib.core.verbs.SendWr;
import ib.core.verbs.WcFlags;
import ib.core.verbs.WcOpcode;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WorkCompletion;
import ib.core.verbs.WrOpcode;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Every operation, every size around multiples of the MTU (1024), on both kinds of wire. */
class RcDataTest {
  private static final int MTU = 1024;
  private static final int HALF = 1 << 19;
  private static final int[] SIZES = sizes();

  private final SplittableRandom random = new SplittableRandom(7);

  private static int[] sizes() {
    int[] around = {0, MTU, 2 * MTU, 3 * MTU, 16 * MTU, 130 * MTU, 300 * MTU};
    int[] all = new int[around.length * 5];
    int n = 0;
    for (int base : around) {
      for (int d = -2; d <= 2; d++) {
        all[n++] = Math.max(0, base + d);
      }
    }
    return all;
  }

  private void fill(MemorySegment s, int offset, int length) {
    for (int i = 0; i < length; i++) {
      s.set(ValueLayout.JAVA_BYTE, offset + i, (byte) random.nextInt());
    }
  }

  private static void assertSame(
      MemorySegment from, long at, MemorySegment to, long there, int length, String what) {
    assertEquals(-1, from.asSlice(at, length).mismatch(to.asSlice(there, length)), what);
  }

  private void each(QpType type, boolean segments) {
    try (Rig rig = Rig.two().connect(type, 64, 14, 7, 7)) {
      rig.wire.segments(segments);
      for (int size : SIZES) {
        for (WrOpcode op :
            new WrOpcode[] {
              WrOpcode.SEND,
              WrOpcode.SEND_WITH_IMM,
              WrOpcode.RDMA_WRITE,
              WrOpcode.RDMA_WRITE_WITH_IMM,
              WrOpcode.RDMA_READ
            }) {
          if (type == QpType.RC || op != WrOpcode.RDMA_READ) {
            one(rig, op, size);
          }
        }
      }
      assertEquals(
          0L, rig.a().hca.counters(1).get("completer_retry_err"), "nothing was sent twice");
    }
  }

  private void one(Rig rig, WrOpcode op, int size) {
    String what = op + " of " + size;
    Rig.Side a = rig.a();
    Rig.Side b = rig.b();
    MemorySegment source = op == WrOpcode.RDMA_READ ? b.mr.segment() : a.mr.segment();
    MemorySegment target = op == WrOpcode.RDMA_READ ? a.mr.segment() : b.mr.segment();
    fill(source, 0, size);
    target.asSlice(HALF - 8, size + 16).fill((byte) 0x5a);
    boolean receives = op != WrOpcode.RDMA_READ && op != WrOpcode.RDMA_WRITE;
    if (receives) {
      assertEquals(
          PostStatus.OK, b.qp.postReceive(size, b.mr.lkey(), b.mr.iova() + HALF, size), what);
    }
    long local = op == WrOpcode.RDMA_READ ? HALF : 0;
    SendWr wr =
        new SendWr(4)
            .wrId(77)
            .opcode(op)
            .flags(SendFlags.SIGNALED)
            .immData(0xcafe0000 + size)
            .rkey(b.mr.rkey())
            .remoteAddr(b.mr.iova() + (op == WrOpcode.RDMA_READ ? 0 : HALF));
    int third = size / 3; // three unequal elements, one of them empty
    wr.addSge(a.mr.lkey(), a.mr.iova() + local, third)
        .addSge(a.mr.lkey(), a.mr.iova() + local + third, 0)
        .addSge(a.mr.lkey(), a.mr.iova() + local + third, size - third);
    assertEquals(PostStatus.OK, a.qp.postSend(wr), what);
    WorkCompletion sent = Rig.await(a.sendCq);
    assertEquals(WcStatus.SUCCESS, sent.status(), what);
    assertEquals(77, sent.wrId(), what);
    if (op == WrOpcode.RDMA_READ) {
      assertEquals(size, sent.byteLen(), what);
    }
    if (receives) {
      received(b, op, size, what);
    }
    assertSame(source, 0, target, HALF, size, what);
    for (int i = 1; i <= 8; i++) {
      assertEquals(0x5a, target.get(ValueLayout.JAVA_BYTE, HALF - i), what + " before");
      assertEquals(0x5a, target.get(ValueLayout.JAVA_BYTE, HALF + size + i - 1), what + " after");
    }
  }

  private static void received(Rig.Side b, WrOpcode op, int size, String what) {
    WorkCompletion got = Rig.await(b.recvCq);
    assertEquals(WcStatus.SUCCESS, got.status(), what);
    assertEquals(size, got.wrId(), what);
    assertEquals(size, got.byteLen(), what);
    assertEquals(b.qp.qpn(), got.qpn(), what);
    boolean imm = op != WrOpcode.SEND;
    assertEquals(imm ? WcFlags.WITH_IMM : 0, got.wcFlags(), what);
    assertEquals(imm ? 0xcafe0000 + size : 0, got.immData(), what);
    assertEquals(
        op == WrOpcode.RDMA_WRITE_WITH_IMM ? WcOpcode.RECV_RDMA_WITH_IMM : WcOpcode.RECV,
        got.opcode(),
        what);
  }

  @Test
  @DisplayName("D5: RC, references in one packet")
  void rcJumbo() {
    each(QpType.RC, false);
  }

  @Test
  @DisplayName("IBA 9.7: RC, real packets of one MTU")
  void rcSegmented() {
    each(QpType.RC, true);
  }

  @Test
  @DisplayName("D5: UC, references in one packet")
  void ucJumbo() {
    each(QpType.UC, false);
  }

  @Test
  @DisplayName("IBA 9.8: UC, real packets of one MTU")
  void ucSegmented() {
    each(QpType.UC, true);
  }

  @Test
  @DisplayName(
      "D3: inline data is free at once; a list is posted whole; unsignaled ones are silent")
  void inlineAndLists() {
    try (Rig rig = Rig.two().connect(QpType.RC)) {
      Rig.Side a = rig.a();
      Rig.Side b = rig.b();
      RecvWr receives = null;
      for (int i = 9; i >= 0; i--) {
        receives =
            new RecvWr(1).wrId(i).addSge(b.mr.lkey(), b.mr.iova() + 64L * i, 64).next(receives);
      }
      assertEquals(PostStatus.OK, b.qp.postReceive(receives));
      byte[] data = new byte[16];
      SendWr sends = null;
      for (int i = 9; i >= 0; i--) {
        sends =
            new SendWr(1)
                .wrId(i)
                .inline(MemorySegment.ofArray(data), 0, 16)
                .flags(SendFlags.INLINE | (i == 9 ? SendFlags.SIGNALED : 0))
                .next(sends);
      }
      data[3] = 11;
      assertEquals(PostStatus.OK, a.qp.postSend(sends));
      data[3] = 0;
      assertEquals(9, Rig.await(a.sendCq).wrId(), "only the signaled one completes");
      Rig.assertEmpty(a.sendCq);
      for (int i = 0; i < 10; i++) {
        assertEquals(i, Rig.await(b.recvCq).wrId(), "in order");
        assertEquals(11, b.mr.segment().get(ValueLayout.JAVA_BYTE, 64 * i + 3));
      }
    }
  }

  @Test
  @DisplayName("sequence numbers wrap")
  void wraps() {
    try (Rig rig = Rig.two().connect(QpType.RC, 64, 14, 7, 7)) {
      rig.wire.segments(true);
      for (int i = 0; i < 40; i++) {
        one(rig, WrOpcode.RDMA_WRITE, 500 * MTU);
      }
      assertFalse(rig.a().device.heard(EventType.QP_FATAL));
    }
  }
}
