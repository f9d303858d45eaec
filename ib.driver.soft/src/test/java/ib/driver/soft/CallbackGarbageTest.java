package ib.driver.soft;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.CqInit;
import ib.core.verbs.Cqe;
import ib.core.verbs.Mtu;
import ib.core.verbs.NotifyFlags;
import ib.core.verbs.PollContext;
import ib.core.verbs.QpCap;
import ib.core.verbs.QpInit;
import ib.core.verbs.QpType;
import ib.core.verbs.SendFlags;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WorkCompletion;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The data path with completion handlers, in the core as it is deployed: without checking. */
@DisplayName("D3, G5: completion callbacks")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class CallbackGarbageTest {
  private static final int OPERATIONS = Integer.getInteger("ib.callbacks", 100_000);
  private static final int WARM_UPS = 10;
  private static final int WINDOWS = 5;
  private static final String CHECK = "ib.check";

  private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private final AtomicLong answered = new AtomicLong();
  private final WorkCompletion[] batch = new WorkCompletion[16];
  private final WorkCompletion[] one = {new WorkCompletion()};
  private final String checking = System.getProperty(CHECK, "false");

  @BeforeEach
  void uncheck() {
    System.setProperty(CHECK, "false");
    Arrays.setAll(batch, i -> new WorkCompletion());
  }

  @AfterEach
  void check() {
    System.setProperty(CHECK, checking);
  }

  /** Arms first, then polls until there is nothing: no completion is missed (S9, B7). */
  private void answer(CompletionQueue cq) {
    do {
      for (int n = cq.poll(batch, batch.length); n > 0; n = cq.poll(batch, batch.length)) {
        long good = 0;
        for (int i = 0; i < n; i++) {
          good += batch[i].status() == WcStatus.SUCCESS ? 1 : 0;
        }
        answered.addAndGet(good);
      }
    } while (cq.requestNotify(NotifyFlags.NEXT_COMP | NotifyFlags.REPORT_MISSED_EVENTS) > 0);
  }

  @Test
  @DisplayName("D3, G5: sends answered in a handler: 0 B in poster, workers and vectors")
  void raw() {
    try (Lab lab = new Lab("soft0", "soft1")) {
      Side a = lab.side("soft0");
      Side b = lab.side("soft1");
      CompletionQueue cq = b.device.createCq(new CqInit(4096, (q, x) -> answer(q), null));
      connect(a, a.cq, b, cq);
      cq.requestNotify(NotifyFlags.NEXT_COMP);
      measure(() -> run(a, b, null, a.cq));
      b.qp.close();
      cq.close();
    }
  }

  @Test
  @DisplayName("D3, G5: done() of a managed queue: 0 B in poster, workers and vectors")
  void managed() {
    try (Lab lab = new Lab("soft0", "soft1")) {
      Side a = lab.side("soft0");
      Side b = lab.side("soft1");
      CompletionQueue cq = a.device.createCq(CqInit.managed(4096, 0, PollContext.EVENT_LOOP));
      connect(a, cq, b, b.cq);
      Cqe done = (q, wc) -> answered.addAndGet(wc.status() == WcStatus.SUCCESS ? 1 : 0);
      measure(() -> run(a, b, done, b.cq));
      a.qp.close();
      cq.close();
    }
  }

  private static void connect(Side a, CompletionQueue cqA, Side b, CompletionQueue cqB) {
    QpCap cap = new QpCap(256, 256, 4, 4, 64);
    a.qp = a.pd.createQp(new QpInit(QpType.RC, cqA, cap));
    b.qp = b.pd.createQp(new QpInit(QpType.RC, cqB, cap));
    a.bringUp(b, Mtu.MTU_4096);
    b.bringUp(a, Mtu.MTU_4096);
  }

  private void measure(Runnable operations) {
    for (int i = 0; i < WARM_UPS; i++) {
      operations.run(); // what is rare is linked and compiled once, too
    }
    List<Thread> others =
        Thread.getAllStackTraces().keySet().stream()
            .filter(t -> t.getName().startsWith("ib-") && t.getName().contains("soft"))
            .toList();
    assertTrue(others.size() >= 3, "two workers and a vector: " + others);
    // compiled code that the JVM gives up makes once what it had spared: 136 B were seen in one run
    List<String> seen = new ArrayList<>();
    for (int window = 0; window < WINDOWS && seen.size() == window; window++) {
      Map<String, Long> byOthers = allocated(others);
      long before = threads.getCurrentThreadAllocatedBytes();
      operations.run();
      long allocated = threads.getCurrentThreadAllocatedBytes() - before;
      Map<String, Long> after = allocated(others);
      if (allocated != 0 || !after.equals(byOthers)) {
        seen.add("poster " + allocated + " B, others before " + byOthers + ", after " + after);
      }
    }
    assertTrue(seen.size() < WINDOWS, "bytes in each of so many windows: " + seen);
  }

  private Map<String, Long> allocated(List<Thread> of) {
    Map<String, Long> bytes = new TreeMap<>();
    of.forEach(t -> bytes.put(t.getName(), threads.getThreadAllocatedBytes(t.threadId())));
    return bytes;
  }

  /** Posts one by one; the callback answers one end, the other is polled. */
  private void run(Side a, Side b, @Nullable Cqe done, CompletionQueue polled) {
    long goal = answered.get();
    for (int i = 0; i < OPERATIONS; i++) {
      b.qp.postReceive(i, b.mr.lkey(), b.mr.iova(), 64);
      a.qp.wrStart();
      a.qp.wrId(i).wrFlags(SendFlags.SIGNALED);
      if (done != null) {
        a.qp.wrCqe(done);
      }
      a.qp.wrSend();
      a.qp.wrSetSge(a.mr.lkey(), a.mr.iova(), 64);
      a.qp.wrComplete();
      goal++;
      while (answered.get() < goal) {
        Thread.onSpinWait();
      }
      while (polled.poll(one, 1) == 0) {
        Thread.onSpinWait();
      }
    }
  }
}
