package ib.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import ib.core.verbs.AddressHandle;
import ib.core.verbs.AhAttr;
import ib.core.verbs.NotifyFlags;
import ib.core.verbs.PostStatus;
import ib.core.verbs.QpType;
import ib.core.verbs.RecvWr;
import ib.core.verbs.SendFlags;
import ib.core.verbs.SendWr;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WorkCompletion;
import ib.core.verbs.WrOpcode;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** D3, G5: the data path allocates nothing and never blocks, over 10^6 posts and polls. */
class GarbageTest {
  private static final int OPERATIONS = 1_000_000;
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private final WorkCompletion[] wc = {new WorkCompletion(), new WorkCompletion()};
  private int failures;

  /**
   * One round of posts and polls; counts what went wrong, so that nothing is allocated to say so.
   */
  private interface Round {
    void run();
  }

  private void measure(Round round) {
    long me = Thread.currentThread().threadId();
    for (int i = 0; i < OPERATIONS / 10; i++) {
      round.run(); // compiled, and every lazily made packet is there
    }
    measured(round, OPERATIONS / 100, me);
    ThreadInfo before = THREADS.getThreadInfo(me);
    long allocated = measured(round, OPERATIONS, me);
    ThreadInfo after = THREADS.getThreadInfo(me);
    assertEquals(0, failures, "failed operations");
    assertTrue(allocated < OPERATIONS / 10, allocated + " bytes in " + OPERATIONS + " operations");
    assertEquals(before.getBlockedCount(), after.getBlockedCount(), "blocked");
    assertEquals(before.getWaitedCount(), after.getWaitedCount(), "waited or parked");
  }

  private static long measured(Round round, int n, long me) {
    long bytes = THREADS.getThreadAllocatedBytes(me);
    for (int i = 0; i < n; i++) {
      round.run();
    }
    return THREADS.getThreadAllocatedBytes(me) - bytes;
  }

  private void expect(boolean ok) {
    failures += ok ? 0 : 1;
  }

  private void sent(Rig.Side s) {
    expect(s.sendCq.poll(wc, 1) == 1 && wc[0].status() == WcStatus.SUCCESS);
  }

  private void received(Rig.Side s) {
    boolean there = s.recvCq.startPoll() && s.recvCq.status() == WcStatus.SUCCESS;
    expect(there);
    if (there) {
      s.recvCq.endPoll();
    }
  }

  @Test
  @DisplayName(
      "D3, G5: RC send and receive, builder and lazy polling, armed: 0 bytes, never blocked")
  void rcSend() {
    try (Rig rig = Rig.two().connect(QpType.RC, 64, 14, 7, 7)) {
      Rig.Side a = rig.a();
      Rig.Side b = rig.b();
      measure(
          () -> {
            expect(b.qp.postReceive(1, b.mr.lkey(), b.mr.iova(), 64) == PostStatus.OK);
            expect(b.recvCq.requestNotify(NotifyFlags.NEXT_COMP) == 0);
            a.qp.wrStart();
            a.qp.wrId(1).wrFlags(SendFlags.SIGNALED);
            a.qp.wrSend();
            a.qp.wrSetSge(a.mr.lkey(), a.mr.iova(), 64);
            expect(a.qp.wrComplete() == PostStatus.OK);
            sent(a);
            received(b);
          });
    }
  }

  @Test
  @DisplayName("D3, G5: RC write, read and inline, list form: 0 bytes, never blocked")
  void rcWriteRead() {
    try (Rig rig = Rig.two().connect(QpType.RC, 64, 14, 7, 7);
        Arena arena = Arena.ofConfined()) {
      Rig.Side a = rig.a();
      Rig.Side b = rig.b();
      SendWr read =
          new SendWr(1)
              .opcode(WrOpcode.RDMA_READ)
              .flags(SendFlags.SIGNALED)
              .rkey(b.mr.rkey())
              .remoteAddr(b.mr.iova())
              .addSge(a.mr.lkey(), a.mr.iova(), 64);
      MemorySegment data = arena.allocate(32);
      SendWr write =
          new SendWr(1)
              .opcode(WrOpcode.RDMA_WRITE)
              .rkey(b.mr.rkey())
              .remoteAddr(b.mr.iova())
              .inline(data, 0, 32)
              .flags(SendFlags.SIGNALED | SendFlags.INLINE)
              .next(read);
      measure(
          () -> {
            expect(a.qp.postSend(write) == PostStatus.OK);
            expect(a.sendCq.poll(wc, 2) == 2);
          });
    }
  }

  @Test
  @DisplayName("D3, G5: UC with immediate and an SRQ-less receive list: 0 bytes, never blocked")
  void uc() {
    try (Rig rig = Rig.two().connect(QpType.UC, 64, 14, 7, 7)) {
      Rig.Side a = rig.a();
      Rig.Side b = rig.b();
      RecvWr recv = new RecvWr(1).addSge(b.mr.lkey(), b.mr.iova(), 64);
      measure(
          () -> {
            expect(b.qp.postReceive(recv) == PostStatus.OK);
            a.qp.wrStart();
            a.qp.wrFlags(SendFlags.SIGNALED);
            a.qp.wrRdmaWriteImm(b.mr.rkey(), b.mr.iova(), 5);
            a.qp.wrSetSge(a.mr.lkey(), a.mr.iova(), 64);
            expect(a.qp.wrComplete() == PostStatus.OK);
            sent(a);
            received(b);
          });
    }
  }

  @Test
  @DisplayName("D3, G5: UD: 0 bytes, never blocked")
  void ud() {
    try (Rig rig = Rig.two().connect(QpType.UD, 64, 14, 7, 7)) {
      Rig.Side a = rig.a();
      Rig.Side b = rig.b();
      AddressHandle ah = a.pd.createAh(AhAttr.ofLid(1, b.lid(), 0));
      measure(
          () -> {
            expect(b.qp.postReceive(1, b.mr.lkey(), b.mr.iova(), 104) == PostStatus.OK);
            a.qp.wrStart();
            a.qp.wrFlags(SendFlags.SIGNALED);
            a.qp.wrSend();
            a.qp.wrSetUdAddress(ah, b.qp.qpn(), Rig.QKEY);
            a.qp.wrSetSge(a.mr.lkey(), a.mr.iova(), 64);
            expect(a.qp.wrComplete() == PostStatus.OK);
            sent(a);
            received(b);
          });
    }
  }

  @Test
  @DisplayName("D3: full, wrong state, no completion: refusals allocate nothing either")
  void refusals() {
    try (Rig rig = Rig.two().connect(QpType.RC, 2, 14, 7, 7)) {
      Rig.Side a = rig.a();
      a.qp.postReceive(1, a.mr.lkey(), a.mr.iova(), 64);
      a.qp.postReceive(1, a.mr.lkey(), a.mr.iova(), 64);
      SendWr wrong = new SendWr(1).opcode(WrOpcode.LSO);
      measure(
          () -> {
            expect(a.qp.postReceive(1, a.mr.lkey(), a.mr.iova(), 64) == PostStatus.QUEUE_FULL);
            expect(a.qp.postSend(wrong) == PostStatus.NOT_SUPPORTED);
            expect(a.sendCq.poll(wc, 2) == 0);
          });
    }
  }
}
