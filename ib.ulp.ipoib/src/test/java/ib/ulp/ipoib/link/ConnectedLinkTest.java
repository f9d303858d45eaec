package ib.ulp.ipoib.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import ib.cm.CmPort;
import ib.core.verbs.EventType;
import ib.core.verbs.Gid;
import ib.ulp.ipoib.testing.Lab;
import ib.ulp.ipoib.wire.Connected;
import ib.ulp.ipoib.wire.Encapsulation;
import ib.ulp.ipoib.wire.LinkAddress;
import ib.ulp.ipoib.wire.Octets;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("connected mode of the link, turned by hand on a clock of its own")
class ConnectedLinkTest extends Stations {
  private static final LinkConfig CONNECTED = LinkConfig.DEFAULT.withConnected(true);

  /** Messages of the connection manager come by threads of the core. */
  private void until(BooleanSupplier condition, String what) {
    Lab.await(
        () -> {
          settle();
          return condition.getAsBoolean();
        },
        what);
  }

  private static Outgoing packet(int type, int length) {
    return new Outgoing().set(type, MemorySegment.ofArray(new byte[length]), 0, length);
  }

  private static boolean up(Station s) {
    return s.link.connections().toString().contains("ESTABLISHED");
  }

  private static String by(int length) {
    return "CONNECTED of " + length;
  }

  @ParameterizedTest(name = "the service as RFC 4755 spells it: {0}")
  @ValueSource(booleans = {false, true})
  @DisplayName("W14: both forms of the service ID are accepted; 60,000 bytes are one message")
  void serviceIds(boolean rfc) {
    Station a = station(CONNECTED.withRfcService(rfc));
    Station b = station(CONNECTED);
    LinkAddress to = b.link.state().address();
    assertEquals(LinkAddress.RC, to.flags(), "W4");
    a.link.unicast(to, packet(IP, 60_000));
    until(() -> b.received.size() == 1, "the packet");
    assertEquals(by(60_000), b.received.getFirst());
    assertEquals(1, a.link.statistics().of(Statistics.Count.TX_PACKETS));
    assertEquals(60_000, b.link.statistics().of(Statistics.Count.RX_BYTES));
  }

  /** A TCP packet with a checksum of the pseudo header only, in the memory that a host fills. */
  private static Outgoing open(Station from, int data, int mss) {
    MemorySegment s = Objects.requireNonNull(from.link.longs().space());
    s.fill((byte) 0);
    Octets.u8(s, 24, 0x45);
    Octets.u8(s, 24 + 9, 6);
    Octets.u8(s, 24 + 32, 5 << 4);
    return new Outgoing().setLong(IP, s, 24, 40, data, mss);
  }

  private Station[] pair(Shared one, Shared other) {
    shared = one;
    Station a = station(CONNECTED);
    shared = other;
    Station b = station(CONNECTED);
    a.takesLong = true;
    b.takesLong = true;
    return new Station[] {a, b};
  }

  private void connect(Station a, Station b) {
    a.link.unicast(b.link.state().address(), packet(IP, 3000));
    until(() -> up(a) && up(b) && !b.received.isEmpty(), "connection");
    b.received.clear();
  }

  @ParameterizedTest(name = "{0} bytes in segments of {1}")
  @CsvSource({"60000, 60000", "60000, 1400", "1, 1", "65480, 65480"})
  @DisplayName("D9: a TCP packet that is not summed is carried whole between two ends of this JVM")
  void whole(int data, int mss) {
    Station[] both = pair(shared, shared);
    connect(both[0], both[1]);
    LinkAddress to = both[1].link.state().address();
    assertTrue(both[0].link.longs().send(to, open(both[0], data, mss)));
    until(() -> both[1].received.size() == 1, "the packet");
    assertEquals("WHOLE of " + (data + 40) + ", mss " + mss, both[1].received.getFirst());
    both[0].link.unicast(to, packet(IP, 60_000));
    until(() -> both[1].received.size() == 2, "the next packet");
    assertEquals(by(60_000), both[1].received.getLast(), "an ordinary packet stays ordinary");
  }

