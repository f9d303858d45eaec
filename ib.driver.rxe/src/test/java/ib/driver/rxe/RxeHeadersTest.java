package ib.driver.rxe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.AddressHandle;
import ib.core.verbs.AhAttr;
import ib.core.verbs.Gid;
import ib.core.verbs.GlobalRoute;
import ib.core.verbs.Mtu;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.SendFlags;
import ib.core.wire.BthOpcode;
import ib.core.wire.Grh;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.DatagramChannel;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("issue 4, section 1: what the IP header says, both ways")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class RxeHeadersTest {
  private static final int BYTES = 100;

  private final RxeLab lab = new RxeLab();

  @AfterEach
  void close() {
    lab.close();
  }

  private long counter(String name) {
    return lab.running.get("rxe0").ops().counters(1).get(name);
  }

  private static void until(BooleanSupplier condition, String what) {
    long start = System.nanoTime();
    while (!condition.getAsBoolean()) {
      assertTrue(System.nanoTime() - start < TimeUnit.MINUTES.toNanos(10), what);
      Thread.onSpinWait();
    }
  }

  /** Sends a datagram along a route; returns where it was received. */
  private static MemorySegment datagram(RxeSide a, RxeSide b, GlobalRoute route) {
    b.receive(1, 0, BYTES + 40);
    AddressHandle ah = a.pd.createAh(AhAttr.ofGid(1, route));
    a.qp.wrStart();
    a.qp.wrId(2).wrFlags(SendFlags.SIGNALED);
    a.qp.wrSend();
    a.qp.wrSetUdAddress(ah, b.qp.qpn(), RxeSide.QKEY);
    a.qp.wrSetSge(a.mr.lkey(), a.mr.iova(), BYTES);
    assertEquals(0, a.qp.wrComplete());
    a.next(2);
    assertEquals(BYTES + 40, b.next(1).byteLen());
    ah.close();
    return b.memory();
  }

  @ParameterizedTest(name = "traffic class {0}, hop limit {1}")
  @CsvSource({
    "0, 64, 0, 64",
    "104, 64, 104, 64",
    "184, 7, 184, 7",
    "32, 0, 32, 64",
    "32, 1, 32, 64"
  })
  @DisplayName(
      "IBA annex A17.4.5.2: traffic class is TOS, hop limit is TTL; 0 and 1 leave it to the system")
  void ipv4(int trafficClass, int hopLimit, int tos, int ttl) {
    lab.configure("rxe0", "address", "127.0.0.1", "io", "native");
    lab.configure("rxe1", "address", "127.0.0.2", "io", "native");
    RxeSide a = lab.side("rxe0");
    RxeSide b = lab.side("rxe1");
    RxeSide.connect(QpType.UD, a, b, Mtu.MTU_1024);
    MemorySegment got =
        datagram(a, b, new GlobalRoute(b.gid(), 0, a.gidIndex, hopLimit, trafficClass));
    assertEquals(tos, got.get(ValueLayout.JAVA_BYTE, 21) & 0xff, "type of service");
    assertEquals(ttl, got.get(ValueLayout.JAVA_BYTE, 28) & 0xff, "time to live");
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource({"native, 104, 9, 344865", "portable, 0, 64, 0"})
  @DisplayName(
      "a datagram over IPv6 begins with its IPv6 header; the portable path"
          + " neither sets nor sees traffic class and hop limit, nor (B12) flow label")
  void ipv6(String io, int trafficClass, int hopLimit, int flowLabel) {
    lab.configure("rxe0", "address", "::1", "io", io);
    RxeSide a = lab.side("rxe0");
    RxeSide b = lab.side("rxe0");
    RxeSide.connect(QpType.UD, a, b, Mtu.MTU_1024);
    Grh grh = new Grh();
    grh.wrap(datagram(a, b, new GlobalRoute(b.gid(), 344_865, a.gidIndex, 9, 104)), 0);
    assertEquals(6, grh.ipVer());
    assertEquals(17, grh.nxtHdr());
    assertEquals(8 + 12 + 8 + BYTES + 4, grh.payLen(), "UDP, BTH, DETH, payload, ICRC");
    assertEquals(Gid.parse("::1"), new Gid(grh.sgidHigh(), grh.sgidLow()));
    assertEquals(Gid.parse("::1"), new Gid(grh.dgidHigh(), grh.dgidLow()));
    assertEquals(trafficClass, grh.trafficClass());
    assertEquals(hopLimit, grh.hopLmt());
    assertEquals(flowLabel, grh.flowLabel());
  }

  @Test
  @DisplayName("RFC 3168: packets marked congested are counted")
  void congestion() throws IOException {
    lab.configure("rxe0", "address", "127.0.0.1", "io", "native");
    RxeSide side = lab.side("rxe0");
    side.open(QpType.RC);
    side.bringUp(Gid.parse("::ffff:127.0.0.2"), 0x123456, Mtu.MTU_1024);
    try (Forgery peer = new Forgery("127.0.0.2", "127.0.0.1")) {
      for (int mark = 0; mark < 4; mark++) {
        peer.trafficClass(mark);
        peer.send(peer.packet(BthOpcode.RC_ACKNOWLEDGE, side.qp.qpn(), 0));
      }
      until(() -> counter("udp_rcvd") == 4, "four packets");
      until(() -> counter("np_ecn_marked") == 1, "only 3 is congestion experienced");
    }
    assertEquals(0, counter("drop_opcode"));
    assertEquals(QpState.RTS, side.qp.state());
  }

  @Test
  @DisplayName(
      "IBA annex A17.9.3: a request that arrives marked causes a CNP, which its sender heeds")
  void notifies() {
    lab.configure("rxe0", "address", "127.0.0.1", "io", "native");
    lab.configure("rxe1", "address", "127.0.0.2", "io", "native");
    RxeSide a = lab.side("rxe0");
    RxeSide b = lab.side("rxe1");
    a.trafficClass = 3; // as if a router had marked every packet
    a.timeout = 20; // 4 s: nothing is sent again meanwhile
    RxeSide.connect(QpType.RC, a, b, Mtu.MTU_1024);
    b.receive(1, 0, BYTES);
    a.send(1, 0, BYTES);
    b.next(1);
    until(() -> counter("rp_cnp_handled") == 1, "the CNP");
    Map<String, Long> receiver = lab.running.get("rxe1").ops().counters(1);
    assertEquals(1, receiver.get("np_cnp_sent"));
    assertEquals(1, receiver.get("np_ecn_marked"));
    assertEquals(0, receiver.get("rp_cnp_handled"), "its own packets are not marked");
  }

  @ParameterizedTest(name = "CNPs of the peer: {0}")
  @CsvSource({"0, 128", "1, 64", "3, 64"})
  @DisplayName(
      "IBA annex A17.9.3: after a CNP half as many packets are outstanding, after further "
          + "ones no fewer; a CNP of another peer changes nothing, and an unreliable queue pair "
          + "ignores it")
  void notified(int notices, int underWay) throws IOException {
    lab.configure("rxe0", "address", "127.0.0.1", "io", "native");
    RxeSide side = lab.side("rxe0");
    side.timeout = 20; // 4 s: nothing is sent again meanwhile
    side.open(QpType.RC);
    side.bringUp(Gid.parse("::ffff:127.0.0.2"), 0x123456, Mtu.MTU_1024);
    try (Forgery peer = new Forgery("127.0.0.2", "127.0.0.1");
        Forgery stranger = new Forgery("127.0.0.3", "127.0.0.1")) {
      stranger.send(stranger.packet(BthOpcode.CNP, side.qp.qpn(), 0));
      until(() -> counter("drop_source") == 1, "a CNP of a stranger");
      for (int i = 1; i <= notices; i++) {
        peer.send(peer.packet(BthOpcode.CNP, side.qp.qpn(), 0));
      }
      until(() -> counter("rp_cnp_handled") == notices, "CNPs");
      side.send(1, 0, 200 * 1024);
      until(() -> counter("sent_pkts") >= underWay, "the window");
      RxeSide other = lab.side("rxe0");
      other.open(QpType.UC);
      other.bringUp(Gid.parse("::ffff:127.0.0.2"), 0x123457, Mtu.MTU_1024);
      peer.send(peer.packet(BthOpcode.CNP, other.qp.qpn(), 0));
      until(() -> counter("rp_cnp_ignored") == 1, "a CNP for nobody");
    }
    assertEquals(underWay, counter("sent_pkts"));
    assertEquals(QpState.RTS, side.qp.state());
  }

  @Test
  @DisplayName("D7: packets of Linux rxe over IPv6 have no checksum: the native path accepts them")
  void zeroChecksum() throws IOException {
    received("native", 2);
  }

  @Test
  @DisplayName("D7: the portable path does not accept it, as the description of io says")
  void zeroChecksumPortable() throws IOException {
    received("portable", 1);
  }

  private void received(String io, long expected) throws IOException {
    lab.configure("rxe0", "address", "::1", "io", io);
    InetAddress address = InetAddress.ofLiteral("::1");
    withoutChecksum(address);
    try (DatagramChannel channel = DatagramChannel.open()) {
      channel.send(ByteBuffer.allocate(20), new InetSocketAddress(address, Forgery.PORT));
    }
    // the second one has a checksum, and comes after the first if that comes
    until(() -> counter("udp_rcvd") >= 1, "nothing came");
    until(() -> counter("udp_rcvd") >= expected, "the one without checksum did not come");
    assertEquals(expected, counter("udp_rcvd"));
  }

  private static MethodHandle call(String name, ValueLayout... arguments) {
    Linker linker = Linker.nativeLinker();
    return linker.downcallHandle(
        linker.defaultLookup().find(name).orElseThrow(),
        FunctionDescriptor.of(ValueLayout.JAVA_INT, arguments));
  }

  /** Sends 20 bytes from a socket with UDP_NO_CHECK6_TX. */
  private static void withoutChecksum(InetAddress to) {
    var i = ValueLayout.JAVA_INT;
    var p = ValueLayout.ADDRESS;
    var n = ValueLayout.JAVA_LONG;
    try (Arena arena = Arena.ofConfined()) {
      ByteBuffer name = ByteBuffer.allocate(28).order(ByteOrder.nativeOrder());
      name.putShort((short) 10).order(ByteOrder.BIG_ENDIAN).putShort((short) Forgery.PORT);
      name.putInt(0).put(to.getAddress());
      MemorySegment peer = arena.allocateFrom(ValueLayout.JAVA_BYTE, name.array());
      int fd = (int) call("socket", i, i, i).invokeExact(10, 2, 0);
      int set =
          (int)
              call("setsockopt", i, i, i, p, i)
                  .invokeExact(fd, 17, 101, arena.allocateFrom(i, 1), 4);
      int sent =
          (int)
              call("sendto", i, p, n, i, p, i)
                  .invokeExact(fd, arena.allocate(20), 20L, 0, peer, 28);
      int closed = (int) call("close", i).invokeExact(fd);
      assertEquals(0, set, "UDP_NO_CHECK6_TX");
      assertEquals(20, sent, "sendto");
      assertEquals(0, closed);
    } catch (Throwable e) {
      throw new AssertionError(e);
    }
  }
}
