package ib.ulp.ipoib.tap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.ulp.ipoib.testing.Lab;
import ib.ulp.ipoib.testing.Namespaces;
import ib.ulp.ipoib.wire.Ip;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName(
    "issue 5, section 3: two kernels' stacks reach each other over TAP and the soft fabric")
@Timeout(600)
class TapTest extends TwoKernels {
  private static final String FAMILY =
      """
      import socket, sys
      v = socket.AF_INET6 if ':' in sys.argv[1] else socket.AF_INET
      s = socket.socket(v, socket.SOCK_DGRAM)
      rows = [bytes([i]) * 1403 for i in range(19)] + [bytes([19]) * 77]
      """;
  private static final String SEND =
      FAMILY
          + """
          s.setsockopt(17, 103, 1403)  # SOL_UDP, UDP_SEGMENT
          assert s.sendto(b''.join(rows), (sys.argv[1], 7007)) == 19 * 1403 + 77
          """;
  private static final String RECEIVE =
      FAMILY
          + """
          s.settimeout(30)
          s.bind((sys.argv[1], 7007))
          got = [s.recv(65536) for r in rows]
          print(len(got) if got == rows else got, 'datagrams')
          """;

  private static final String STREAM =
      """
      import random, socket, sys
      v = socket.AF_INET6 if ':' in sys.argv[1] else socket.AF_INET
      s = socket.socket(v, socket.SOCK_STREAM)
      s.settimeout(60)
      data = random.Random(7).randbytes(6000000)
      """;
  private static final String GIVE =
      STREAM
          + """
          s.connect((sys.argv[1], 7008))
          s.sendall(data)
          s.close()
          """;
  private static final String TAKE =
      STREAM
          + """
          s.bind((sys.argv[1], 7008))
          s.listen(1)
          c, peer = s.accept()
          c.settimeout(60)
          got = b''.join(iter(lambda: c.recv(1 << 20), b''))
          print(len(got), got == data)
          """;

  TapTest() {
    super(name -> TapBackend.open(name));
  }

  @BeforeEach
  void known() {
    // D1: three packets wait for a path that is not known yet, more are dropped
    ping(left, "-c", "1", "10.97.0.2");
  }

  @Test
  @DisplayName("ping: small, 2016 bytes not to be fragmented (I9), IPv6; carrier, MTU, no loss")
  void ping() {
    String link = namespaces.in(left, "ip", "-o", "link", "show", devA);
    assertTrue(link.contains("LOWER_UP") && link.contains("mtu 2044"), link);
    Map<String, Long> before = drops();
    ping(left, "-c", "20", "10.97.0.2");
    ping(left, "-c", "3", "-M", "do", "-s", "2016", "10.97.0.2");
    ping(left, "-6", "-c", "5", "fd97::2");
    assertEquals(before, drops(), "nothing is lost here");
    String neighbours = namespaces.in(left, "ip", "neigh", "show", "10.97.0.2");
    String mac = MacTable.text(MacTable.mac(lab.device("ib1").state().address()));
    assertTrue(neighbours.contains("lladdr " + mac), neighbours + " not " + mac);
  }

  /** But for own packets that come back from a group. */
  private Map<String, Long> drops() {
    Map<String, Long> all = new TreeMap<>();
    for (String name : List.of("ib0", "ib1")) {
      lab.device(name).statistics().forEach((key, value) -> all.put(name + " " + key, value));
    }
    all.keySet().removeIf(key -> !key.contains(" drop_") || key.endsWith("drop_rx_own"));
    return all;
  }

  @Test
  @DisplayName("multicast: all hosts by IPv6, a group by IPv4; the kernel's groups are joined (P4)")
  void multicast() {
    ping(left, "-6", "-c", "3", "ff02::1%" + devA);
    namespaces.in(right, "ip", "addr", "add", "239.9.9.9/32", "dev", devB, "autojoin");
    String group = Ip.parse("239.9.9.9").toString();
    Lab.await(
        () -> lab.device("ib1").groups().keySet().stream().anyMatch(g -> g.endsWith("::f09:909")),
        group);
  }

  @Test
  @DisplayName(
      "I10: a packet too long for the link: the kernel gets an ICMP error, and then " + "fragments")
  void tooLong() {
    namespaces.in(left, "ip", "link", "set", devA, "mtu", "4000");
    Process refused =
        namespaces.startIn(
            left,
            "ping",
            "-n",
            "-c",
            "3",
            "-i",
            "0.1",
            "-W",
            "1",
            "-M",
            "do",
            "-s",
            "3000",
            "10.97.0.2");
    String output = Namespaces.output(refused);
    assertTrue(output.contains("mtu") && output.contains("2044"), output);
    Map<String, Long> counts = lab.device("ib0").statistics();
    assertTrue(counts.getOrDefault("drop_tx_too_long", 0L) >= 1, counts.toString());
    ping(left, "-c", "3", "-s", "3000", "10.97.0.2");
  }

  @Test
  @DisplayName("P2: a device that the kernel removes twice is created again each time, and works")
  void lost() {
    for (int i = 0; i < 2; i++) {
      namespaces.in(left, "ip", "link", "del", devA);
      Lab.await(
          () -> Namespaces.run("ip", "-o", "link").contains(devA + ":"), "the device is back");
      namespaces.move(devA, left, "10.97.0.1/24", "fd97::1/64");
      Lab.await(
          () -> namespaces.in(left, "ip", "-o", "link", "show", devA).contains("LOWER_UP"),
          "carrier");
      ping(left, "-c", "5", "10.97.0.2");
    }
    String mtu = namespaces.in(left, "ip", "-o", "link", "show", devA);
    assertTrue(mtu.contains("mtu 2044"), mtu);
  }

