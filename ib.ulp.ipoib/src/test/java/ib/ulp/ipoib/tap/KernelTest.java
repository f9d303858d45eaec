package ib.ulp.ipoib.tap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.ulp.ipoib.link.LinkConfig;
import ib.ulp.ipoib.testing.Descriptors;
import ib.ulp.ipoib.testing.Lab;
import ib.ulp.ipoib.testing.Namespaces;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("issue 5, section 3: what users of Linux's stack do with several interfaces on TAP")
@Timeout(600)
class KernelTest {
  private static final int REMOVALS = 20;
  private final String suffix = "k" + ProcessHandle.current().pid();
  private Namespaces namespaces;
  private Lab lab;

  @BeforeEach
  void build() {
    Namespaces.require("ip", "ping");
    namespaces = new Namespaces();
    lab = new Lab(2, new LinkConfig(0, 128, 256, 0), name -> TapBackend.open(name + suffix));
  }

  @AfterEach
  void tearDown() {
    if (lab != null) {
      lab.close();
    }
    if (namespaces != null) {
      namespaces.close();
    }
  }

  /** A namespace with one interface in it. */
  private String pod(String device, String... addresses) {
    String namespace = namespaces.add();
    namespaces.move(device + suffix, namespace, addresses);
    lab.up(device);
    return namespace;
  }

  private void reaches(String from, String to) {
    String output = namespaces.in(from, "ping", "-n", "-c", "1", "-w", "60", to);
    assertFalse(output.contains(" 0 received"), output); // two where the first had to wait
  }

  @Test
  @DisplayName(
      "I11, section 7: children on TAP, each in a namespace of its own: one partition is one link,"
          + " and nothing leaks into another")
  void partitions() {
    lab.nodes.forEach(node -> node.port().pkeys(0xffff, 0x8001, 0x8002));
    lab.ipoib.createChild("ib0", 0x8001, "one");
    lab.ipoib.createChild("ib0", 0x8001, "two");
    lab.ipoib.createChild("ib1", 0x8001, "far");
    lab.ipoib.createChild("ib1", 0x8002, "not");
    String one = pod("one", "10.98.0.1/24", "fd98::1/64");
    String two = pod("two", "10.98.0.2/24", "fd98::2/64");
    String far = pod("far", "10.98.0.3/24", "fd98::3/64");
    String not = pod("not", "10.98.0.4/24", "fd98::4/64");
    for (String to : List.of("10.98.0.2", "10.98.0.3", "fd98::2", "fd98::3")) {
      reaches(one, to);
    }
    reaches(far, "10.98.0.1");
    reaches(two, "10.98.0.3");
    long heard = lab.device("not").statistics().get("rx_packets");
    for (String from : List.of(one, two, far)) {
      String[] ping = {"ping", "-n", "-c", "2", "-i", "0.1", "-W", "1", "10.98.0.4"};
      String output = Namespaces.output(namespaces.startIn(from, ping));
      assertTrue(output.contains(" 0 received"), output);
    }
    String[] back = {"ping", "-n", "-c", "2", "-i", "0.1", "-W", "1", "10.98.0.1"};
    String output = Namespaces.output(namespaces.startIn(not, back));
    assertTrue(output.contains(" 0 received"), output);
    assertEquals(heard, lab.device("not").statistics().get("rx_packets"), "not even a question");
  }

  @Test
  @DisplayName("I10: what the kernel has learned of a path is seen by ip route get: mtu 2044")
  void pathMtu() {
    String left = pod("ib0", "10.97.0.1/24", "fd97::1/64");
    pod("ib1", "10.97.0.2/24", "fd97::2/64");
    reaches(left, "10.97.0.2");
    reaches(left, "fd97::2");
    namespaces.in(left, "ip", "link", "set", "ib0" + suffix, "mtu", "4000");
    for (String to : List.of("10.97.0.2", "fd97::2")) {
      String before = namespaces.in(left, "ip", "route", "get", to);
      assertFalse(before.contains("mtu"), before);
      String[] ping = {"ping", "-n", "-c", "2", "-i", "0.1", "-W", "1", "-M", "do"};
      String[] all = java.util.Arrays.copyOf(ping, ping.length + 3);
      System.arraycopy(new String[] {"-s", "3000", to}, 0, all, ping.length, 3);
      Namespaces.output(namespaces.startIn(left, all));
      String route = namespaces.in(left, "ip", "route", "get", to);
      assertTrue(route.contains("mtu 2044"), route);
    }
  }

  @Test
  @DisplayName(
      "section 7, ARP flux: two interfaces of one host on one subnet; with arp_ignore of Linux each"
          + " answers for its own address alone, and IPoIB keeps them apart")
  void flux() {
    lab.plug();
    String host = pod("ib0", "10.97.0.1/24");
    namespaces.in(host, "sysctl", "-q", "net.ipv4.conf.all.arp_ignore=1");
    namespaces.move("ib1" + suffix, host, "10.97.0.2/24");
    String other = pod("ib2", "10.97.0.3/24");
    lab.up("ib1");
    for (int i = 0; i < 2; i++) {
      reaches(other, "10.97.0." + (i + 1));
      String neighbour = namespaces.in(other, "ip", "neigh", "show", "10.97.0." + (i + 1));
      String mac = MacTable.text(MacTable.mac(lab.device("ib" + i).state().address()));
      assertTrue(neighbour.contains("lladdr " + mac), neighbour + " not " + mac);
    }
  }

  @Test
  @DisplayName(
      "1.6: removed while its reader waits for the kernel, at rest and under a flood: thread,"
          + " device and descriptors are gone each time")
  void remove() {
    String left = pod("ib0", "10.97.0.1/24");
    pod("ib1", "10.97.0.2/24");
    List<String> before = List.of();
    for (int i = 0; i < REMOVALS; i++) {
      if (i == 2) {
        before = Descriptors.list(); // whatever is opened once, is
      }
      lab.plug();
      String third = pod("ib2", "10.97.0.9/24");
      Process flood = null;
      if (i % 2 == 1) {
        reaches(third, "10.97.0.1");
        flood = namespaces.startIn(third, "ping", "-n", "-q", "-i", "0.001", "10.97.0.1");
        reaches(left, "10.97.0.9");
        lab.awaitFlood("ib0");
      }
      lab.unplug(2);
      assertTrue(
          Thread.getAllStackTraces().keySet().stream().noneMatch(t -> t.getName().endsWith("ib2")));
      assertFalse(namespaces.in(third, "ip", "-o", "link").contains("ib2" + suffix), "P1");
      if (flood != null) {
        Namespaces.run("kill", "-INT", String.valueOf(flood.pid()));
        Namespaces.output(flood);
      }
    }
    List<String> more = new ArrayList<>(Descriptors.list());
    before.forEach(more::remove);
    assertEquals(List.of(), more);
  }
}
