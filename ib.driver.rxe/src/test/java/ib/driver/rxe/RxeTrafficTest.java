package ib.driver.rxe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.AddressHandle;
import ib.core.verbs.Cap;
import ib.core.verbs.CqInit;
import ib.core.verbs.Gid;
import ib.core.verbs.Mtu;
import ib.core.verbs.NotifyFlags;
import ib.core.verbs.QpType;
import ib.core.verbs.SendFlags;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WorkCompletion;
import ib.driver.rxe.udp.UdpCounter;
import ib.driver.rxe.udp.UdpWire;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.DatagramChannel;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("issue 4, section 1: two RoCEv2 devices talk over UDP sockets")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class RxeTrafficTest {
  private static RxeLab lab(String a, String b) {
    return new RxeLab().configure("rxe0", "address", a).configure("rxe1", "address", b);
  }

  private static void fill(MemorySegment memory, long seed) {
    byte[] random = new byte[(int) memory.byteSize()];
    new Random(seed).nextBytes(random);
    MemorySegment.copy(random, 0, memory, ValueLayout.JAVA_BYTE, 0, random.length);
  }

  @ParameterizedTest(name = "{0} {1} {2} {3} {4}")
  @CsvSource({
    "RC, 127.0.0.1, 127.0.0.2, portable, off",
    "UC, 127.0.0.1, 127.0.0.2, portable, off",
    "RC, ::1, ::1, portable, off",
    "RC, 127.0.0.1, 127.0.0.1, portable, off",
    "RC, 127.0.0.1, 127.0.0.2, native, off",
    "UC, 127.0.0.1, 127.0.0.2, native, off",
    "RC, ::1, ::1, native, off",
    "RC, 127.0.0.1, 127.0.0.1, native, auto",
    "RC, 127.0.0.1, 127.0.0.2, native, auto",
    "RC, 127.0.0.1, 127.0.0.2, native, on",
    "UC, 127.0.0.1, 127.0.0.2, native, on",
    "RC, ::1, ::1, native, on"
  })
  @DisplayName(
      "ping-pong of 1 B to 300 kB, every byte right; a packet to an own address comes back")
  void pingPong(QpType type, String here, String there, String io, String gso) {
    boolean one = here.equals(there);
    try (RxeLab lab = new RxeLab().configure("rxe0", "address", here, "io", io, "gso", gso)) {
      if (!one) {
        lab.configure("rxe1", "address", there, "io", io, "gso", gso);
      }
      RxeSide a = lab.side("rxe0");
      RxeSide b = lab.side(one ? "rxe0" : "rxe1");
      RxeSide.connect(type, a, b, Mtu.MTU_1024);
      UdpWire wire = lab.running.get("rxe0").wire;
      assertEquals(io.equals("native"), wire.isNative());
      for (int size : new int[] {1, 3, 1024, 1025, 4096, 65536, 300_000}) {
        fill(a.memory().asSlice(0, size), size);
        b.receive(1, 0, size);
        a.receive(2, 512 * 1024, size);
        a.send(3, 0, size);
        a.next(3);
        assertEquals(size, b.next(1).byteLen());
        b.send(4, 0, size);
        a.next(2);
        b.next(4);
        MemorySegment back = a.memory().asSlice(512 * 1024, size);
        assertEquals(-1, back.mismatch(a.memory().asSlice(0, size)), size + " bytes");
      }
      assertEquals(!gso.equals("off"), wire.counter(UdpCounter.GSO_SENT) > 0);
    }
  }

  @Test
  @DisplayName("a datagram over IPv4 begins with 20 zeros and the IPv4 header")
  void grhIpv4() {
    try (RxeLab lab = lab("127.0.0.1", "127.0.0.2")) {
      RxeSide b = datagram(lab);
      MemorySegment grh = b.memory().asSlice(0, 40);
      for (int i = 0; i < 20; i++) {
        assertEquals(0, grh.get(ValueLayout.JAVA_BYTE, i));
      }
      assertEquals(0x45, grh.get(ValueLayout.JAVA_BYTE, 20));
      assertEquals(127, grh.get(ValueLayout.JAVA_BYTE, 32));
      assertEquals(1, grh.get(ValueLayout.JAVA_BYTE, 35));
      assertEquals(2, grh.get(ValueLayout.JAVA_BYTE, 39));
      int sum = 0;
      for (int i = 20; i < 40; i += 2) {
        sum += (grh.get(ValueLayout.JAVA_BYTE, i) & 0xff) << 8;
        sum += grh.get(ValueLayout.JAVA_BYTE, i + 1) & 0xff;
      }
      assertEquals(0xffff, (sum & 0xffff) + (sum >>> 16), "checksum of the header");
    }
  }

  @ParameterizedTest
  @CsvSource({"native", "portable"})
  @DisplayName(
      "progress = poll: a polling consumer receives; the device's thread wakes a sleeping " + "one")
  void polled(String io) {
    AtomicInteger told = new AtomicInteger();
    try (RxeLab lab = new RxeLab()) {
      lab.configure("rxe0", "address", "127.0.0.1", "io", io, "progress", "poll");
      lab.configure("rxe1", "address", "127.0.0.2", "io", io, "progress", "poll");
      RxeSide a = lab.side("rxe0");
      CqInit queue = new CqInit(64, (cq, context) -> told.getAndIncrement(), null);
      RxeSide b = lab.keep(new RxeSide(lab.lease("rxe1"), queue));
      a.timeout = 18; // nobody polls here while the other end is waited for
      b.timeout = 18;
      RxeSide.connect(QpType.RC, a, b, Mtu.MTU_1024);
      for (int i = 0; i < 1000; i++) {
        b.receive(i, 0, 3000);
        a.send(i, 0, 3000);
        b.next(i);
        a.next(i);
      }
      a.receive(5, 0, 3000);
      b.send(6, 0, 3000);
      a.next(5);
      b.next(6);
      UdpWire wire = lab.running.get("rxe1").wire;
      long before = wire.counter(UdpCounter.GSO_SENT);
      for (int i = 0; i < 1000; i++) {
        a.receive(1, 0, 64);
        b.receive(2, 0, 64);
        a.send(3, 0, 64);
        b.next(2);
        b.send(4, 0, 64);
        both(a, 1, 3);
        b.next(4);
      }
      boolean joined = wire.counter(UdpCounter.GSO_SENT) > before;
      assertEquals(io.equals("native"), joined, "G8: an acknowledgement travels with the answer");
      for (int i = 0; i < 3; i++) {
        b.receive(i, 0, 64);
        b.cq.requestNotify(NotifyFlags.NEXT_COMP);
        a.send(i, 0, 64);
        a.next(i);
        while (told.get() == i) {
          Thread.onSpinWait(); // nobody polls on this side: the time limit of the test ends it
        }
        b.next(i);
      }
    }
  }

  /** Two completions, in any order. */
  private static void both(RxeSide side, long one, long other) {
    WorkCompletion first = side.next();
    assertEquals(WcStatus.SUCCESS, first.status());
    side.next(first.wrId() == one ? other : one);
  }

  @Test
  @DisplayName("a poster that was interrupted does not lose the device its socket")
  void interrupted() {
    try (RxeLab lab = lab("127.0.0.1", "127.0.0.2")) {
      RxeSide a = lab.side("rxe0");
      RxeSide b = lab.side("rxe1");
      RxeSide.connect(QpType.RC, a, b, Mtu.MTU_1024);
      for (int i = 0; i < 3; i++) {
        b.receive(i, 0, 64);
        Thread.currentThread().interrupt();
        a.send(i, 0, 64);
        assertTrue(Thread.interrupted());
        b.next(i);
        a.next(i);
      }
    }
  }

  @Test
  @DisplayName("several devices on a host, one per address: each receives only its own packets")
  void several() {
    String[] addresses = {"127.0.0.1", "127.0.0.2", "127.0.0.3", "127.0.0.4"};
    try (RxeLab lab = new RxeLab()) {
      for (int i = 0; i < addresses.length; i++) {
        lab.configure("rxe" + i, "address", addresses[i]);
      }
      for (int i = 0; i < addresses.length; i++) {
        for (int k = 0; k < i; k++) {
          RxeSide a = lab.side("rxe" + i);
          RxeSide b = lab.side("rxe" + k);
          RxeSide.connect(QpType.RC, a, b, Mtu.MTU_1024);
          fill(a.memory().asSlice(0, 3000), i * 10 + k);
          b.receive(1, 0, 3000);
          a.send(2, 0, 3000);
          a.next(2);
          b.next(1);
          assertEquals(-1, b.memory().asSlice(0, 3000).mismatch(a.memory().asSlice(0, 3000)));
        }
      }
      for (RxeDevice device : lab.running.values()) {
        assertEquals(0L, device.ops().counters(1).get("drop_no_qp"), device.name());
        assertEquals(0L, device.ops().counters(1).get("drop_source"), device.name());
      }
    }
  }

  @Test
  @DisplayName(
      "another port, MTU and window, no busy polling, the smallest buffers: traffic passes")
  void unusual() throws IOException {
    Object[] unusual = {
      "address",
      "",
      "port",
      4799,
      "mtu",
      512,
      "window",
      2,
      "busy_poll",
      0,
      "socket_buffer",
      65536,
      "source_ports",
      0
    };
    try (RxeLab lab = new RxeLab();
        DatagramChannel usual = DatagramChannel.open()) {
      usual.bind(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 4791)); // not in the way
      for (int i = 1; i <= 2; i++) {
        unusual[1] = "127.0.0." + i;
        lab.configure("rxe" + i, unusual);
        assertEquals(Mtu.MTU_512, lab.lease("rxe" + i).queryPort(1).activeMtu());
      }
      RxeSide a = lab.side("rxe1");
      RxeSide b = lab.side("rxe2");
      RxeSide.connect(QpType.RC, a, b, Mtu.MTU_512);
      fill(a.memory().asSlice(0, 100_000), 3);
      b.receive(1, 0, 100_000);
      a.send(2, 0, 100_000);
      a.next(2);
      b.next(1);
      assertEquals(-1, b.memory().asSlice(0, 100_000).mismatch(a.memory().asSlice(0, 100_000)));
    }
  }

  private static RxeSide datagram(RxeLab lab) {
    RxeSide a = lab.side("rxe0");
    RxeSide b = lab.side("rxe1");
    RxeSide.connect(QpType.UD, a, b, Mtu.MTU_1024);
    b.receive(1, 0, 1040);
    AddressHandle ah = a.pd.createAh(a.to(b.gid()));
    fill(a.memory().asSlice(0, 1000), 5);
    a.qp.wrStart();
    a.qp.wrId(2).wrFlags(SendFlags.SIGNALED);
    a.qp.wrSend();
    a.qp.wrSetUdAddress(ah, b.qp.qpn(), RxeSide.QKEY);
    a.qp.wrSetSge(a.mr.lkey(), a.mr.iova(), 1000);
    assertEquals(0, a.qp.wrComplete());
    a.next(2);
    WorkCompletion wc = b.next(1);
    assertEquals(1040, wc.byteLen());
    assertEquals(a.qp.qpn(), wc.srcQp());
    assertEquals(-1, b.memory().asSlice(40, 1000).mismatch(a.memory().asSlice(0, 1000)), "payload");
    ah.close();
    return b;
  }

  @Test
  @DisplayName("U16: each GID of a device by address is an address, from index 0")
  void attributes() {
    try (RxeLab lab = lab("127.0.0.1", "127.0.0.2")) {
      var device = lab.lease("rxe0");
      var port = device.queryPort(1);
      assertEquals("ETHERNET", port.linkLayer().name());
      assertEquals(Mtu.MTU_4096, port.activeMtu());
      assertEquals(Gid.parse("::ffff:127.0.0.1"), device.gid(1, 0));
      assertEquals(Gid.ZERO, device.gid(1, 1));
      assertEquals(1, port.pkeyTableLen());
      assertEquals(1024, port.gidTableLen());
      assertFalse(device.has(Cap.SMI), "RoCE has no QP0");
      assertTrue(device.has(Cap.GSI));
    }
  }
}
