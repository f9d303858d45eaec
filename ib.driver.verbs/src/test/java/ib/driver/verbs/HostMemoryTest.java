package ib.driver.verbs;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import ib.core.client.DeviceLease;
import ib.core.spi.StandaloneFabric;
import ib.core.verbs.Access;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.CqInit;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.MemoryRegion;
import ib.core.verbs.PostStatus;
import ib.core.verbs.ProtectionDomain;
import ib.core.verbs.QpCap;
import ib.core.verbs.QpInit;
import ib.core.verbs.QpType;
import ib.core.verbs.QueuePair;
import ib.core.verbs.QueuePairs;
import ib.core.verbs.SendFlags;
import ib.core.verbs.SendWr;
import ib.core.verbs.WcOpcode;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

@DisplayName("issue 17: memory of the host's device")
@EnabledIfSystemProperty(named = VerbsBench.DEVICE, matches = ".+", disabledReason = "no device")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class HostMemoryTest {
  private static final int BYTES = 64;
  private static final int OPERATIONS = 2000;
  private static final int ROUNDS = 10;
  private static final long HUGE = 1L << 29;

  private static StandaloneFabric open() {
    String device = System.getProperty(VerbsBench.DEVICE);
    return StandaloneFabric.options(VerbsDriver.PID).device(device, Map.of()).open();
  }

  private static DeviceLease lease(StandaloneFabric fabric) {
    return fabric.core().lease(fabric.names().getFirst(), "test");
  }

  @Test
  @DisplayName("V7: an arena cannot be closed while the device can reach its memory")
  void arena() {
    try (StandaloneFabric fabric = open();
        DeviceLease lease = lease(fabric);
        ProtectionDomain pd = lease.device().allocPd()) {
      Arena arena = Arena.ofShared();
      MemorySegment segment = arena.allocate(8192, 64);
      MemoryRegion one = pd.registerMemory(segment, Access.LOCAL_WRITE);
      MemoryRegion other = pd.registerMemory(segment.asSlice(64, 64), Access.LOCAL_WRITE);
      assertThrows(IllegalStateException.class, arena::close);
      one.close();
      assertThrows(IllegalStateException.class, arena::close, "one region is left");
      other.close();
      assertDoesNotThrow(arena::close);
      assertThrows(IbInvalidException.class, () -> pd.registerMemory(segment, Access.LOCAL_WRITE));
    }
  }

  @Test
  @EnabledIfSystemProperty(
      named = "ib.interop.full",
      matches = "true",
      disabledReason = "on request: it takes half a GiB")
  @DisplayName("V7: half a GiB is one registration, which rdma res shows with its length")
  void huge() throws Exception {
    try (StandaloneFabric fabric = open();
        DeviceLease lease = lease(fabric);
        ProtectionDomain pd = lease.device().allocPd();
        Arena arena = Arena.ofShared()) {
      MemorySegment segment = arena.allocate(HUGE, 4096);
      try (MemoryRegion mr = pd.registerMemory(segment, Access.LOCAL_WRITE)) {
        assertEquals(HUGE, mr.length());
        String shown = regions();
        assertEquals(1, shown.lines().filter(l -> l.contains("mrlen " + HUGE)).count(), shown);
      }
      assertEquals(0, regions().lines().filter(l -> l.contains("mrlen " + HUGE)).count());
    }
  }

  private static String regions() throws Exception {
    List<String> line = List.of("rdma", "resource", "show", "mr");
    Process p = new ProcessBuilder(line).redirectErrorStream(true).start();
    String out = new String(p.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, p.waitFor(), out);
    return out;
  }

  @Test
  @DisplayName("V10: an INLINE request outside of its region is refused, and reads no memory")
  void inline() {
    try (StandaloneFabric fabric = open();
        DeviceLease lease = lease(fabric);
        Loop loop = new Loop(lease.device())) {
      int inline = SendFlags.INLINE | SendFlags.SIGNALED;
      MemoryRegion mr = loop.mr;
      SendWr wr = new SendWr(1).flags(inline);
      assertEquals(
          PostStatus.INVALID,
          loop.a.postSend(wr.addSge(mr.lkey(), mr.iova() + mr.length() - 8, 16)));
      assertEquals(PostStatus.INVALID, loop.a.postSend(wr.clearSges().addSge(~mr.lkey(), 1, 8)));
      loop.b.postReceive(1, mr.lkey(), mr.iova() + BYTES, BYTES);
      mr.segment().setAtIndex(java.lang.foreign.ValueLayout.JAVA_LONG, 0, 42);
      assertEquals(PostStatus.OK, loop.a.postSend(wr.clearSges().addSge(mr.lkey(), mr.iova(), 8)));
      loop.await(WcOpcode.RECV);
      assertEquals(42, mr.segment().getAtIndex(java.lang.foreign.ValueLayout.JAVA_LONG, 8));
    }
  }

  @Test
  @DisplayName("V4: 0 B of garbage in a message there and back")
  void garbage() {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    try (StandaloneFabric fabric = open();
        DeviceLease lease = lease(fabric);
        Loop loop = new Loop(lease.device())) {
      loop.run(OPERATIONS);
      long least = Long.MAX_VALUE;
      for (int round = 0; round < ROUNDS && least >= OPERATIONS; round++) {
        long before = threads.getCurrentThreadAllocatedBytes();
        loop.run(OPERATIONS);
        least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
      }
      assertTrue(least < OPERATIONS, least + " bytes in " + OPERATIONS);
    }
  }

  /** Two queue pairs of one device, connected with each other. */
  private static final class Loop implements AutoCloseable {
    final ProtectionDomain pd;
    final CompletionQueue cq;
    final MemoryRegion mr;
    final QueuePair a;
    final QueuePair b;

    Loop(IbDevice device) {
      pd = device.allocPd();
      cq = device.createCq(new CqInit(64));
      mr = pd.allocMemory(4096, 4096, Access.LOCAL_WRITE);
      QpInit init = new QpInit(QpType.RC, cq, new QpCap(16, 16, 1, 1, BYTES));
      a = pd.createQp(init);
      b = pd.createQp(init);
      QueuePairs.connect(a, b);
    }

    void run(int times) {
      for (int i = 0; i < times; i++) {
        hop(a, b);
        hop(b, a);
      }
    }

    private void hop(QueuePair from, QueuePair to) {
      to.postReceive(2, mr.lkey(), mr.iova() + BYTES, BYTES);
      from.wrStart();
      from.wrId(1).wrFlags(SendFlags.SIGNALED);
      from.wrSend();
      from.wrSetSge(mr.lkey(), mr.iova(), BYTES);
      if (from.wrComplete() != PostStatus.OK) {
        throw new AssertionError("not posted");
      }
      await(WcOpcode.RECV);
    }

    void await(WcOpcode opcode) {
      boolean seen = false;
      while (!seen) {
        while (!cq.startPoll()) {
          Thread.onSpinWait();
        }
        seen = cq.opcode() == opcode;
        cq.endPoll();
      }
    }

    @Override
    public void close() {
      a.close();
      b.close();
      mr.close();
      cq.close();
      pd.close();
    }
  }
}