  @Test
  @DisplayName(
      "D9: none is whole to an end outside of this JVM, or whose host takes no such packet")
  void notWhole() {
    Station[] strangers = pair(new Shared(cm), new Shared(cm));
    connect(strangers[0], strangers[1]);
    assertRefused(strangers[0], strangers[1], 60_000);
    shared = new Shared(cm);
    Station[] deaf = pair(shared, shared);
    deaf[1].takesLong = false;
    connect(deaf[0], deaf[1]);
    assertRefused(deaf[0], deaf[1], 60_000);
    Station[] fine = pair(shared, shared);
    connect(fine[0], fine[1]);
    assertRefused(fine[0], fine[1], 65_481); // the longest packet has 65,520 bytes
    settle();
    assertEquals(List.of(), fine[1].received);
  }

  private static void assertRefused(Station from, Station to, int data) {
    assertFalse(from.link.longs().send(to.link.state().address(), open(from, data, data)));
  }

  @Test
  @DisplayName("RFC 4391 section 6: the reserved field of a stranger is ignored")
  void reservedOfStranger() {
    Station[] both = pair(new Shared(cm), new Shared(cm));
    connect(both[0], both[1]);
    Outgoing marked = open(both[0], 3000, 1400);
    both[0].link.unicast(both[1].link.state().address(), marked);
    until(() -> both[1].received.size() == 1, "the packet");
    assertEquals(by(3040), both[1].received.getFirst());
  }

  @Test
  @DisplayName(
      "D2, C1: ARP, RARP and neighbour discovery are sent as datagrams despite a " + "connection")
  void resolution() {
    Station a = station(CONNECTED);
    Station b = station(CONNECTED);
    LinkAddress to = b.link.state().address();
    a.link.unicast(to, packet(IP, 3000));
    until(() -> up(a) && up(b), "connection");
    b.received.clear();
    a.link.unicast(to, packet(Encapsulation.ARP, 56));
    a.link.unicast(to, packet(Encapsulation.RARP, 57));
    byte[] solicitation = new byte[72];
    solicitation[6] = 58;
    solicitation[7] = (byte) 255;
    MemorySegment nd = MemorySegment.ofArray(solicitation);
    a.link.unicast(to, new Outgoing().set(Encapsulation.IPV6, nd, 0, 72));
    a.link.unicast(to, packet(IP, 100));
    until(() -> b.received.size() == 4, "packets");
    List<String> connected = b.received.stream().filter(r -> r.startsWith("CONN")).toList();
    assertEquals(List.of(by(100)), connected);
  }

  @Test
  @DisplayName(
      "C1, D1: while a connection is made short packets are datagrams; three long ones wait")
  void meanwhile() {
    Station a = station(CONNECTED);
    Station b = station(CONNECTED);
    LinkAddress to = b.link.state().address();
    subnet.hold(); // no path yet
    for (int i = 0; i < 5; i++) {
      a.link.unicast(to, packet(IP, 5000 + i));
    }
    a.link.unicast(to, packet(IP, 500));
    assertEquals(2, a.link.statistics().of(Drop.TX_PATH_QUEUE));
    subnet.release();
    until(() -> b.received.size() == 4, "packets");
    List<String> connected = b.received.stream().filter(r -> r.startsWith("CONN")).toList();
    assertEquals(List.of(by(5000), by(5001), by(5002)), connected);
  }

  @Test
  @DisplayName(
      "C4, I10: without a path, the waiting packets are too long for datagrams, and the "
          + "host is notified")
  void noPath() {
    Station a = station(CONNECTED);
    LinkAddress nobody = new LinkAddress(LinkAddress.RC, 77, Gid.parse("fe80::77"));
    a.link.unicast(nobody, packet(IP, 5000));
    settle();
    assertEquals(List.of("too long for 2044"), a.received);
    assertEquals(1, a.link.statistics().of(Drop.TX_TOO_LONG));
    assertEquals(1, a.link.statistics().of(Statistics.Count.TX_ERRORS));
  }

