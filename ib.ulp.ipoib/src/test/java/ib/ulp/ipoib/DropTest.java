package ib.ulp.ipoib;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.Gid;
import ib.ulp.ipoib.link.Drop;
import ib.ulp.ipoib.link.Frame;
import ib.ulp.ipoib.link.Outgoing;
import ib.ulp.ipoib.link.Statistics;
import ib.ulp.ipoib.testing.FakeSubnet;
import ib.ulp.ipoib.testing.Stacks;
import ib.ulp.ipoib.testing.Stacks.Stack;
import ib.ulp.ipoib.wire.Encapsulation;
import ib.ulp.ipoib.wire.Groups;
import ib.ulp.ipoib.wire.Ip;
import ib.ulp.ipoib.wire.IpPacket;
import ib.ulp.ipoib.wire.LinkAddress;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("D10: each drop is counted by its reason, and in Linux's sum; D6, D7")
class DropTest {
  private static final Ip ONE = Ip.parse("10.96.0.1");
  private static final Ip TWO = Ip.parse("10.96.0.2");

  private final Stacks lab = new Stacks();
  private Stack a;
  private Stack b;

  @BeforeEach
  void plug() {
    a = lab.plug(0);
    b = lab.plug(0);
    a.host.address(ONE, 24);
    b.host.address(TWO, 24);
    lab.settle();
    a.host.ping(TWO, 8, 1_000_000_000L);
    lab.settle();
  }

  @AfterEach
  void close() {
    lab.close();
  }

  private static long of(Stack stack, Drop why) {
    return stack.link.statistics().of(why);
  }

  private static Outgoing packet(int type, int length) {
    return new Outgoing().set(type, MemorySegment.ofArray(new byte[length]), 0, length);
  }

  /** An IP packet with a payload of zeros. */
  private static Outgoing ip(Ip to, int protocol, int payload) {
    MemorySegment s = MemorySegment.ofArray(new byte[2048]);
    int at = IpPacket.write(s, 0, ONE, to, protocol, payload, 64);
    return new Outgoing().set(Encapsulation.IPV4, s, 0, at + payload);
  }

  private Stack produce(Drop why) {
    LinkAddress there = b.link.state().address();
    Gid all = a.link.state().broadcast();
    Gid group = Groups.of(Ip.parse("239.1.1.1"), all);
    switch (why) {
      case TX_TYPE -> a.link.unicast(there, packet(0x88cc, 60));
      case TX_TOO_LONG -> a.link.unicast(there, packet(Encapsulation.IPV4, 2045));
      case TX_NO_CARRIER -> {
        a.link.stop();
        a.link.unicast(there, packet(Encapsulation.IPV4, 60));
      }
      case TX_PATH_QUEUE, TX_NO_PATH -> {
        lab.subnet.hold();
        for (int i = 0; i < 4; i++) {
          a.link.unicast(new LinkAddress(0, 7, Gid.parse("fe80::7")), ip(TWO, IpPacket.UDP, 8));
        }
        lab.subnet.release();
      }
      case TX_GROUP_QUEUE -> {
        lab.subnet.hold();
        for (int i = 0; i < 65; i++) {
          a.link.multicast(group, ip(Ip.parse("239.1.1.1"), IpPacket.UDP, 8));
        }
        lab.subnet.release();
      }
      case TX_NO_GROUP -> a.link.multicast(Gid.parse("ff15:401b:ffff::1"), ip(TWO, 17, 8));
      case TX_NEIGHBOUR_QUEUE, TX_UNREACHABLE -> {
        for (int i = 0; i < 4; i++) {
          a.host.ping(Ip.parse("10.96.0.77"), 8, 1_000_000L);
        }
        for (int i = 0; i < 5; i++) {
          lab.settle();
          lab.pass(1000);
        }
      }
      default -> {
        return receive(why, there);
      }
    }
    return a;
  }

  private Stack receive(Drop why, LinkAddress there) {
    switch (why) {
      case RX_TYPE -> lab.inject(0, there, FakeSubnet.QKEY, new byte[] {0x12, 0x34, 0, 0, 1});
      case RX_SHORT -> lab.inject(0, there, FakeSubnet.QKEY, new byte[] {8, 0});
      case RX_OWN -> {
        a.link.broadcast(ip(Ip.parse("10.96.0.255"), IpPacket.UDP, 8));
        return a;
      }
      case RX_NOT_MINE -> a.link.unicast(there, ip(Ip.parse("10.96.0.9"), IpPacket.UDP, 8));
      case RX_CHECKSUM -> a.link.unicast(there, ip(TWO, IpPacket.ICMP, 9));
      case RX_MALFORMED -> a.link.unicast(there, packet(Encapsulation.IPV4, 60));
      default -> throw new AssertionError("no test produces " + why);
    }
    return b;
  }

  @ParameterizedTest
  @EnumSource(
      mode = EnumSource.Mode.EXCLUDE, // of the kernel's interface, or of queue pairs: tested there
      names = {"TX_MALFORMED", "RX_FULL", "TX_RING_FULL", "TX_ERROR", "RX_ERROR"})
  @DisplayName("the reason is counted, Linux's sum too, and ib:netif stats shows it")
  void counted(Drop why) {
    Stack where = produce(why);
    lab.settle();
    assertTrue(of(where, why) > 0, () -> where.link.statistics().all().toString());
    Statistics.Count sum =
        why.sending() ? Statistics.Count.TX_DROPPED : Statistics.Count.RX_DROPPED;
    assertTrue(where.link.statistics().of(sum) >= of(where, why));
    assertEquals(of(where, why), where.link.statistics().all().get("drop_" + why.label()));
  }

  @Test
  @DisplayName(
      "D6: unicast, broadcast and multicast are distinguished; own packets are not " + "received")
  void classified() {
    List<String> came = new ArrayList<>();
    b.tap = frame -> came.add(frame.cast() + " " + frame.length());
    List<Frame.Cast> own = new ArrayList<>();
    a.tap = frame -> own.add(frame.cast());
    Ip group = Ip.parse("239.5.5.5");
    a.host.join(group);
    b.host.join(group);
    lab.settle();
    a.link.unicast(b.link.state().address(), ip(TWO, IpPacket.UDP, 8));
    a.link.broadcast(ip(Ip.parse("10.96.0.255"), IpPacket.UDP, 9));
    a.link.multicast(Groups.of(group, a.link.state().broadcast()), ip(group, IpPacket.UDP, 10));
    lab.settle();
    assertEquals(List.of("UNICAST 28", "BROADCAST 29", "MULTICAST 30"), came);
    assertEquals(List.of(), own);
    assertTrue(of(a, Drop.RX_OWN) >= 2, "both that were attached to");
    assertTrue(b.link.statistics().of(Statistics.Count.MULTICAST) >= 2);
  }

  @Test
  @DisplayName("D7: a datagram with another Q_Key is dropped by the queue pair and counted there")
  void qkey() {
    int before = lab.qkeyViolations(1);
    long received = b.link.statistics().of(Statistics.Count.RX_PACKETS);
    lab.inject(0, b.link.state().address(), 0x1234, new byte[] {8, 0, 0, 0, 1});
    assertEquals(before + 1, lab.qkeyViolations(1));
    assertEquals(received, b.link.statistics().of(Statistics.Count.RX_PACKETS));
  }
}
