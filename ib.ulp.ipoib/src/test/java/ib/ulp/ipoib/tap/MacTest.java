package ib.ulp.ipoib.tap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.cm.CmClient;
import ib.core.client.ClientRegistration;
import ib.core.spi.StandaloneCore;
import ib.core.verbs.Gid;
import ib.driver.soft.standalone.SoftFabric;
import ib.ulp.ipoib.Ipoib;
import ib.ulp.ipoib.link.LinkConfig;
import ib.ulp.ipoib.testing.FakeSubnet;
import ib.ulp.ipoib.testing.Lab;
import ib.ulp.ipoib.testing.Namespaces;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("B2: the Ethernet addresses that the kernel sees (needs root)")
@Timeout(600)
class MacTest extends TwoKernels {
  private static final long GUID = 0x02c9030000777700L;

  /** Prints where the first unicast frames of IPv4 and of IPv6 that carry ICMP come from. */
  private static final String SOURCES =
      """
      import socket, sys
      s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
      s.bind((sys.argv[1], 0))
      s.settimeout(60)
      print('ready', flush=True)
      seen = {}
      while len(seen) < 2:
        f, a = s.recvfrom(65536)
        six = f[12:14] == bytes([0x86, 0xdd]) and f[20] == 58 and f[54] == 129
        four = f[12:14] == bytes([8, 0]) and f[23] == 1 and f[34] == 0
        if a[2] == 0 and (six or four):
          seen[six] = ':'.join('%02x' % b for b in f[6:12])
      print(*set(seen.values()))
      """;

  MacTest() {
    super(name -> TapBackend.open(name));
  }

  @Test
  @DisplayName("received packets have the source address of ARP and neighbour discovery")
  void source() {
    Process sniffer = namespaces.startIn(left, "python3", "-c", SOURCES, devA);
    Lab.await(() -> namespaces.in(left, "cat", "/proc/net/packet").lines().count() > 1, "it hears");
    ping(left, "-c", "3", "10.97.0.2");
    ping(left, "-6", "-c", "3", "fd97::2");
    String mac = MacTable.text(MacTable.mac(lab.device("ib1").state().address()));
    String heard = Namespaces.output(sniffer);
    assertEquals(mac, heard.lines().toList().getLast(), heard);
    for (String address : List.of("10.97.0.2", "fd97::2")) {
      String neighbour = namespaces.in(left, "ip", "neigh", "show", address);
      assertTrue(neighbour.contains("lladdr " + mac), neighbour);
    }
  }

  @Test
  @DisplayName(
      "the device's address is the same after each plug; two interfaces have different " + "ones")
  void stable() {
    String prefix = "m" + ProcessHandle.current().pid();
    Set<String> one = new TreeSet<>();
    Set<String> all = new TreeSet<>();
    for (int i = 0; i < 3; i++) {
      StandaloneCore core = StandaloneCore.create();
      CmClient cm = CmClient.create();
      core.core().registerClient(cm);
      try (FakeSubnet subnet = new FakeSubnet()) {
        Ipoib ipoib =
            new Ipoib(
                cm,
                LinkConfig.DEFAULT,
                List.of(0x8001),
                subnet::open,
                name -> TapBackend.open(prefix + name));
        ClientRegistration client = core.core().registerClient(ipoib, CmClient.NAME);
        Map<String, String> guid = Map.of("guid", "%016x".formatted(GUID));
        try (SoftFabric fabric = SoftFabric.options().on(core).device("soft0", guid).open()) {
          Lab.await(() -> ipoib.interfaces().getFirst().state().carrier(), fabric + ": carrier");
          one.add(mac(prefix + "ib0"));
          all.add(mac(prefix + "ib0"));
          all.add(mac(prefix + "ib0.8001"));
        }
        client.unregister();
      }
      core.close();
    }
    assertEquals(1, one.size(), one.toString());
    assertEquals(2, all.size(), all.toString());
    long other = MacTable.own(Gid.linkLocal(GUID + 1), prefix + "ib0");
    assertNotEquals(MacTable.own(Gid.linkLocal(GUID), prefix + "ib0"), other, "of another port");
  }

  private static String mac(String device) {
    String link = Namespaces.run("ip", "-o", "link", "show", device);
    return link.replaceFirst("(?s).*link/ether (\\S+) .*", "$1");
  }
}
