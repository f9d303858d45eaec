package ib.cm.internal.port;

import static org.junit.jupiter.api.Assertions.assertEquals;

import ib.cm.CmClient;
import ib.cm.CmConnection;
import ib.cm.CmEndpoint;
import ib.cm.CmEvent;
import ib.cm.CmPath;
import ib.cm.CmPort;
import ib.cm.CmTerms;
import ib.core.client.ClientRegistration;
import ib.core.client.IbClient;
import ib.core.spi.DeviceRegistration;
import ib.core.spi.StandaloneCore;
import ib.core.testing.FakeDevice;
import ib.core.verbs.Gid;
import ib.core.verbs.IbDevice;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("RG-8: a driver loses the send completion of each management datagram")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LostCompletionTest {
  private static final int CONNECTIONS = 100; // more than a port has places for sends

  /** Keeps its handle of the device. */
  private static IbClient keeper(AtomicReference<@Nullable IbDevice> handle) {
    return new IbClient() {
      @Override
      public String name() {
        return "keeper";
      }

      @Override
      public @Nullable Object add(IbDevice device) {
        handle.set(device);
        return null;
      }

      @Override
      public void remove(IbDevice device, @Nullable Object clientData) {
        handle.set(null);
      }
    };
  }

  @Test
  @DisplayName("connections, their port and the device end all the same, each once")
  void ends() throws InterruptedException {
    FakeDevice device = new FakeDevice("fake0");
    device.completeOnPost = false;
    CmClient cm = CmClient.create();
    AtomicReference<@Nullable IbDevice> handle = new AtomicReference<>();
    AtomicInteger ends = new AtomicInteger();
    CountDownLatch closed = new CountDownLatch(CONNECTIONS / 2);
    try (StandaloneCore core = StandaloneCore.create()) {
      ClientRegistration manager = core.core().registerClient(cm);
      ClientRegistration keeper = core.core().registerClient(keeper(handle), CmClient.NAME);
      DeviceRegistration plugged = core.drivers().register(device);
      IbDevice own = handle.get();
      CmPath path = CmPath.inSubnet(own, 1, 7, Gid.linkLocal(7));
      CmPort port = cm.open("fake0", 1);
      List<CmConnection> made = new ArrayList<>();
      for (int i = 0; i < CONNECTIONS; i++) {
        made.add(
            port.connect(
                42,
                path,
                CmEndpoint.of(100 + i, i),
                CmTerms.DEFAULT,
                new byte[0],
                (c, event) -> {
                  if (event instanceof CmEvent.Ended) {
                    ends.incrementAndGet();
                    closed.countDown();
                  }
                }));
      }
      made.subList(0, CONNECTIONS / 2).forEach(CmConnection::end);
      closed.await(1, TimeUnit.MINUTES);
      plugged.unregister();
      assertEquals(CONNECTIONS, ends.get(), "each connection ends once");
      port.close();
      keeper.unregister();
      manager.unregister();
      assertEquals(List.of(), core.core().violations());
    }
    assertEquals(0, device.live(), "objects that are left");
    assertEquals(0, device.touchedDead(), "uses of what is destroyed");
  }
}
