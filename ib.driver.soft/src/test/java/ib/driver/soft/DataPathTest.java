package ib.driver.soft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import ib.core.spi.FaultInjection;
import ib.core.verbs.Mtu;
import ib.core.verbs.QpType;
import ib.core.verbs.SendFlags;
import ib.core.verbs.WorkCompletion;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("D3 the data path from one adapter to another")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class DataPathTest {
  private static final int OPERATIONS = 1_000_000;

  private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private final WorkCompletion[] one = {new WorkCompletion()};

  @Test
  @DisplayName(
      "D3 S6 S8 1,000,000 sends: 0 B, never parked, blocked or waited, in poster and workers")
  void nothingAllocated() {
    nothingAllocated(OPERATIONS, "");
  }

  @Test
  @DisplayName("G5 with faults: lost, doubled and damaged packets and repeats, 0 B, never waited")
  void nothingAllocatedWithFaults() {
    nothingAllocated(OPERATIONS / 5, "loss rate=0.0002, duplicate rate=0.05, corrupt rate=0.0002");
  }

  private void nothingAllocated(int operations, String faults) {
    try (Lab lab = new Lab()) {
      lab.configure("soft0", "faults", faults, "fault_seed", "5");
      lab.configure("soft1");
      Side a = lab.side("soft0");
      Side b = lab.side("soft1");
      Side.connect(QpType.RC, a, b, Mtu.MTU_4096);
      assertEquals(operations, run(a, b, operations)); // rare paths are linked once, too
      long[] workers =
          Thread.getAllStackTraces().keySet().stream()
              .filter(t -> t.getName().endsWith("-engine"))
              .mapToLong(Thread::threadId)
              .toArray();
      assertEquals(2, workers.length);
      long self = Thread.currentThread().threadId();
      waits(self);
      long waited = waits(self);
      long allocatedByWorkers = allocated(workers);
      long before = threads.getCurrentThreadAllocatedBytes();
      int done = run(a, b, operations);
      long allocated = threads.getCurrentThreadAllocatedBytes() - before;
      assertEquals(operations, done);
      // a packet is made when more than ever before are under way, which chance decides
      long most = faults.isEmpty() ? 0 : operations / 50;
      assertTrue(allocated <= most, allocated + " bytes in the poster");
      long elsewhere = allocated(workers) - allocatedByWorkers;
      assertTrue(elsewhere <= most, elsewhere + " bytes in the workers");
      assertEquals(waited, waits(self), "times blocked or waited");
      long hit =
          lab.faults().getFirst().list().stream().mapToLong(FaultInjection.Active::hit).sum();
      assertEquals(faults.isEmpty(), hit == 0, hit + " packets disturbed");
    }
  }

  private long allocated(long[] ids) {
    long sum = 0;
    for (long id : ids) {
      sum += threads.getThreadAllocatedBytes(id);
    }
    return sum;
  }

  private long waits(long id) {
    ThreadInfo info = threads.getThreadInfo(id);
    return info.getBlockedCount() + info.getWaitedCount();
  }

  /** Ping by list-free forms only; returns how many arrived. */
  private int run(Side a, Side b, int operations) {
    int arrived = 0;
    for (int i = 0; i < operations; i++) {
      b.qp.postReceive(i, b.mr.lkey(), b.mr.iova(), 64);
      a.qp.wrStart();
      a.qp.wrId(i).wrFlags(SendFlags.SIGNALED);
      a.qp.wrSend();
      a.qp.wrSetSge(a.mr.lkey(), a.mr.iova(), 64);
      a.qp.wrComplete();
      while (b.cq.poll(one, 1) == 0) {
        Thread.onSpinWait();
      }
      arrived += one[0].wrId() == i ? 1 : 0;
      while (!a.cq.startPoll()) {
        Thread.onSpinWait();
      }
      a.cq.endPoll();
    }
    return arrived;
  }

  @Test
  @DisplayName(
      "D4 a small send is executed in the poster's own call: it is there when post returns")
  void runsToCompletion() {
    try (Lab lab = new Lab("soft0", "soft1")) {
      Side a = lab.side("soft0");
      Side b = lab.side("soft1");
      Side.connect(QpType.RC, a, b, Mtu.MTU_4096);
      int atOnce = 0;
      for (int i = 0; i < 1000; i++) {
        b.receive(i, 0, 64);
        a.send(i, 0, 64);
        atOnce += b.cq.poll(one, 1);
        atOnce += a.cq.poll(one, 1);
      }
      assertTrue(atOnce == 2000, atOnce + " of 2000");
    }
  }
}
