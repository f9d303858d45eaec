package ib.cm.rdma;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.IbDevice;
import ib.core.verbs.QpType;
import ib.driver.soft.standalone.SoftFabric;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Devices with as many ports as there may be. */
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ManyPortsTest {
  private static final int PORTS = 8; // the most that the driver has

  @Test
  @DisplayName(
      "RG-14, K16: listening at every port of a device, connected by the last one, and removed")
  void all() throws Exception {
    Pool pool = new Pool(QpType.RC);
    try (World world =
        new World(
            SoftFabric.options().devices("soft0").device("soft1", Map.of("ports", PORTS)).open())) {
      IbDevice many = world.fabric.device("soft1");
      assertEquals(PORTS, many.portCount());
      RdmaListener listener =
          world.server.listen(
              new InetSocketAddress(0),
              PortSpace.TCP,
              0,
              request ->
                  request.accept(
                      RdmaOptions.rc(),
                      pool,
                      new RdmaHandler() {
                        @Override
                        public void ended(RdmaConnection c, RdmaEnd how) {
                          c.close();
                        }
                      }));
      for (int port : new int[] {1, 2, PORTS}) {
        InetAddress at = InetAddress.getByAddress(many.gid(port, 0).toBytes());
        InetSocketAddress to = new InetSocketAddress(at, listener.localAddress().getPort());
        RdmaConnection c = world.client.connect(to, RdmaOptions.rc(), pool);
        assertTrue(c.isOpen());
        c.close();
      }
      pool.empty();
      world.fabric.unplug("soft1");
      listener.close();
    }
  }
}
