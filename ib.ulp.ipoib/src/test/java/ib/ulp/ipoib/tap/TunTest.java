package ib.ulp.ipoib.tap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.ulp.ipoib.link.LinkConfig;
import ib.ulp.ipoib.net.NetIf;
import ib.ulp.ipoib.testing.Lab;
import ib.ulp.ipoib.testing.Namespaces;
import ib.ulp.ipoib.wire.Ip;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("issue 5, section 3: the kernel's stack behind a TUN device, beside one behind TAP")
@Timeout(180)
class TunTest {
  private Namespaces namespaces;
  private Lab lab;
  private NetIf below;
  private String left;
  private String right;
  private String devA;
  private String devB;

  @BeforeEach
  void build() {
    Namespaces.require("ip", "ping");
    namespaces = new Namespaces();
    left = namespaces.add();
    right = namespaces.add();
    long pid = ProcessHandle.current().pid();
    devA = "ib0t" + pid;
    devB = "ib1t" + pid;
    lab =
        new Lab(
            2,
            new LinkConfig(0, 512, 2048, 0),
            name ->
                name.equals("ib0")
                    ? TapBackend.tun(name + "t" + pid, 0)
                    : TapBackend.open(name + "t" + pid));
    namespaces.move(devA, left, "10.97.0.1/24", "fd97::1/64");
    namespaces.move(devB, right, "10.97.0.2/24", "fd97::2/64");
    below = ((TunHost) lab.device("ib0").host()).below();
    below.address(Ip.parse("10.97.0.1"), 24);
    below.address(Ip.parse("fd97::1"), 64);
    lab.up("ib0");
    lab.up("ib1");
  }

  @AfterEach
  void tearDown() {
    if (lab != null) {
      lab.close();
      assertFalse(namespaces.in(left, "ip", "-o", "link").contains(devA), "P1: the device is gone");
    }
    if (namespaces != null) {
      namespaces.close();
    }
  }

  private String ping(String from, String... options) {
    String[] command = {"ping", "-n", "-c", "5", "-i", "0.05", "-W", "30"};
    String[] all = java.util.Arrays.copyOf(command, command.length + options.length);
    System.arraycopy(options, 0, all, command.length, options.length);
    String output = namespaces.in(from, all);
    assertTrue(output.contains("5 received"), output);
    return output;
  }

  @Test
  @DisplayName("ping both ways, IPv4 and IPv6, 2016 bytes (I9); ND is answered for it (P4)")
  void pings() {
    String link = namespaces.in(left, "ip", "-o", "link", "show", devA);
    assertTrue(link.contains("LOWER_UP") && link.contains("mtu 2044"), link);
    ping(right, "10.97.0.1");
    ping(left, "-M", "do", "-s", "2016", "10.97.0.2");
    ping(right, "-6", "fd97::1");
    ping(left, "-6", "fd97::2");
  }

  @Test
  @DisplayName("P3: what is not on the link goes to the router of the configuration")
  void router() {
    namespaces.in(right, "ip", "addr", "add", "10.200.1.9/32", "dev", "lo");
    namespaces.in(left, "ip", "route", "add", "default", "dev", devA);
    below.gateway(Ip.parse("10.97.0.2"));
    ping(left, "10.200.1.9");
  }

  @Test
  @DisplayName("P4: groups of the kernel are joined by its reports, and left")
  void groups() {
    String group = "::f09:909";
    namespaces.in(left, "sysctl", "-q", "net.ipv4.icmp_echo_ignore_broadcasts=0");
    namespaces.in(left, "ip", "addr", "add", "239.9.9.9/32", "dev", devA, "autojoin");
    Lab.await(() -> joined(group), "joined");
    ping(right, "-I", devB, "239.9.9.9");
    namespaces.in(left, "ip", "addr", "del", "239.9.9.9/32", "dev", devA);
    Lab.await(() -> !joined(group), "left");
  }

  private boolean joined(String group) {
    return lab.device("ib0").groups().keySet().stream().anyMatch(g -> g.endsWith(group));
  }

  @Test
  @DisplayName("P2: the kernel takes the device away: it is made again")
  void lost() {
    namespaces.in(left, "ip", "link", "del", devA);
    Lab.await(() -> Namespaces.run("ip", "-o", "link").contains(devA + ":"), "it is back");
    namespaces.move(devA, left, "10.97.0.1/24");
    Lab.await(
        () -> namespaces.in(left, "ip", "-o", "link", "show", devA).contains("LOWER_UP"),
        "carrier");
    ping(left, "10.97.0.2");
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