  @Test
  @DisplayName("P1, P2: after an unplug while the device is lost, nothing is left")
  void lostForGood() {
    namespaces.in(left, "ip", "link", "del", devA);
    lab.unplug(0);
    assertFalse(Namespaces.run("ip", "-o", "link").contains(devA + ":"), "it does not come back");
  }

  @Test
  @DisplayName("P5: with an MTU below 1280 the kernel has no IPv6; IPv4 works on")
  void shortMtu() {
    namespaces.in(left, "ip", "link", "set", devA, "mtu", "1000");
    assertFalse(namespaces.in(left, "ip", "addr", "show", devA).contains("inet6"));
    ping(left, "-c", "5", "-s", "1500", "10.97.0.2");
  }

  @Test
  @DisplayName("D9: iperf3 over TCP: long segments are cut and put together again, both ways")
  void iperf() {
    Namespaces.require("iperf3");
    Process server = namespaces.startIn(right, "iperf3", "-s", "-1");
    try {
      Lab.await(() -> namespaces.in(right, "ss", "-ltn").contains(":5201"), "the server listens");
      String client = namespaces.in(left, "iperf3", "-c", "10.97.0.2", "-n", "200M");
      assertTrue(client.contains("receiver"), client);
    } finally {
      server.destroy();
    }
    Map<String, Long> sent = lab.device("ib0").statistics();
    Map<String, Long> received = lab.device("ib1").statistics();
    assertTrue(sent.get("gso_segments") > 10 * sent.get("gso_frames"), sent.toString());
    assertTrue(received.get("gro_segments") > 2 * received.get("gro_frames"), received.toString());
  }

  @Test
  @DisplayName("D9: UDP_SEGMENT: 20 datagrams in a row are cut, none differs, in both versions")
  void datagrams() {
    Namespaces.require("python3");
    for (String to : List.of("10.97.0.2", "fd97::2")) {
      Process receiver = namespaces.startIn(right, "python3", "-c", RECEIVE, to);
      try {
        Lab.await(() -> namespaces.in(right, "ss", "-lun").contains(":7007"), "it listens");
        namespaces.in(left, "python3", "-c", SEND, to);
        assertEquals("20 datagrams", Namespaces.output(receiver).strip());
      } finally {
        receiver.destroy();
      }
    }
    Map<String, Long> sent = lab.device("ib0").statistics();
    List<Long> counts = List.of(sent.get("gso_frames"), sent.get("gso_segments"));
    assertEquals(linux62() ? List.of(2L, 40L) : List.of(0L, 0L), counts, sent.toString());
  }

  /** Older ones cut datagrams themselves. */
  private static boolean linux62() {
    String[] version = System.getProperty("os.version").split("[.-]");
    int major = Integer.parseInt(version[0]);
    return major > 6 || major == 6 && Integer.parseInt(version[1]) >= 2;
  }

  /**
   * D9: packets between two interfaces of this JVM are not summed and not cut; all bytes arrive.
   */
  private void stream(String to) {
    Namespaces.require("python3");
    long before = lab.device("ib1").statistics().get("rx_whole");
    Process receiver = namespaces.startIn(right, "python3", "-c", TAKE, to);
    try {
      Lab.await(() -> namespaces.in(right, "ss", "-ltn").contains(":7008"), "it listens");
      namespaces.in(left, "python3", "-c", GIVE, to);
      assertEquals("6000000 True", Namespaces.output(receiver).strip());
    } finally {
      receiver.destroy();
    }
    assertTrue(lab.device("ib0").statistics().get("tx_whole") > 0, "sent whole");
    assertTrue(lab.device("ib1").statistics().get("rx_whole") > before, "received whole");
  }

  @Test
  @DisplayName("C1, C6, I9: connected mode on TAP: 60,000 bytes in one packet; back to datagrams")
  void connected() {
    lab.device("ib0").connected(true);
    lab.device("ib1").connected(true);
    namespaces.in(left, "ip", "link", "set", devA, "mtu", "65520");
    namespaces.in(right, "ip", "link", "set", devB, "mtu", "65520");
    namespaces.in(left, "ip", "neigh", "flush", "all"); // asks again: who has connected mode now
    namespaces.in(right, "ip", "neigh", "flush", "all");
    namespaces.in(left, "ping", "-n", "-c", "1", "-W", "30", "10.97.0.2");
    namespaces.in(right, "ping", "-n", "-c", "1", "-W", "30", "10.97.0.1");
    Lab.await(() -> lab.device("ib0").connections().toString().contains("ESTABLISHED"), "up");
    Lab.await(() -> lab.device("ib1").connections().toString().contains("ESTABLISHED"), "up");
    ping(left, "-c", "5", "-M", "do", "-s", "60000", "10.97.0.2");
    stream("10.97.0.2");
    stream("fd97::2");
    lab.device("ib1").connected(false);
    String cut = namespaces.in(left, "ping", "-n", "-c", "3", "-W", "30", "10.97.0.2");
    assertTrue(cut.contains(" 0% packet loss"), cut);
  }
}
