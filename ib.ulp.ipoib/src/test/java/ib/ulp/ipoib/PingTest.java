package ib.ulp.ipoib;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.Mtu;
import ib.ulp.ipoib.link.LinkState;
import ib.ulp.ipoib.net.NetIf;
import ib.ulp.ipoib.testing.Lab;
import ib.ulp.ipoib.wire.Ip;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("issue 5, section 3: two soft devices in one JVM reach each other by IP")
@Timeout(600)
class PingTest {
  private static final long PATIENCE_NS = 600_000_000_000L;
  private final Lab lab = new Lab(2);
  private NetIf a;
  private NetIf b;

  @BeforeEach
  void addresses() {
    a = lab.stack("ib0");
    b = lab.stack("ib1");
    a.address(Ip.parse("10.96.0.1"), 24);
    b.address(Ip.parse("10.96.0.2"), 24);
    a.address(Ip.parse("fd00::1"), 64);
    b.address(Ip.parse("fd00::2"), 64);
    lab.up("ib0");
    lab.up("ib1");
  }

  @AfterEach
  void close() {
    lab.close();
  }

  @ParameterizedTest(name = "{0}, {1} bytes")
  @CsvSource({"10.96.0.2, 56", "10.96.0.2, 2016", "10.96.0.2, 0", "fd00::2, 56", "fd00::2, 1996"})
  @DisplayName("ping, by IPv4 with ARP and by IPv6 with neighbour discovery, up to the MTU of 2044")
  void ping(String to, int bytes) throws Exception {
    assertTrue(a.ping(Ip.parse(to), bytes, PATIENCE_NS).get() > 0);
    assertTrue(a.ping(Ip.parse(to), bytes, PATIENCE_NS).get() > 0);
    assertEquals(
        1, lab.subnet.log.stream().filter(l -> l.equals("path " + gid("ib1"))).count(), "D1");
  }

  private String gid(String name) {
    return lab.device(name).state().address().gid().toString();
  }

  @Test
  @DisplayName("I1, I3: broadcast group first, as full member; carrier, MTU 2044, address, speed")
  void state() {
    LinkState state = lab.device("ib0").state();
    assertEquals("up", state.reason());
    assertEquals(2044, state.mtu());
    assertEquals("fe80::2c9:300:10:1", state.address().gid().toString());
    assertTrue(lab.subnet.log.getFirst().matches("join ff12:401b:ffff::ffff:ffff state 1"));
  }

  @Test
  @DisplayName("UDP: unicast, the net's broadcast, a group that was joined")
  void udp() throws Exception {
    BlockingQueue<String> heard = new LinkedBlockingQueue<>();
    b.bind(
        7,
        (from, port, to, data) ->
            heard.add(from + ":" + port + " " + to + " " + new String(data, UTF_8)));
    b.join(Ip.parse("239.1.2.3"));
    b.join(Ip.parse("ff05::77"));
    Lab.await(
        () ->
            lab.device("ib1").groups().toString().contains("401b:ffff::f01:203=mlid")
                && lab.device("ib1").groups().toString().contains("::77=mlid"),
        "joined");
    for (String to : List.of("10.96.0.2", "10.96.0.255", "239.1.2.3", "fd00::2", "ff05::77")) {
      a.send(9, Ip.parse(to), 7, "hello".getBytes(UTF_8)).get();
      String from = to.contains(":") ? "fd00::1" : "10.96.0.1";
      assertEquals(from + ":9 " + to + " hello", heard.poll(10, TimeUnit.MINUTES));
    }
  }

  @Test
  @DisplayName("D10: the eight of Linux count, and reasons of drops")
  void statistics() throws Exception {
    a.ping(Ip.parse("10.96.0.2"), 100, PATIENCE_NS).get();
    var before = lab.device("ib0").statistics();
    for (int i = 0; i < 10; i++) {
      a.ping(Ip.parse("10.96.0.2"), 100, PATIENCE_NS).get();
    }
    Lab.await(
        () -> lab.device("ib0").statistics().get("tx_packets") >= before.get("tx_packets") + 10,
        "sent");
    var after = lab.device("ib0").statistics();
    assertEquals(
        List.of(
            "rx_packets",
            "tx_packets",
            "rx_bytes",
            "tx_bytes",
            "tx_errors",
            "rx_dropped",
            "tx_dropped",
            "multicast"),
        after.keySet().stream().limit(8).toList());
    assertTrue(after.get("rx_bytes") - before.get("rx_bytes") >= 10 * 128);
    assertEquals(0, after.get("tx_errors"));
    assertTrue(
        a.ping(Ip.parse("10.96.0.2"), 2017, PATIENCE_NS).isCompletedExceptionally()
            || a.ping(Ip.parse("10.96.0.2"), 2017, PATIENCE_NS)
                .handle((ns, why) -> why != null)
                .get());
    Lab.await(
        () -> lab.device("ib0").statistics().getOrDefault("drop_tx_too_long", 0L) >= 1, "I10");
  }

  @Test
  @DisplayName("P5, section 6: where a packet has less than 1280 bytes there is no IPv6")
  void smallMtu() {
    try (Lab small = new Lab(0)) {
      small.subnet.mtu = Mtu.MTU_1024;
      small.plug();
      assertEquals(1020, small.up("ib0").state().mtu());
      assertEquals(List.of(), small.stack("ib0").addresses());
    }
    Lab.await(() -> !a.addresses().isEmpty(), "others have it");
  }
}
