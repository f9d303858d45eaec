package ib.cm.rdma;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.cm.CmClient;
import ib.cm.CmPath;
import ib.cm.CmTerms;
import ib.core.client.ClientRegistration;
import ib.core.client.IbClient;
import ib.core.client.IbCore;
import ib.core.spi.StandaloneFabric;
import ib.core.verbs.Gid;
import ib.core.verbs.IbDevice;
import ib.core.verbs.QpState;
import ib.driver.rxe.standalone.RxeHost;
import ib.driver.soft.standalone.SoftFabric;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ByAddressTest {
  private static final String ONE = "127.0.41.1";
  private static final String TWO = "127.0.41.2";
  private final BlockingQueue<RdmaRequest> requests = new LinkedBlockingQueue<>();

  private static InetAddress address(String text) throws UnknownHostException {
    return InetAddress.getByName(text);
  }

  /** Connects from one address to another, exchanges a message each way, disconnects. */
  private void whole(
      StandaloneFabric fabric, InetAddress one, InetAddress two, Map<InetAddress, Gid> book)
      throws InterruptedException {
    IbCore core = fabric.core();
    CmClient cm = CmClient.create();
    ClientRegistration registered = core.registerClient(cm);
    try (RdmaCm server = RdmaCm.open(core, cm, "server", book);
        RdmaCm client = RdmaCm.open(core, cm, "client", book);
        RdmaListener listener =
            server.listen(new InetSocketAddress(0), PortSpace.TCP, 4, requests::add)) {
      Party mine = new Party();
      Party theirs = new Party();
      int port = listener.localAddress().getPort();
      RdmaOptions options = RdmaOptions.rc().from(new InetSocketAddress(one, 0));
      RdmaConnection a =
          client.start(new InetSocketAddress(two, port), options.data(new byte[] {7}), mine, mine);
      RdmaRequest asked = requests.poll(1, TimeUnit.MINUTES);
      assertNotNull(asked, "no request");
      assertEquals(new InetSocketAddress(two, port), asked.localAddress());
      assertEquals(one, asked.remoteAddress().getAddress());
      assertArrayEquals(Arrays.copyOf(new byte[] {7}, 56), asked.data());
      RdmaConnection p = asked.accept(RdmaOptions.rc().data(new byte[] {8}), theirs, theirs);
      assertEquals("ESTABLISHED", mine.hear());
      assertEquals("ESTABLISHED", theirs.hear());
      assertEquals(a.localAddress(), p.remoteAddress());
      assertArrayEquals(Arrays.copyOf(new byte[] {8}, 196), a.data());
      mine.send(100);
      assertEquals(100, theirs.receive());
      theirs.send(200);
      assertEquals(200, mine.receive());
      assertTrue(a.isOpen());
      a.disconnect();
      assertEquals("RDMA_CM_EVENT_DISCONNECTED, error 0", mine.hear());
      assertEquals("RDMA_CM_EVENT_DISCONNECTED, error 0", theirs.hear());
      assertEquals(QpState.ERR, mine.qp().state());
      assertEquals(QpState.ERR, theirs.qp().state());
      assertFalse(a.isOpen());
      a.close();
      p.close();
    }
    registered.unregister();
    assertEquals(List.of(), core.violations());
  }

  @Test
  @DisplayName(
      "RD-3: two RoCE devices connect by their addresses, data goes both ways, one end each")
  void overEthernet() throws Exception {
    try (RxeHost host = RxeHost.open(ONE, TWO)) {
      whole(host, address(ONE), address(TWO), Map.of());
    }
  }

  /** {@return the packet life of a way, for each time for an ACK} */
  private static List<Integer> packetLives(
      StandaloneFabric fabric, InetAddress from, InetAddress to, int... ackTimeouts) {
    CmClient cm = CmClient.create();
    ClientRegistration registered = fabric.core().registerClient(cm);
    List<Site> sites = new ArrayList<>();
    ClientRegistration mine =
        fabric
            .core()
            .registerClient(
                new IbClient() {
                  @Override
                  public String name() {
                    return "test";
                  }

                  @Override
                  public Object add(IbDevice device) {
                    return sites.addAll(Site.openAll(device, cm, name()));
                  }

                  @Override
                  public void remove(IbDevice device, Object clientData) {
                    List<Site> its = sites.stream().filter(x -> x.device().equals(device)).toList();
                    its.forEach(Site::close);
                  }
                });
    Routes routes = new Routes(new AddressBook(Map.of()), sites);
    List<Integer> all = new ArrayList<>();
    for (int timeout : ackTimeouts) {
      RdmaOptions options =
          RdmaOptions.rc()
              .from(new InetSocketAddress(from, 0))
              .terms(new CmTerms(7, timeout, 14, 15, 0));
      all.add(routes.find(new InetSocketAddress(to, 1), options, 2).path().packetLife());
    }
    mine.unregister();
    registered.unregister();
    return all;
  }

  @Test
  @DisplayName(
      "CM-36, F6: on RoCE the packet life, and so the time to a second REQ, follows the ACK's")
  void packetLife() throws Exception {
    try (RxeHost host = RxeHost.open(ONE, TWO)) {
      assertEquals(
          List.of(0, 13, 30, CmPath.ROCE_PACKET_LIFE),
          packetLives(host, address(ONE), address(TWO), 1, 14, 31, 0));
    }
  }

  @Test
  @DisplayName(
      "CM-36, CM-57, F6: on a fabric the path record's packet life, or the ACK's when it is shorter")
  void packetLifeOfFabric() throws Exception {
    try (SoftFabric fabric = SoftFabric.open("soft0", "soft1")) {
      InetAddress one = address(fabric.device("soft0").gid(1, 0).toString());
      InetAddress two = address(fabric.device("soft1").gid(1, 0).toString());
      int recorded = 18; // as OpenSM's
      assertEquals(List.of(0, 13, recorded, recorded), packetLives(fabric, one, two, 1, 14, 31, 0));
    }
  }

  @Test
  @DisplayName("RD-4: two devices of a fabric connect by GIDs, and the SA knows the path")
  void overFabric() throws Exception {
    try (SoftFabric fabric = SoftFabric.open("soft0", "soft1")) {
      InetAddress one = address(fabric.device("soft0").gid(1, 0).toString());
      InetAddress two = address(fabric.device("soft1").gid(1, 0).toString());
      whole(fabric, one, two, Map.of());
    }
  }

  @Test
  @DisplayName("RD-3: a configured table gives the ports of a fabric IPv4 addresses")
  void byTable() throws Exception {
    try (SoftFabric fabric = SoftFabric.open("soft0", "soft1")) {
      Map<InetAddress, Gid> book =
          Map.of(
              address("192.0.2.1"), fabric.device("soft0").gid(1, 0),
              address("192.0.2.2"), fabric.device("soft1").gid(1, 0));
      whole(fabric, address("192.0.2.1"), address("192.0.2.2"), book);
    }
  }

  @Test
  @DisplayName("RG-11: hosts with two devices of two addresses each connect by each pair of them")
  void severalAddresses() throws Exception {
    List<String> mine = List.of("127.0.41.3", "127.0.41.4", "127.0.41.5", "127.0.41.6");
    List<String> theirs = List.of("127.0.41.7", "127.0.41.8", "127.0.41.9", "127.0.41.10");
    RxeHost.Options options =
        RxeHost.options()
            .device("mine0", String.join(",", mine.subList(0, 2)))
            .device("mine1", String.join(",", mine.subList(2, 4)))
            .device("theirs0", String.join(",", theirs.subList(0, 2)))
            .device("theirs1", String.join(",", theirs.subList(2, 4)));
    try (RxeHost host = options.open()) {
      for (String one : mine) {
        for (String two : theirs) {
          whole(host, address(one), address(two), Map.of());
        }
      }
    }
  }

  @Test
  @DisplayName("RG-11: IPv6 addresses with a scope, at both ends")
  void scoped() throws Exception {
    try (SoftFabric fabric = SoftFabric.open("soft0", "soft1")) {
      byte[] one = fabric.device("soft0").gid(1, 0).toBytes();
      byte[] two = fabric.device("soft1").gid(1, 0).toBytes();
      whole(
          fabric,
          Inet6Address.getByAddress(null, one, 7),
          Inet6Address.getByAddress(null, two, 7),
          Map.of());
    }
  }
}