  @Test
  @DisplayName(
      "C2, I10: while a peer does not answer, long packets wait 1 s, then the host hears of each"
          + " what would pass; when the peer comes back they pass")
  void silentPeer() {
    Station a = station(CONNECTED);
    Station b = station(CONNECTED);
    LinkAddress stale = b.link.state().address();
    b.link.connected(false);
    assertEquals(0, b.link.state().address().flags(), "W4");
    CmPort mute = cm.open("soft1", 1);
    mute.listen(Connected.linuxServiceId(stale.qpn()), 0, (c, event) -> fail("dropped"));
    a.link.unicast(stale, packet(IP, 5000));
    settle();
    pass(999);
    assertEquals(List.of(), a.received, "it waits");
    pass(1);
    assertEquals(List.of("too long for 2044"), a.received);
    for (int i = 2; i <= 30; i++) {
      pass(2000); // the request goes on
      a.link.unicast(stale, packet(IP, 5000));
      assertEquals(i, a.received.size(), "each is answered at once");
    }
    assertEquals(0, a.link.statistics().of(Drop.TX_PATH_QUEUE));
    b.received.clear();
    a.link.unicast(stale, packet(IP, 2044));
    settle();
    assertEquals(1, b.received.size(), "what is short enough is a datagram");
    mute.close();
    b.link.connected(true);
    assertEquals(stale, b.link.state().address());
    until(() -> up(a), "the next repetition is answered");
    a.link.unicast(stale, packet(IP, 5000));
    until(() -> b.received.contains(by(5000)), "by the connection");
  }

  @Test
  @DisplayName(
      "C2, CM-46: a peer that has left connected mode refuses at once; it is asked again after"
          + " 1, 2, ... 32 s, and no packet waits any more")
  void backOff() {
    Station a = station(CONNECTED);
    Station b = station(CONNECTED);
    LinkAddress stale = b.link.state().address();
    b.link.connected(false);
    try (CmPort refusing = cm.open("soft1", 1)) {
      for (int i = 0; i < 6_000; i++) {
        a.link.unicast(stale, packet(IP, 5000));
        until(() -> a.link.connections().isEmpty(), "the refusal");
        pass(100);
      }
      assertEquals(6_000, a.received.size(), "I10");
      long attempts = refusing.counters().get("received.REQ");
      assertTrue(attempts >= 20 && attempts <= 24, attempts + " attempts");
    }
  }

  @Test
  @DisplayName("C1: only neighbours whose address has the flag of connected mode are connected to")
  void flag() {
    Station a = station(CONNECTED);
    Station b = station();
    LinkAddress to = b.link.state().address();
    assertEquals(0, to.flags(), "W4");
    a.link.unicast(to, packet(IP, 2044));
    a.link.unicast(to, packet(IP, 2045));
    settle();
    assertEquals(1, b.received.size());
    assertEquals(Map.of(), a.link.connections());
    assertEquals(List.of("too long for 2044"), a.received);
  }

  @Test
  @DisplayName("D4: an active connection idle for a minute is closed, and opened again when needed")
  void idle() {
    Station a = station(CONNECTED);
    Station b = station(CONNECTED);
    LinkAddress to = b.link.state().address();
    a.link.unicast(to, packet(IP, 3000));
    until(() -> up(a) && up(b), "connection");
    pass(91_000);
    until(() -> !up(a) && !up(b), "gone at both ends");
    a.link.unicast(to, packet(IP, 4000));
    until(() -> b.received.contains(by(4000)), "again");
  }

  @Test
  @DisplayName(
      "1.5, C6: a port that goes down closes the connections; they are opened again when "
          + "it is up")
  void portDown() {
    Station a = station(CONNECTED);
    Station b = station(CONNECTED);
    a.link.unicast(b.link.state().address(), packet(IP, 3000));
    until(() -> up(a) && up(b), "connection");
    a.link.event(EventType.PORT_ERR);
    settle();
    assertFalse(up(a));
    until(() -> !up(b), "the peer was told");
    until(() -> a.link.state().carrier(), "joined again");
    a.link.unicast(b.link.state().address(), packet(IP, 4000));
    until(() -> b.received.contains(by(4000)), "again");
    assertTrue(up(a));
  }

  @Test
  @DisplayName(
      "C5: with the SRQ, a QP in ERR is destroyed when LAST_WQE_REACHED has come, not before")
  void lastWqe() {
    Station a = station(CONNECTED);
    Station b = station(CONNECTED);
    Station c = station(CONNECTED);
    LinkAddress to = c.link.state().address();
    a.link.unicast(to, packet(IP, 3000));
    b.link.unicast(to, packet(IP, 3001));
    until(() -> up(a) && up(b) && c.received.size() == 2, "connections");
    assertEquals(4, queuePairs());
    a.link.connected(false);
    until(() -> queuePairs() == 2, "the clock stands still: it is the event that tells");
    b.link.unicast(to, packet(IP, 3002));
    until(() -> c.received.contains(by(3002)), "the other connection lives on the same SRQ");
  }

  private long queuePairs() {
    return core.core().resources().stream().filter(r -> r.toString().contains("RC")).count();
  }
}
