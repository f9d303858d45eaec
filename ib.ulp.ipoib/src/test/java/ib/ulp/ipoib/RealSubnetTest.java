package ib.ulp.ipoib;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import ib.cm.CmClient;
import ib.core.client.ClientRegistration;
import ib.core.sa.SaClient;
import ib.core.spi.DeviceRegistration;
import ib.core.spi.StandaloneCore;
import ib.driver.soft.SoftNode;
import ib.driver.soft.sm.BuiltinSm;
import ib.ulp.ipoib.link.LinkConfig;
import ib.ulp.ipoib.net.Backend;
import ib.ulp.ipoib.testing.Lab;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Beneath the door: ten adapters of one name come and go on one core, each on a new fabric. */
@DisplayName("with the core's own subnet client, where no subnet manager is")
@Timeout(600)
class RealSubnetTest {
  @Test
  @DisplayName("I3, section 7: no carrier, the reason in words; removed ten times, nothing is left")
  void nobody() {
    StandaloneCore core = StandaloneCore.create();
    CmClient cm = CmClient.create();
    ClientRegistration below = core.core().registerClient(cm);
    Ipoib ipoib =
        new Ipoib(cm, LinkConfig.DEFAULT, List.of(), SaClient::open, name -> Backend.inJvm());
    ClientRegistration client = core.core().registerClient(ipoib, CmClient.NAME);
    for (int i = 0; i < 10; i++) {
      SoftNode node = new SoftNode(BuiltinSm.newFabric(), "soft0", 0x02c9030000100000L);
      DeviceRegistration plug = core.drivers().register(node);
      NetDevice device = ipoib.interfaces().getFirst();
      Lab.await(() -> device.state().reason().startsWith("waiting: joining"), "the reason");
      assertFalse(device.state().carrier());
      plug.unregister();
      assertEquals(List.of(), core.core().lastRemoval("soft0").orElseThrow().leaks());
      node.close();
    }
    client.unregister();
    below.unregister();
    assertEquals(List.of(), core.core().violations());
    assertEquals(List.of(), core.core().resources());
    core.close();
  }
}
