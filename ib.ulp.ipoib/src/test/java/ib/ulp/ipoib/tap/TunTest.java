package ib.ulp.ipoib.tap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.ulp.ipoib.net.NetIf;
import ib.ulp.ipoib.testing.Lab;
import ib.ulp.ipoib.testing.Namespaces;
import ib.ulp.ipoib.wire.Ip;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("issue 5, section 3: the kernel's stack behind a TUN device, beside one behind TAP")
@Timeout(600)
class TunTest extends TwoKernels {
  private NetIf below;

  TunTest() {
    super(name -> TapBackend.tun(name, 0, 1));
  }

  @BeforeEach
  void addresses() {
    below = ((TunHost) lab.device("ib0").host()).below();
    below.address(Ip.parse("10.97.0.1"), 24);
    below.address(Ip.parse("fd97::1"), 64);
  }

  @Test
  @DisplayName("ping both ways, IPv4 and IPv6, 2016 bytes (I9); ND is answered for it (P4)")
  void pings() {
    String link = namespaces.in(left, "ip", "-o", "link", "show", devA);
    assertTrue(link.contains("LOWER_UP") && link.contains("mtu 2044"), link);
    ping(right, "-c", "5", "10.97.0.1");
    ping(left, "-c", "5", "-M", "do", "-s", "2016", "10.97.0.2");
    ping(right, "-c", "5", "-6", "fd97::1");
    ping(left, "-c", "5", "-6", "fd97::2");
  }

  @Test
  @DisplayName("P3: packets to other nets go to the configured gateway")
  void router() {
    namespaces.in(right, "ip", "addr", "add", "10.200.1.9/32", "dev", "lo");
    namespaces.in(left, "ip", "route", "add", "default", "dev", devA);
    below.gateway(Ip.parse("10.97.0.2"));
    ping(left, "-c", "5", "10.200.1.9");
  }

  @Test
  @DisplayName(
      "P3: a host behind a gateway of the kernel's routes is reached by the gateway's address")
  void nextHop() {
    namespaces.in(right, "ip", "addr", "add", "10.200.1.9/32", "dev", "lo");
    namespaces.in(right, "ip", "addr", "add", "fd99::9/128", "dev", "lo");
    namespaces.in(right, "ip", "addr", "add", "10.97.0.3/24", "dev", devB);
    namespaces.in(left, "ip", "route", "add", "10.200.1.0/24", "via", "10.97.0.2", "dev", devA);
    namespaces.in(left, "ip", "route", "add", "fd99::/64", "via", "fd97::2", "dev", devA);
    ping(left, "-c", "5", "10.200.1.9");
    ping(left, "-c", "5", "-6", "fd99::9");
    Map<String, String> asked = lab.device("ib0").neighbours();
    assertTrue(asked.containsKey("10.97.0.2") && asked.containsKey("fd97::2"), asked.toString());
    assertFalse(asked.containsKey("10.200.1.9") || asked.containsKey("fd99::9"), asked.toString());
    assertFalse(asked.containsKey("10.97.0.3"), asked.toString());
    namespaces.in(left, "ip", "route", "replace", "10.200.1.0/24", "via", "10.97.0.3");
    ping(left, "-c", "5", "10.200.1.9");
    Map<String, String> anew = lab.device("ib0").neighbours();
    assertTrue(anew.containsKey("10.97.0.3"), "what was known of the route is forgotten: " + anew);
  }

  @Test
  @DisplayName("P4: groups of the kernel are joined by its reports, and left")
  void groups() {
    String group = "::f09:909";
    namespaces.in(left, "sysctl", "-q", "net.ipv4.icmp_echo_ignore_broadcasts=0");
    namespaces.in(left, "ip", "addr", "add", "239.9.9.9/32", "dev", devA, "autojoin");
    Lab.await(() -> joined(group), "joined");
    ping(right, "-c", "5", "-I", devB, "239.9.9.9");
    namespaces.in(left, "ip", "addr", "del", "239.9.9.9/32", "dev", devA);
    Lab.await(() -> !joined(group), "left");
  }

  private boolean joined(String group) {
    return lab.device("ib0").groups().keySet().stream().anyMatch(g -> g.endsWith(group));
  }

  @Test
  @DisplayName("P2: a device that the kernel removes is created again")
  void lost() {
    namespaces.in(left, "ip", "link", "del", devA);
    Lab.await(() -> Namespaces.run("ip", "-o", "link").contains(devA + ":"), "it is back");
    namespaces.move(devA, left, "10.97.0.1/24");
    Lab.await(
        () -> namespaces.in(left, "ip", "-o", "link", "show", devA).contains("LOWER_UP"),
        "carrier");
    ping(left, "-c", "5", "10.97.0.2");
  }

  @Test
  @DisplayName("D9: iperf3 both ways: long segments are cut and put together again")
  void iperf() {
    Namespaces.require("iperf3", "ss");
    for (boolean reverse : new boolean[] {false, true}) {
      Process server = namespaces.startIn(right, "iperf3", "-s", "-1");
      Lab.await(() -> namespaces.in(right, "ss", "-ltn").contains(":5201"), "the server listens");
      String client =
          namespaces.in(
              left, "iperf3", "-c", "10.97.0.2", "-n", "50M", reverse ? "-R" : "--forceflush");
      assertTrue(client.contains("receiver"), client);
      assertEquals(0, Namespaces.output(server).isEmpty() ? 1 : 0);
    }
    Map<String, Long> counts = lab.device("ib0").statistics();
    assertTrue(counts.get("gso_segments") > 10 * counts.get("gso_frames"), counts.toString());
    assertTrue(counts.get("gro_segments") > 2 * counts.get("gro_frames"), counts.toString());
  }
}
