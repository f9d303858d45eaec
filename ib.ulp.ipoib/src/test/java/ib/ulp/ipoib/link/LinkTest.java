package ib.ulp.ipoib.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.EventType;
import ib.core.verbs.Gid;
import ib.core.verbs.Mtu;
import ib.ulp.ipoib.testing.FakeSubnet;
import ib.ulp.ipoib.testing.Lab;
import ib.ulp.ipoib.wire.Groups;
import ib.ulp.ipoib.wire.Ip;
import ib.ulp.ipoib.wire.LinkAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("the link, turned by hand on a clock of its own: I and D")
class LinkTest extends Stations {
  @Test
  @DisplayName("I3: the broadcast group as full member first; carrier; only then other groups")
  void order() {
    subnet.hold();
    Station a = station();
    a.link.join(GROUP);
    settle();
    assertEquals(List.of("join " + ALL + " state 1"), subnet.log);
    assertFalse(a.link.state().carrier());
    assertEquals("waiting: joining the broadcast group", a.link.state().reason());
    subnet.release();
    settle();
    assertTrue(a.link.state().carrier());
    List<String> joins =
        List.of("join " + ALL + " state 1", "like " + ALL, "join " + GROUP + " state 1"); // I6
    assertEquals(joins, subnet.log);
    assertEquals(FakeSubnet.QKEY, a.link.queue.qp.query().qkey(), "I2");
  }

  @Test
  @DisplayName("I5: a refused broadcast join is tried again after 50 ms, then doubled up to 1 s")
  void retry() {
    subnet.refuse = group -> true;
    Station a = station();
    assertEquals(List.of(50L, 150L, 350L, 750L, 1550L, 2550L, 3550L, 4550L), joins(5000));
    assertTrue(a.link.state().reason().contains("0x0200"), a.link.state().reason());
    subnet.refuse = group -> false;
    pass(1000);
    assertTrue(a.link.state().carrier());
    subnet.refuse = group -> true;
    subnet.reregister();
    settle();
    assertEquals(List.of(50L, 150L, 350L), joins(400), "the pauses begin anew after a membership");
  }

  /** {@return the milliseconds from now at which the link asks to join} */
  private List<Long> joins(int forMs) {
    List<Long> at = new ArrayList<>();
    long start = clock.get();
    long seen = count("join");
    for (int ms = 0; ms < forMs; ms += 10) {
      pass(10);
      if (count("join") > seen) {
        seen = count("join");
        at.add((clock.get() - start) / MS);
      }
    }
    return at;
  }

  @Test
  @DisplayName(
      "I7: sending to a group joins it for that alone; 64 packets wait; the rest is dropped")
  void sendOnly() {
    Station a = station();
    Station b = station();
    b.link.join(GROUP);
    settle();
    subnet.hold();
    for (int i = 0; i < 70; i++) {
      a.link.multicast(GROUP, Station.packet(IP, "p" + i));
    }
    assertEquals(6, a.link.statistics().of(Drop.TX_GROUP_QUEUE));
    subnet.release();
    settle();
    assertEquals(1, count("join " + GROUP + " state 8"));
    assertEquals(IntStream.range(0, 64).mapToObj(i -> "MULTICAST p" + i).toList(), b.received);
  }

  @Test
  @DisplayName("D1: three packets wait for a path, the fourth is dropped")
  void pathQueue() {
    Station a = station();
    Station b = station();
    subnet.hold();
    for (int i = 0; i < 5; i++) {
      a.link.unicast(b.link.state().address(), Station.packet(IP, "p" + i));
    }
    settle();
    assertEquals(2, a.link.statistics().of(Drop.TX_PATH_QUEUE));
    assertEquals(List.of(), b.received);
    subnet.release();
    settle();
    assertEquals(List.of("UNICAST p0", "UNICAST p1", "UNICAST p2"), b.received);
    assertEquals(1, count("path"), "one question for all of them");
  }

  @Test
  @DisplayName(
      "D1: without a path, waiting packets are dropped, and the path is queried again "
          + "after a pause")
  void noPath() {
    Station a = station();
    LinkAddress nobody = new LinkAddress(0, 77, Gid.parse("fe80::77"));
    for (int i = 0; i < 10; i++) {
      a.link.unicast(nobody, Station.packet(IP, "p"));
      settle();
    }
    assertEquals(1, count("path"));
    assertEquals(10, a.link.statistics().of(Drop.TX_NO_PATH));
    pass(100);
    a.link.unicast(nobody, Station.packet(IP, "p"));
    assertEquals(2, count("path"));
  }

