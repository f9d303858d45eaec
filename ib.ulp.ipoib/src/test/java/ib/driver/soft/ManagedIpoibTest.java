package ib.driver.soft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.client.ClientRegistration;
import ib.core.sa.SaClient;
import ib.core.spi.DeviceRegistration;
import ib.core.spi.StandaloneCore;
import ib.driver.soft.fabric.Fabric;
import ib.ulp.ipoib.Backend;
import ib.ulp.ipoib.Ipoib;
import ib.ulp.ipoib.link.LinkConfig;
import ib.ulp.ipoib.net.NetIf;
import ib.ulp.ipoib.testing.Lab;
import ib.ulp.ipoib.wire.Ip;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName(
    "issue 5: IP over the managed fabric: the driver's devices, the built-in subnet manager")
@Timeout(120)
class ManagedIpoibTest {
  private static final long PATIENCE_NS = 60_000_000_000L;

  @Test
  @DisplayName("joins, paths and pings of both versions, answered by the built-in subnet manager")
  void managed() throws Exception {
    StandaloneCore core = StandaloneCore.create();
    Ipoib ipoib = new Ipoib(LinkConfig.DEFAULT, List.of(), SaClient::open, name -> Backend.inJvm());
    ClientRegistration client = core.core().registerClient(ipoib);
    Fabric fabric = new Fabric();
    List<SoftDevice> devices = new ArrayList<>();
    List<DeviceRegistration> plugs = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      SoftDevice device =
          SoftDevice.plug(
              fabric,
              ConfigReader.read("ib.driver.soft~soft" + i, Map.of("name", "soft" + i)),
              "0");
      devices.add(device);
      plugs.add(core.drivers().register(device));
    }
    for (int i = 0; i < 2; i++) {
      NetIf stack = (NetIf) ipoib.interfaces().get(i).host();
      stack.address(Ip.parse("10.96.0." + (i + 1)), 24);
      stack.address(Ip.parse("fd00::" + (i + 1)), 64);
    }
    for (int i = 0; i < 2; i++) {
      int which = i;
      Lab.await(() -> ipoib.interfaces().get(which).state().carrier(), "carrier of ib" + i);
    }
    NetIf first = (NetIf) ipoib.interfaces().getFirst().host();
    assertTrue(first.ping(Ip.parse("10.96.0.2"), 56, PATIENCE_NS).get() > 0);
    assertTrue(first.ping(Ip.parse("fd00::2"), 1000, PATIENCE_NS).get() > 0);
    plugs.reversed().forEach(DeviceRegistration::unregister);
    for (SoftDevice device : devices) {
      assertEquals(List.of(), core.core().lastRemoval(device.name()).orElseThrow().leaks());
      device.unplug();
    }
    client.unregister();
    assertEquals(List.of(), core.core().violations());
    core.close();
  }
}
