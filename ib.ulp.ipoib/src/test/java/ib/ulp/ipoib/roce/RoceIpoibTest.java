package ib.ulp.ipoib.roce;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.cm.CmClient;
import ib.core.client.ClientRegistration;
import ib.core.sa.SaClient;
import ib.core.spi.StandaloneCore;
import ib.driver.rxe.standalone.RxeHost;
import ib.ulp.ipoib.Ipoib;
import ib.ulp.ipoib.link.LinkConfig;
import ib.ulp.ipoib.net.Backend;
import ib.ulp.ipoib.net.NetIf;
import ib.ulp.ipoib.testing.Lab;
import ib.ulp.ipoib.wire.Ip;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("issue 5, section 6 of the reference: IP over RoCE, two devices on loopback addresses")
@Timeout(600)
class RoceIpoibTest {
  private static final long PATIENCE_NS = 600_000_000_000L;

  private final StandaloneCore core = StandaloneCore.create();
  private RxeHost host;
  private ClientRegistration client;
  private Ipoib ipoib;

  private void plug(LinkConfig config) {
    CmClient cm = CmClient.create();
    core.core().registerClient(cm);
    ipoib = new Ipoib(cm, config, List.of(), SaClient::open, name -> Backend.inJvm());
    client = core.core().registerClient(ipoib, CmClient.NAME);
    host =
        RxeHost.options()
            .on(core)
            .device("rxe0", Map.of("address", "127.0.27.1"))
            .device("rxe1", Map.of("address", "127.0.27.2"))
            .open();
  }

  private NetIf stack(int i) {
    NetIf stack = (NetIf) ipoib.interfaces().get(i).host();
    stack.address(Ip.parse("10.98.0." + (i + 1)), 24);
    stack.address(Ip.parse("fd98::" + (i + 1)), 64);
    Lab.await(
        () -> ipoib.interfaces().get(i).state().carrier(),
        ipoib.interfaces().get(i).state().reason());
    return stack;
  }

  @AfterEach
  void close() {
    host.close();
    for (String device : List.of("rxe0", "rxe1")) {
      assertEquals(List.of(), core.core().lastRemoval(device).orElseThrow().leaks());
    }
    client.unregister();
    assertEquals(List.of(), core.core().violations(), "the contract");
    core.close();
  }

  @Test
  @DisplayName("off by default: a port of RoCE has no interface")
  void off() {
    plug(LinkConfig.DEFAULT);
    assertEquals(List.of(), ipoib.interfaces());
  }

  @ParameterizedTest(name = "connected mode: {0}")
  @CsvSource({"false, 2000", "true, 60000"})
  @DisplayName("ping both ways, IPv4 and IPv6; the address has the GID of IPv4")
  void ping(boolean connected, int bytes) throws Exception {
    plug(LinkConfig.DEFAULT.withRoce(true).withConnected(connected));
    NetIf a = stack(0);
    NetIf b = stack(1);
    assertEquals(
        "::ffff:127.0.27.1", ipoib.interfaces().getFirst().state().address().gid().toString());
    assertTrue(a.ping(Ip.parse("10.98.0.2"), 56, PATIENCE_NS).get() > 0);
    assertTrue(b.ping(Ip.parse("10.98.0.1"), bytes, PATIENCE_NS).get() > 0);
    assertTrue(a.ping(Ip.parse("10.98.0.2"), bytes, PATIENCE_NS).get() > 0);
    assertTrue(a.ping(Ip.parse("fd98::2"), bytes, PATIENCE_NS).get() > 0);
    assertEquals(connected, ipoib.interfaces().getFirst().connections().toString().contains("EST"));
  }

  @Test
  @DisplayName(
      "IP groups share the group of the partition, and are distinguished by their " + "addresses")
  void groups() throws Exception {
    plug(LinkConfig.DEFAULT.withRoce(true));
    NetIf a = stack(0);
    NetIf b = stack(1);
    BlockingQueue<String> heard = new LinkedBlockingQueue<>();
    b.bind(7, (from, port, to, data) -> heard.add(to + new String(data, StandardCharsets.UTF_8)));
    b.join(Ip.parse("239.1.2.3"));
    assertTrue(a.ping(Ip.parse("10.98.0.2"), 56, PATIENCE_NS).get() > 0);
    a.send(9, Ip.parse("239.1.2.4"), 7, new byte[] {'x'}).get();
    a.send(9, Ip.parse("239.1.2.3"), 7, new byte[] {'y'}).get();
    a.send(9, Ip.parse("10.98.0.255"), 7, new byte[] {'z'}).get();
    assertEquals("239.1.2.3y", heard.poll(10, TimeUnit.MINUTES));
    assertEquals("10.98.0.255z", heard.poll(10, TimeUnit.MINUTES));
  }
}
