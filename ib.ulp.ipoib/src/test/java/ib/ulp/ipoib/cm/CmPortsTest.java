package ib.ulp.ipoib.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.client.DeviceLease;
import ib.core.spi.DeviceRegistration;
import ib.core.spi.StandaloneCore;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbInvalidException;
import ib.driver.soft.SoftNode;
import ib.driver.soft.fabric.Fabric;
import ib.driver.soft.sm.BuiltinSm;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("core-layout 1a: agents of ports are opened and closed outside of the table's monitor")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CmPortsTest {
  private static final long PATIENCE_S = 20;

  private final StandaloneCore core = StandaloneCore.create();
  private final Fabric fabric = BuiltinSm.newFabric();
  private final List<SoftNode> nodes = new ArrayList<>();
  private final List<DeviceRegistration> plugs = new ArrayList<>();
  private final List<DeviceLease> leases = new ArrayList<>();
  private final CountDownLatch go = new CountDownLatch(1);
  private final CountDownLatch opening = new CountDownLatch(1);
  private final AtomicInteger opened = new AtomicInteger();

  @BeforeEach
  void plug() {
    for (int i = 0; i < 2; i++) {
      SoftNode node = new SoftNode(fabric, "soft" + i, 0x02c9030000100000L + 0x100L * i);
      nodes.add(node);
      plugs.add(core.drivers().register(node));
      leases.add(core.core().lease("soft" + i, "test"));
    }
  }

  @AfterEach
  void unplug() {
    go.countDown();
    leases.forEach(DeviceLease::close);
    plugs.reversed().forEach(DeviceRegistration::unregister);
    nodes.forEach(SoftNode::close);
    core.close();
  }

  private IbDevice device(int i) {
    return leases.get(i).device();
  }

  /** The agent of the first device takes its time. */
  private CmPorts slow() {
    return new CmPorts(
        (device, port, udQpn) -> {
          if (device.equals(device(0))) {
            opening.countDown();
            await(go);
          }
          opened.incrementAndGet();
          return new CmPort(device, port, udQpn);
        });
  }

  private static void await(CountDownLatch latch) {
    try {
      assertTrue(latch.await(1, TimeUnit.MINUTES));
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static <T> CompletableFuture<T> async(java.util.function.Supplier<T> work) {
    return CompletableFuture.supplyAsync(work, Thread::startVirtualThread);
  }

  @Test
  @DisplayName("a port whose agent is being opened does not make another port wait")
  void others() throws Exception {
    CmPorts ports = slow();
    CompletableFuture<CmService> first = async(() -> ports.open(device(0), 1, 7, new Refusals()));
    await(opening);
    CmService second =
        async(() -> ports.open(device(1), 1, 7, new Refusals())).get(PATIENCE_S, TimeUnit.SECONDS);
    assertFalse(first.isDone());
    go.countDown();
    first.join().close();
    second.close();
  }

  @Test
  @DisplayName("interfaces of one port that open at the same time share one agent")
  void shared() {
    CmPorts ports = slow();
    CompletableFuture<CmService> first = async(() -> ports.open(device(0), 1, 7, new Refusals()));
    await(opening);
    CompletableFuture<CmService> second = async(() -> ports.open(device(0), 1, 8, new Refusals()));
    go.countDown();
    CompletableFuture.allOf(first, second).join();
    first.join().close();
    second.join().close();
    assertEquals(1, opened.get());
    ports.open(device(0), 1, 9, new Refusals()).close(); // the class is free again
    assertEquals(2, opened.get());
  }

  @Test
  @DisplayName(
      "an agent that cannot be opened leaves nothing behind, and the next attempt succeeds")
  void refused() {
    AtomicInteger tries = new AtomicInteger();
    CmPorts ports =
        new CmPorts(
            (device, port, udQpn) -> {
              if (tries.getAndIncrement() == 0) {
                throw new IbInvalidException("test", "no", "yes");
              }
              return new CmPort(device, port, udQpn);
            });
    assertThrows(IbInvalidException.class, () -> ports.open(device(0), 1, 7, new Refusals()));
    ports.open(device(0), 1, 7, new Refusals()).close();
  }
}
