package ib.core.internal.restrack;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.internal.device.BoundDevice;
import ib.core.testing.CoreRig;
import ib.core.testing.Objects7;
import ib.core.testing.Wait;
import ib.core.verbs.AddressHandle;
import ib.core.verbs.ObjectControl.Kind;
import ib.core.verbs.ProtectionDomain;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Address handles are made and destroyed in any context. */
@DisplayName("S2-S5, S11: address handles never wait")
class AddressHandleTest {
  private final CoreRig rig = new CoreRig();
  private final BoundDevice device = rig.bind("ulp");
  private final ProtectionDomain pd = device.allocPd();

  @AfterEach
  void close() {
    assertEquals(List.of("PD 0"), device.held());
    device.sweepAndPoison();
    assertEquals(0, rig.fake().doubleDestroys());
    rig.close();
  }

  private static long blockedAndWaited() {
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    ThreadInfo info = threads.getThreadInfo(Thread.currentThread().threadId());
    return info.getBlockedCount() + info.getWaitedCount();
  }

  private void makeAndDestroy(int times) {
    for (int i = 0; i < times; i++) {
      AddressHandle ah = pd.createAh(Objects7.ADDRESS);
      ah.modify(Objects7.ADDRESS);
      ah.query();
      ah.close();
    }
  }

  /** {@return how often they blocked or waited} */
  private long fourThreads() {
    AtomicLong waits = new AtomicLong();
    List<Future<?>> threads = new ArrayList<>();
    for (int t = 0; t < 4; t++) {
      threads.add(
          Wait.start(
              () -> {
                makeAndDestroy(100);
                long before = blockedAndWaited();
                makeAndDestroy(5_000);
                waits.addAndGet(blockedAndWaited() - before);
              }));
    }
    threads.forEach(Wait::end);
    return waits.get();
  }

  @Test
  @DisplayName("S2-S5: four threads on one domain neither block nor wait")
  void s2NeverBlocks() {
    fourThreads(); // loads what there is to load, also where threads meet
    assertEquals(0, fourThreads());
    assertEquals(0, rig.objects().live(Kind.AH));
  }

  @Test
  @DisplayName("S5: a second close returns at once, also while the first is in the driver")
  void s5SecondCloseDoesNotWait() {
    AddressHandle ah = pd.createAh(Objects7.ADDRESS);
    CountDownLatch inside = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    rig.fake()
        .faults()
        .at(
            "destroyAH",
            () -> {
              inside.countDown();
              Wait.on(go);
            });
    Future<?> first = Wait.start(ah::close);
    Wait.on(inside);
    ah.close();
    assertTrue(!first.isDone());
    go.countDown();
    Wait.end(first);
  }
}
