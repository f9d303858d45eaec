package ib.core.internal.callback;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import ib.core.internal.device.BoundDevice;
import ib.core.testing.CoreRig;
import ib.core.testing.FakeCq;
import ib.core.testing.FakeDevice;
import ib.core.testing.Wait;
import ib.core.verbs.CqInit;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The threads of a device. */
@DisplayName("D4, E2: completion vectors")
class VectorTest {
  private static List<Thread> threadsOf(String device) {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(t -> t.getName().startsWith("ib-" + device + "-"))
        .toList();
  }

  private static CoreRig rig(String device) {
    return new CoreRig(new FakeDevice(device), new Contract(false));
  }

  @Test
  @DisplayName(
      "D2: threads start with their first user, sleep when idle, have the class loader of the core, and end")
  void lifeOfTheThreads() {
    CoreRig rig = rig("vec0");
    BoundDevice device = rig.bind("ulp");
    device.allocPd();
    assertEquals(List.of(), threadsOf("vec0"));
    ClassLoader mine = new ClassLoader(VectorTest.class.getClassLoader()) {};
    Thread.currentThread().setContextClassLoader(mine);
    try {
      device.createCq(new CqInit(1, 1, (q, c) -> {}, null, null, null));
    } finally {
      Thread.currentThread().setContextClassLoader(VectorTest.class.getClassLoader());
    }
    List<String> names = threadsOf("vec0").stream().map(Thread::getName).sorted().toList();
    assertEquals(List.of("ib-vec0-comp-1"), names, "that of events starts with the first event");
    for (Thread t : threadsOf("vec0")) {
      assertTrue(t.isDaemon());
      assertSame(CompletionVector.class.getClassLoader(), t.getContextClassLoader());
      Wait.until(() -> t.getState() == Thread.State.WAITING); // parked without a timeout: 0 % CPU
    }
    device.sweepAndPoison();
    rig.close();
    assertEquals(List.of(), threadsOf("vec0"));
  }

  @Test
  @DisplayName("S12, D3: a hand-over allocates nothing")
  void handOverAllocatesNothing() {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    try (CoreRig rig = rig("vec1")) {
      BoundDevice device = rig.bind("ulp");
      FakeCq cq = (FakeCq) device.createCq(new CqInit(1, (q, c) -> {}, null));
      long least = Long.MAX_VALUE; // the first rounds also pay for loading and compiling
      for (int round = 0; round < 5; round++) {
        long before = threads.getCurrentThreadAllocatedBytes();
        wake(cq, 100_000);
        least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
      }
      assertEquals(0, least);
      device.sweepAndPoison();
    }
  }

  private static void wake(FakeCq cq, int times) {
    for (int i = 0; i < times; i++) {
      cq.wake();
    }
  }

  /**
   * What a producer writes before a wake-up: plain fields, so that only the wake-up can publish
   * them.
   */
  private static final class Written {
    long count;
  }

  @Test
  @DisplayName("S24, E2: a run sees all that was written before the wake-ups that it answers")
  void s24StressSeesEverything() {
    int producers = 3;
    int wakes = 200_000;
    try (CoreRig rig = rig("vec2")) {
      BoundDevice device = rig.bind("ulp");
      Written[] written = new Written[producers];
      for (int p = 0; p < producers; p++) {
        written[p] = new Written();
      }
      AtomicLong seen = new AtomicLong();
      AtomicLong concurrent = new AtomicLong();
      AtomicLong overlaps = new AtomicLong();
      CqInit init =
          new CqInit(
              1,
              (q, c) -> {
                overlaps.addAndGet(concurrent.getAndIncrement());
                long sum = 0;
                for (Written w : written) {
                  sum += w.count;
                }
                seen.set(sum);
                concurrent.decrementAndGet();
              },
              null);
      FakeCq cq = (FakeCq) device.createCq(init);
      List<Future<?>> threads = new ArrayList<>();
      for (Written w : written) {
        threads.add(
            Wait.start(
                () -> {
                  for (int i = 0; i < wakes; i++) {
                    w.count++;
                    cq.wake();
                  }
                }));
      }
      threads.forEach(Wait::end);
      Wait.until(() -> seen.get() == (long) producers * wakes);
      assertEquals(0, overlaps.get());
      assertFalse(Contract.inAtomic());
      device.sweepAndPoison();
    }
  }
}
