package ib.core.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("D3: reusable work requests and completions")
class WorkRequestTest {
  private static final Cqe CQE = (cq, wc) -> {};

  private static WorkCompletion everyFieldDifferent() {
    return new WorkCompletion()
        .wrId(1L << 40)
        .status(WcStatus.LOC_LEN_ERR)
        .opcode(WcOpcode.RECV)
        .byteLen(3)
        .immData(4)
        .qpn(5)
        .srcQp(6)
        .slid(7)
        .sl(8)
        .wcFlags(9)
        .vendorError(10)
        .pkeyIndex(11)
        .dlidPathBits(12)
        .timestamp(13)
        .cqe(CQE);
  }

  private static String all(WorkCompletion wc) {
    return wc.wrId()
        + " "
        + wc.status()
        + " "
        + wc.opcode()
        + " "
        + wc.byteLen()
        + " "
        + wc.immData()
        + " "
        + wc.qpn()
        + " "
        + wc.srcQp()
        + " "
        + wc.slid()
        + " "
        + wc.sl()
        + " "
        + wc.wcFlags()
        + " "
        + wc.vendorError()
        + " "
        + wc.pkeyIndex()
        + " "
        + wc.dlidPathBits()
        + " "
        + wc.timestamp()
        + " "
        + CQE.equals(wc.cqe());
  }

  @Test
  @DisplayName("Poll for Completion: a completion keeps, copies and forgets every value")
  void completion() {
    String values = "1099511627776 LOC_LEN_ERR RECV 3 4 5 6 7 8 9 10 11 12 13 true";
    WorkCompletion wc = everyFieldDifferent();
    assertEquals(values, all(wc));
    WorkCompletion copy = new WorkCompletion();
    copy.set(wc);
    wc.clear();
    assertEquals(values, all(copy));
    assertEquals("0 NOT_WRITTEN SEND 0 0 0 0 0 0 0 0 0 0 0 false", all(wc));
    assertEquals(all(new WorkCompletion()), all(wc));
  }

  @Test
  @DisplayName("Poll for Completion: the text shows the opcode only when it is defined")
  void completionText() {
    WorkCompletion wc = new WorkCompletion().wrId(0x11).opcode(WcOpcode.RECV).byteLen(64).qpn(0x12);
    wc.status(WcStatus.SUCCESS);
    assertEquals(
        "WorkCompletion[wrId=0x11 SUCCESS RECV byteLen=64 qpn=0x12 wcFlags=0]", wc.toString());
    wc.status(WcStatus.WR_FLUSH_ERR).vendorError(0x1b);
    String values =
        "WorkCompletion[wrId=0x11 WR_FLUSH_ERR vendorError=0x1b byteLen=64 qpn=0x12 wcFlags=0]";
    String flushed = "look at the first completion that failed: this one is a consequence";
    assertEquals(values + ": Work Request Flushed Error; " + flushed, wc.toString());
    String thrown = assertThrows(IbCompletionException.class, wc::check).getMessage();
    assertEquals(values + ": Work Request Flushed Error (EIO). Try: " + flushed, thrown);
  }

  @Test
  @DisplayName("findings E2: each failure of a device has words of what to try")
  void advice() {
    Set<WcStatus> none = EnumSet.range(WcStatus.LOC_RDD_VIOL_ERR, WcStatus.INV_EEC_STATE_ERR);
    none.addAll(Set.of(WcStatus.SUCCESS, WcStatus.LOC_EEC_OP_ERR)); // reliable datagrams
    for (WcStatus s : WcStatus.values()) {
      assertEquals(none.contains(s), s.advice().isEmpty(), s.toString());
    }
  }

  @Test
  @DisplayName("D3: a send request keeps every value")
  void sendValues() {
    SendWr next = new SendWr(0);
    SendWr wr =
        new SendWr(2)
            .next(next)
            .wrId(1L << 40)
            .cqe(CQE)
            .opcode(WrOpcode.RDMA_WRITE_WITH_IMM)
            .flags(SendFlags.SIGNALED | SendFlags.FENCE)
            .immData(4)
            .remoteAddr(1L << 41)
            .rkey(6)
            .remoteQpn(7)
            .remoteQkey(8)
            .compareAdd(9)
            .swap(10)
            .invalidateRkey(11)
            .badWr(next);
    assertSame(next, wr.next());
    assertSame(CQE, wr.cqe());
    assertSame(next, wr.badWr());
    assertNull(wr.ah());
    assertEquals(WrOpcode.RDMA_WRITE_WITH_IMM, wr.opcode());
    assertEquals(
        "1099511627776 3 4 2199023255552 6 7 8 9 10 11",
        wr.wrId()
            + " "
            + wr.flags()
            + " "
            + wr.immData()
            + " "
            + wr.remoteAddr()
            + " "
            + wr.rkey()
            + " "
            + wr.remoteQpn()
            + " "
            + wr.remoteQkey()
            + " "
            + wr.compareAdd()
            + " "
            + wr.swap()
            + " "
            + wr.invalidateRkey());
    assertNull(wr.next(null).badWr(null).cqe(null).next());
  }

