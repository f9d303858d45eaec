package ib.driver.rxe;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.client.DeviceLease;
import ib.core.spi.FaultInjection;
import ib.core.spi.FaultRule;
import ib.core.spi.PacketCapture;
import ib.core.verbs.AddressHandle;
import ib.core.verbs.AhAttr;
import ib.core.verbs.GlobalRoute;
import ib.core.verbs.Mtu;
import ib.core.verbs.PortCounter;
import ib.core.verbs.QpType;
import ib.core.verbs.SendFlags;
import ib.core.verbs.WcStatus;
import java.io.ByteArrayOutputStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.nio.channels.Channels;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("issue 13, point 2: packets between RoCEv2 devices of one JVM stay in memory")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class LocalTest {
  private static final String ONE = "127.0.0.1";
  private static final String TWO = "127.0.0.2";
  private static final int GRH = 40;
  private static final int CONGESTED = 3;

  private final RxeLab lab = new RxeLab();

  @AfterEach
  void close() {
    lab.close();
  }

  private LocalTest devices(String one, String two, String ways) {
    lab.configure("rxe0", "address", one, "local", ways);
    lab.configure("rxe1", "address", two, "local", ways);
    return this;
  }

  private Map<String, Long> counters(String device) {
    return lab.running.get(device).ops().counters(1);
  }

  /** {@return how many packets a device has received} */
  private long packets(String device) {
    return lab.running
        .get(device)
        .ops()
        .portCounters(1, PortCounter.Form.EXTENDED)
        .get(PortCounter.RCV_PKTS);
  }

  private long sum(String counter) {
    return counters("rxe0").get(counter) + counters("rxe1").get(counter);
  }

  /** Messages of several lengths there and back; every byte is compared. */
  private static void pingPong(RxeSide a, RxeSide b) {
    for (int size : new int[] {0, 1, 3, 1024, 1025, 65_536, 300_000}) {
      byte[] random = new byte[size];
      new Random(size).nextBytes(random);
      MemorySegment.copy(random, 0, a.memory(), ValueLayout.JAVA_BYTE, 0, size);
      b.receive(1, 0, size);
      a.receive(2, 512 * 1024, size);
      a.send(3, 0, size);
      a.next(3);
      assertEquals(size, b.next(1).byteLen());
      b.send(4, 0, size);
      a.next(2);
      b.next(4);
      MemorySegment back = a.memory().asSlice(512 * 1024, size);
      assertArrayEquals(random, back.toArray(ValueLayout.JAVA_BYTE), size + " bytes");
    }
  }

  /** Sends a datagram, and returns the first 40 bytes of its receive buffer. */
  private static byte[] datagram(RxeSide a, RxeSide b, GlobalRoute route, int bytes) {
    b.receive(1, 0, bytes + GRH);
    AddressHandle ah = a.pd.createAh(AhAttr.ofGid(1, route));
    a.qp.wrStart();
    a.qp.wrId(2).wrFlags(SendFlags.SIGNALED);
    a.qp.wrSend();
    a.qp.wrSetUdAddress(ah, b.qp.qpn(), RxeSide.QKEY);
    a.qp.wrSetSge(a.mr.lkey(), a.mr.iova(), bytes);
    assertEquals(0, a.qp.wrComplete());
    a.next(2);
    assertEquals(bytes + GRH, b.next(1).byteLen());
    ah.close();
    return b.memory().asSlice(0, GRH).toArray(ValueLayout.JAVA_BYTE);
  }

  @ParameterizedTest
  @EnumSource(
      value = QpType.class,
      names = {"RC", "UC"})
  @DisplayName("every byte arrives, and no datagram is sent; RC makes no packets")
  void inMemory(QpType type) {
    devices(ONE, TWO, "memory");
    RxeSide a = lab.side("rxe0");
    RxeSide b = lab.side("rxe1");
    RxeSide.connect(type, a, b, Mtu.MTU_1024);
    pingPong(a, b);
    assertEquals(0, sum("udp_sent"));
    assertEquals(type == QpType.RC, sum("udp_local") == 0, "RC: requests executed at the peer");
    assertTrue(packets("rxe1") > 300, "and counted");
  }

  @ParameterizedTest
  @ValueSource(strings = {ONE, "::1"})
  @DisplayName("two queue pairs of one device")
  void oneDevice(String address) {
    lab.configure("rxe0", "address", address, "local", "memory");
    RxeSide a = lab.side("rxe0");
    RxeSide b = lab.side("rxe0");
    RxeSide.connect(QpType.RC, a, b, Mtu.MTU_1024);
    pingPong(a, b);
    assertEquals(0L, counters("rxe0").get("udp_sent"));
  }

  @ParameterizedTest
  @CsvSource({"memory, wire", "wire, memory", "wire, wire"})
  @DisplayName("local = wire at one of the two devices: datagrams")
  void switchedOff(String one, String two) {
    lab.configure("rxe0", "address", ONE, "local", one);
    lab.configure("rxe1", "address", TWO, "local", two);
    RxeSide a = lab.side("rxe0");
    RxeSide b = lab.side("rxe1");
    RxeSide.connect(QpType.RC, a, b, Mtu.MTU_1024);
    pingPong(a, b);
    assertTrue(sum("udp_sent") > 0);
    assertEquals(0, sum("udp_local"));
  }

  @ParameterizedTest(name = "{0}: traffic class {1}, hop limit {2}, flow label {3}")
  @CsvSource({
    "127.0.0.1, 0, 64, 0",
    "127.0.0.1, 104, 7, 344865",
    "127.0.0.1, 184, 1, 0",
    "::1, 104, 9, 344865",
    "::1, 0, 0, 0"
  })
  @DisplayName("IBA annex A17.4.5.1: a datagram's 40 bytes are those that the network writes")
  void header(String address, int trafficClass, int hopLimit, int flowLabel) {
    byte[][] seen = new byte[2][];
    for (int i = 0; i < 2; i++) {
      lab.configure(
          "rxe0", "address", address, "io", "native", "local", i == 0 ? "wire" : "memory");
      RxeSide a = new RxeSide(lab.lease("rxe0"));
      RxeSide b = new RxeSide(lab.lease("rxe0"));
      RxeSide.connect(QpType.UD, a, b, Mtu.MTU_1024);
      GlobalRoute route = new GlobalRoute(b.gid(), flowLabel, a.gidIndex, hopLimit, trafficClass);
      seen[i] = datagram(a, b, route, 101);
      assertEquals(i == 0, counters("rxe0").get("udp_sent") > 0);
      a.close();
      b.close();
      lab.release();
      lab.delete("rxe0");
    }
    if (address.equals(ONE)) { // the system has chosen an identification, which the checksum covers
      for (int at : new int[] {24, 25, 30, 31}) {
        seen[0][at] = 0;
        seen[1][at] = 0;
      }
    }
    assertArrayEquals(seen[0], seen[1]);
  }

  @Test
  @DisplayName("the ports count the same packets and octets as with datagrams")
  void counted() {
    Map<String, Map<String, Long>> all = new LinkedHashMap<>();
    for (String way : List.of("wire", "memory")) {
      devices(ONE, TWO, way);
      RxeSide a = new RxeSide(lab.lease("rxe0"));
      RxeSide b = new RxeSide(lab.lease("rxe1"));
      RxeSide.connect(QpType.UC, a, b, Mtu.MTU_1024);
      pingPong(a, b);
      RxeSide.connect(QpType.UD, a, b, Mtu.MTU_1024);
      datagram(a, b, GlobalRoute.to(b.gid(), a.gidIndex), 1000);
      Map<String, Long> named = new LinkedHashMap<>();
      for (String device : List.of("rxe0", "rxe1")) {
        lab.running
            .get(device)
            .ops()
            .portCounters(1, PortCounter.Form.EXTENDED)
            .forEach((which, value) -> named.put(device + " " + which, value));
      }
      all.put(way, named);
      a.close();
      b.close();
      lab.release();
      lab.delete("rxe0");
      lab.delete("rxe1");
    }
    assertTrue(all.get("wire").get("rxe1 RCV_PKTS") > 300, "counted at all");
    assertEquals(all.get("wire"), all.get("memory"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"rxe0", "rxe1"})
  @DisplayName(
      "while one of the two devices is captured there are datagrams, and none before or after")
  void captured(String device) throws Exception {
    devices(ONE, TWO, "memory");
    RxeSide a = lab.side("rxe0");
    RxeSide b = lab.side("rxe1");
    RxeSide.connect(QpType.RC, a, b, Mtu.MTU_1024);
    pingPong(a, b);
    assertEquals(0, sum("udp_sent"));
    PacketCapture capture =
        (PacketCapture) lab.running.get(device).offers().get(PacketCapture.class);
    ByteArrayOutputStream file = new ByteArrayOutputStream();
    try (PacketCapture.Session session =
        capture.start(Channels.newChannel(file), PacketCapture.Filter.ALL)) {
      pingPong(a, b);
      assertTrue(session.running());
    }
    long sent = sum("udp_sent");
    assertTrue(sent > 600, "datagrams: " + sent);
    assertTrue(file.size() > 600_000, "captured: " + file.size());
    long local = sum("udp_local");
    pingPong(a, b);
    assertEquals(sent, sum("udp_sent"));
    assertEquals(local, sum("udp_local"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"rxe0", "rxe1"})
  @DisplayName("a fault at one of the two devices disturbs what would have stayed in memory")
  void faulty(String device) {
    devices(ONE, TWO, "memory");
    RxeSide a = lab.side("rxe0");
    RxeSide b = lab.side("rxe1");
    a.timeout = 14; // 67 ms: the tries outlast half a second in which a busy machine runs no answer
    b.timeout = 14;
    RxeSide.connect(QpType.RC, a, b, Mtu.MTU_1024);
    pingPong(a, b);
    FaultInjection faults =
        (FaultInjection) lab.running.get(device).offers().get(FaultInjection.class);
    int rule = faults.add(FaultRule.parse("loss rate=0.2"));
    pingPong(a, b);
    assertTrue(sum("udp_sent") > 0);
    assertTrue(faults.list().getFirst().hit() > 0, "disturbed");
    faults.remove(rule);
    pingPong(a, b); // what was repeated late has been sent
    long sent = sum("udp_sent");
    pingPong(a, b);
    assertEquals(sent, sum("udp_sent"));
  }

  @Test
  @DisplayName(
      "an address that goes: requests fail; another device that gets it is found in memory")
  void addressMoves() {
    InetAddress one = InetAddress.ofLiteral(ONE);
    InetAddress two = InetAddress.ofLiteral(TWO);
    Map<String, List<InetAddress>> has = new ConcurrentHashMap<>();
    has.put("rxe0", List.of(one));
    has.put("rxe1", List.of(two));
    lab.host = c -> new Host.View(true, 1500, Optional.empty(), has.get(c.name()));
    devices(ONE, TWO, "memory");
    RxeSide a = lab.side("rxe0");
    RxeSide b = lab.side("rxe1");
    a.timeout = 12;
    a.retries = 2;
    RxeSide.connect(QpType.RC, a, b, Mtu.MTU_1024);
    pingPong(a, b);
    b.receive(1, 0, 64);
    has.put("rxe1", List.of());
    lab.running.get("rxe1").watch.look();
    a.send(2, 0, 64);
    assertEquals(WcStatus.RETRY_EXC_ERR, a.next().status());
    has.put("rxe2", List.of(two));
    lab.configure("rxe2", "address", TWO, "local", "memory");
    RxeSide c = lab.side("rxe2");
    RxeSide.connect(QpType.RC, a, c, Mtu.MTU_1024);
    long sent = sum("udp_sent");
    pingPong(a, c);
    assertEquals(sent, sum("udp_sent"));
  }

  @Test
  @DisplayName(
      "a device that is unplugged and comes again: requests fail, new connections stay local")
  void unplugged() {
    devices(ONE, TWO, "memory");
    RxeSide a = lab.side("rxe0");
    a.timeout = 12;
    a.retries = 2;
    DeviceLease lease = lab.midlayer.core().lease("rxe1", "for a while");
    RxeSide b = new RxeSide(lease.device());
    RxeSide.connect(QpType.RC, a, b, Mtu.MTU_1024);
    pingPong(a, b);
    b.close();
    lease.close();
    lab.slot("rxe1").unplug();
    a.send(2, 0, 64);
    assertEquals(WcStatus.RETRY_EXC_ERR, a.next().status());
    lab.slot("rxe1").plug();
    RxeSide again = lab.side("rxe1");
    RxeSide.connect(QpType.RC, a, again, Mtu.MTU_1024);
    long sent = counters("rxe0").get("udp_sent");
    pingPong(a, again);
    assertEquals(sent, counters("rxe0").get("udp_sent"));
  }

  @Test
  @DisplayName("RFC 3168: a request marked congested is counted at its receiver, which notifies")
  void congestion() {
    devices(ONE, TWO, "memory");
    RxeSide a = lab.side("rxe0");
    RxeSide b = lab.side("rxe1");
    a.trafficClass = CONGESTED;
    RxeSide.connect(QpType.RC, a, b, Mtu.MTU_1024);
    pingPong(a, b);
    assertTrue(counters("rxe1").get("np_ecn_marked") > 0);
    assertEquals(0L, counters("rxe0").get("np_ecn_marked"));
    assertTrue(counters("rxe1").get("np_cnp_sent") > 0);
    assertTrue(counters("rxe0").get("rp_cnp_handled") > 0);
    assertEquals(0, sum("udp_sent"));
  }

  @Test
  @DisplayName("a GID that the sender does not use any more is no source of the peer's")
  void otherSource() {
    lab.configure("rxe0", "address", "127.0.0.1, 127.0.0.3", "local", "memory");
    lab.configure("rxe1", "address", TWO, "local", "memory");
    RxeSide a = lab.side("rxe0");
    RxeSide b = lab.side("rxe1");
    a.timeout = 12;
    a.retries = 2;
    a.open(QpType.RC);
    b.open(QpType.RC);
    a.bringUp(b.gid(), b.qp.qpn(), Mtu.MTU_1024);
    b.bringUp(a.device.gid(1, 1), a.qp.qpn(), Mtu.MTU_1024); // the peer expects the other address
    b.receive(1, 0, 64);
    a.send(2, 0, 64);
    assertEquals(WcStatus.RETRY_EXC_ERR, a.next().status());
    assertEquals(1, counters("rxe1").getOrDefault("drop_source", 0L) > 0 ? 1 : 0);
  }

  @Test
  @DisplayName("port = 4792 at one of the two: they do not meet, as on the network")
  void otherPort() {
    lab.configure("rxe0", "address", ONE, "local", "memory", "port", 4792);
    lab.configure("rxe1", "address", TWO, "local", "memory");
    RxeSide a = lab.side("rxe0");
    RxeSide b = lab.side("rxe1");
    a.timeout = 12;
    a.retries = 2;
    RxeSide.connect(QpType.RC, a, b, Mtu.MTU_1024);
    b.receive(1, 0, 64);
    a.send(2, 0, 64);
    assertEquals(WcStatus.RETRY_EXC_ERR, a.next().status());
    assertEquals(Optional.of(0L), Optional.ofNullable(counters("rxe0").get("udp_local")));
  }
}