  @Test
  @DisplayName("D4: paths and send-only groups idle for 60 s are forgotten, others stay")
  void collected() {
    Station a = station();
    Station b = station();
    a.link.join(GROUP);
    Gid sending = Groups.of(Ip.parse("239.3.3.3"), ALL);
    a.link.multicast(sending, Station.packet(IP, "x"));
    a.link.unicast(b.link.state().address(), Station.packet(IP, "x"));
    settle();
    pass(30_000);
    a.link.unicast(b.link.state().address(), Station.packet(IP, "x"));
    pass(30_000);
    assertEquals(1, a.link.paths().size(), "used 30 s ago");
    assertEquals(1, count("leave " + sending));
    pass(30_000);
    assertEquals(0, a.link.paths().size());
    assertEquals(0, count("leave " + GROUP));
  }

  @Test
  @DisplayName("D8: ten thousand packets at once: each is sent or counted as dropped")
  void burst() {
    Station a = station();
    Station b = station();
    a.link.unicast(b.link.state().address(), Station.packet(IP, "first"));
    settle();
    int refused = 0;
    for (int i = 0; i < 10_000; i++) {
      if (!a.link.hasRoom()) {
        refused++;
        a.settle();
      }
      a.link.unicast(b.link.state().address(), Station.packet(IP, "x"));
    }
    settle();
    Lab.await(
        () -> {
          settle();
          Statistics s = a.link.statistics();
          return s.of(Statistics.Count.TX_PACKETS) + s.of(Drop.TX_RING_FULL) == 10_001;
        },
        "every send is accounted for");
    assertTrue(refused > 0 && a.writable > 0, "the ring was full, and said when not any more");
  }

  @Test
  @DisplayName("W1, I10, no carrier: what cannot be sent is counted by its reason")
  void drops() {
    Station a = station();
    LinkAddress self = a.link.state().address();
    a.link.unicast(self, Station.packet(0x88cc, "lldp"));
    a.link.unicast(self, Station.packet(IP, "x".repeat(2045)));
    a.link.multicast(Gid.parse("ff15:401b:ffff::1"), Station.packet(IP, "x"));
    assertEquals(1, a.link.statistics().of(Drop.TX_TYPE));
    assertEquals(1, a.link.statistics().of(Drop.TX_TOO_LONG));
    assertEquals(1, a.link.statistics().of(Drop.TX_NO_GROUP), "W10");
    assertEquals(3, a.link.statistics().of(Statistics.Count.TX_DROPPED));
    subnet.refuse = group -> true;
    Station b = station();
    b.link.broadcast(Station.packet(IP, "x"));
    assertEquals(1, b.link.statistics().of(Drop.TX_NO_CARRIER));
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1500, 9000})
  @DisplayName("I9: the MTU is that of the group without 4 bytes, or what the administrator wants")
  void mtu(int wanted) {
    subnet.mtu = Mtu.MTU_4096;
    Station a = station(new LinkConfig(0, 128, 256, wanted));
    assertEquals(wanted == 1500 ? 1500 : 4092, a.link.state().mtu());
  }

  @Test
  @DisplayName(
      "I8: after ten thousand joins and leaves of a group, answered late, no membership "
          + "is left")
  void joinLeave() {
    Station a = station();
    for (int i = 0; i < 10_000; i++) {
      if (i % 3 == 0) {
        subnet.hold();
      }
      a.link.join(GROUP);
      if (i % 2 == 0) {
        settle();
      }
      a.link.leave(GROUP);
      if (i % 3 == 2) {
        subnet.release();
        settle();
      }
    }
    subnet.release();
    settle();
    assertFalse(a.link.groups().containsKey(GROUP.toString()));
    assertEquals(1, subnet.memberships(), "the broadcast group's");
  }

  @Test
  @DisplayName(
      "D1: no storm of questions for a path that there is none of: 100, 200, ... 1,600 ms apart, in"
          + " a minute of 6,000 packets no more than 41; a new subnet manager is asked at once")
  void pathBackOff() {
    Station a = station();
    LinkAddress nobody = new LinkAddress(0, 77, Gid.parse("fe80::77"));
    for (int i = 0; i < 6000; i++) {
      a.link.unicast(nobody, Station.packet(IP, "hello"));
      pass(10);
    }
    long asked = count("path fe80::77");
    assertTrue(asked >= 35 && asked <= 41, asked + " questions");
    assertEquals(6000, a.link.statistics().of(Drop.TX_NO_PATH));
    a.link.event(EventType.SM_CHANGE);
    a.link.unicast(nobody, Station.packet(IP, "hello"));
    assertEquals(asked + 1, count("path fe80::77"));
  }
}