  @Test
  @DisplayName("D3: the arguments of requests on memory; keys differ in their low byte")
  void memoryValues() {
    MemoryWork m = new MemoryWork().flush(1L << 31, Flush.GLOBAL | Flush.PERSISTENT, Flush.MR);
    assertSame(m, new SendWr(0).memory(m).memory());
    assertEquals("2147483648 3 1", m.length() + " " + m.flushType() + " " + m.flushLevel());
    assertNull(m.region());
    assertNull(m.window());
    assertEquals(0x12345600, MemoryRegion.nextKey(0x123456ff));
    assertEquals(0x12345679, MemoryRegion.nextKey(0x12345678));
  }

  @Test
  @DisplayName("D3: entries fill up to the capacity and no further")
  void entries() {
    SendWr send = new SendWr(2).addSge(1, 100, 10).addSge(2, 200, -1);
    RecvWr recv = new RecvWr(2).addSge(1, 100, 10).addSge(2, 200, -1);
    assertEquals(2, send.sgeCapacity());
    assertEquals(2, recv.sgeCapacity());
    assertEquals(
        "2 2 200 -1 1 100 10",
        send.sgeCount()
            + " "
            + send.sgeLkey(1)
            + " "
            + send.sgeAddr(1)
            + " "
            + send.sgeLength(1)
            + " "
            + send.sgeLkey(0)
            + " "
            + send.sgeAddr(0)
            + " "
            + send.sgeLength(0));
    assertEquals(
        "2 2 200 -1",
        recv.sgeCount() + " " + recv.sgeLkey(1) + " " + recv.sgeAddr(1) + " " + recv.sgeLength(1));
    assertThrows(IbInvalidException.class, () -> send.addSge(3, 300, 1));
    assertThrows(IbInvalidException.class, () -> recv.addSge(3, 300, 1));
    assertEquals(2, send.sgeCount());
    assertEquals(0, send.clearSges().sgeCount());
    assertEquals(0, recv.clearSges().sgeCount());
    assertThrows(IbInvalidException.class, () -> new SendWr(-1));
    assertThrows(IbInvalidException.class, () -> new RecvWr(1 << 16));
  }

  @Test
  @DisplayName("D3: a receive request keeps every value")
  void receiveValues() {
    RecvWr next = new RecvWr(0);
    RecvWr wr = new RecvWr(0).next(next).wrId(1L << 40).cqe(CQE).badWr(next);
    assertSame(next, wr.next());
    assertSame(next, wr.badWr());
    assertSame(CQE, wr.cqe());
    assertEquals(1L << 40, wr.wrId());
  }

  @Test
  @DisplayName("D6: inline data lies inside its segment and takes the place of the entries")
  void inline() {
    MemorySegment data = MemorySegment.ofArray(new byte[8]);
    SendWr wr = new SendWr(1).addSge(1, 2, 3).inline(data, 2, 6);
    assertSame(data, wr.inlineSegment());
    assertEquals(
        "2 6 0 8",
        wr.inlineOffset() + " " + wr.inlineLength() + " " + wr.sgeCount() + " " + wr.flags());
    assertThrows(IbInvalidException.class, () -> wr.inline(data, 3, 6));
    assertThrows(IbInvalidException.class, () -> wr.inline(data, -1, 1));
    assertThrows(IbInvalidException.class, () -> wr.inline(data, 0, -1));
    assertThrows(IbInvalidException.class, () -> wr.inline(data, Long.MAX_VALUE, 1));
    assertThrows(IbInvalidException.class, () -> wr.inline(data, 0, 9));
    assertEquals(8, new SendWr(0).inline(data, 0, 8).inlineLength());
  }

  @Test
  @DisplayName("D6: INLINE is shown as long as there is inline data, whatever came before or after")
  void inlineFlag() {
    MemorySegment data = MemorySegment.ofArray(new byte[8]);
    SendWr wr = new SendWr(1).inline(data, 0, 8).flags(SendFlags.SIGNALED);
    assertEquals(SendFlags.SIGNALED | SendFlags.INLINE, wr.flags());
    assertNull(wr.addSge(1, 2, 3).inlineSegment());
    assertEquals(SendFlags.SIGNALED, wr.flags());
    wr.inline(data, 0, 8).clearSges();
    assertNull(wr.inlineSegment());
    assertEquals("0 0 2", wr.inlineOffset() + " " + wr.inlineLength() + " " + wr.flags());
  }

  private static WorkCompletion sink = new WorkCompletion();

  @Test
  @DisplayName("D3: filling a request and a completion allocates nothing (with canary)")
  void noAllocation() {
    SendWr send = new SendWr(2);
    RecvWr recv = new RecvWr(1);
    WorkCompletion wc = new WorkCompletion();
    WorkCompletion copy = new WorkCompletion();
    Runnable fill =
        () -> {
          send.clearSges().wrId(1).opcode(WrOpcode.SEND).addSge(1, 2, 3).addSge(4, 5, 6);
          recv.clearSges().wrId(1).addSge(1, 2, 3);
          wc.clear();
          wc.wrId(7).status(WcStatus.SUCCESS).opcode(WcOpcode.RECV).cqe(CQE);
          copy.set(wc);
        };
    assertEquals(0, allocated(fill));
    assertTrue(allocated(() -> sink = new WorkCompletion()) > 0, "canary");
    assertEquals(0, sink.wrId());
  }

  private static long allocated(Runnable action) {
    var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    long least = Long.MAX_VALUE;
    for (int round = 0; round < 5; round++) { // a class or a stack map may be loaded in between
      long before = threads.getCurrentThreadAllocatedBytes();
      for (int i = 0; i < 10_000; i++) {
        action.run();
      }
      least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
    }
    return least;
  }
}
