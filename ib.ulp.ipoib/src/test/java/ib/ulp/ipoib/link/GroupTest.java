package ib.ulp.ipoib.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.sa.McMemberRecord;
import ib.core.sa.SaClient;
import ib.core.verbs.EventType;
import ib.core.verbs.Gid;
import ib.core.verbs.Mtu;
import ib.core.verbs.PortAttr;
import ib.core.verbs.PortState;
import ib.ulp.ipoib.testing.Lab;
import ib.ulp.ipoib.wire.Groups;
import ib.ulp.ipoib.wire.Ip;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("groups of a link on a clock of its own: I7, and what users complained about")
class GroupTest extends Stations {
  private static final Gid OTHER = Groups.of(Ip.parse("239.2.2.2"), ALL);
  private static final Gid ROUTERS = Groups.of(Ip.parse("224.0.0.2"), ALL);

  private PortAttr port() {
    return leases.getFirst().device().port(1);
  }

  private void send(Station from, Gid group, String text) {
    from.link.multicast(group, Station.packet(IP, text));
    settle();
  }

  @Test
  @DisplayName(
      "consolidate_ipv6_snm_req: 8,000 groups against room for 1,024: the others are refused in"
          + " words, the broadcast group lives and packets pass")
  void exhausted() {
    subnet.mlidCap = 1024;
    Station a = station();
    Station b = station();
    for (int i = 0; i < 8_000; i++) {
      a.link.join(Groups.of(Ip.v4(0xef000000 + i), ALL));
    }
    settle();
    assertTrue(a.link.state().carrier());
    assertEquals(8_000 - 1023, a.link.statistics().of(Statistics.Count.JOINS_FAILED));
    Gid refused = Groups.of(Ip.v4(0xef000000 + 7999), ALL);
    String why = a.link.groups().get(refused.toString());
    assertTrue(why.contains("join refused") && why.contains("NO_RESOURCES 0x0100"), why);
    pass(16_000);
    assertTrue(a.link.state().carrier());
    a.link.broadcast(Station.packet(IP, "x"));
    a.link.unicast(b.link.state().address(), Station.packet(IP, "y"));
    settle();
    assertEquals(List.of("BROADCAST x", "UNICAST y"), b.received);
    subnet.mlidCap = 8_001;
    pass(16_000);
    assertTrue(a.link.groups().get(refused.toString()).startsWith("mlid"), "room again");
  }

  @Test
  @DisplayName("479a0796: a group that was only sent to is left when it ages out; others stay")
  void agesOut() {
    Station a = station();
    a.link.join(GROUP);
    send(a, OTHER, "x");
    assertEquals(1, count("join " + OTHER + " state 8"));
    for (int i = 0; i < 4; i++) {
      pass(30_000);
    }
    assertEquals(1, count("leave " + OTHER));
    assertFalse(a.link.groups().containsKey(OTHER.toString()));
    assertEquals(0, count("leave " + GROUP));
    send(a, OTHER, "x");
    assertEquals(2, count("join " + OTHER + " state 8"), "and joined again when it is sent to");
  }

  @Test
  @DisplayName("479a0796: while groups are stopped nothing is joined for sending")
  void notWhileStopped() {
    Station a = station();
    nodes.getFirst().cable(false);
    Lab.await(() -> port().state() == PortState.DOWN, "the core has seen it");
    a.link.event(EventType.PORT_ERR);
    settle();
    subnet.log.clear();
    send(a, OTHER, "x");
    assertEquals(List.of(), subnet.log);
    assertEquals(1, a.link.statistics().of(Drop.TX_NO_CARRIER));
  }

  @Test
  @DisplayName(
      "I7, RFC 4391 section 10: without CapMask2 bit 12 a sender is a non-member of a group that is"
          + " there")
  void nonMember() {
    subnet.sendOnly = false;
    subnet.exists(GROUP, true);
    Station a = station();
    Station b = station();
    b.link.join(GROUP);
    settle();
    send(a, GROUP, "x");
    assertEquals(1, count("join " + GROUP + " state 4"));
    assertEquals(List.of("MULTICAST x"), b.received);
    assertEquals(1, a.link.statistics().of(Statistics.Count.TX_PACKETS));
  }

  @Test
  @DisplayName(
      "I7, RFC 4391 section 10: of a group that is not there all routers get the packets, until"
          + " trap 66 says that it is; after trap 67 again")
  void allRouters() {
    subnet.sendOnly = false;
    subnet.exists(ROUTERS, true);
    Station a = station();
    Station router = station();
    Station member = station();
    router.link.join(ROUTERS);
    settle();
    assertEquals(3, count("subscribe 66"));
    assertEquals(3, count("subscribe 67"));
    send(a, OTHER, "one");
    send(a, OTHER, "two");
    assertEquals(List.of("MULTICAST one", "MULTICAST two"), router.received);
    assertTrue(a.link.groups().get(OTHER.toString()).startsWith("not there, sent to all routers"));
    member.link.join(OTHER);
    settle();
    subnet.exists(OTHER, true);
    settle();
    send(a, OTHER, "three");
    assertEquals(List.of("MULTICAST three"), member.received);
    assertEquals(2, router.received.size());
    member.link.leave(OTHER);
    subnet.exists(OTHER, false);
    settle();
    send(a, OTHER, "four");
    assertEquals(List.of("MULTICAST three"), member.received);
    assertEquals(List.of("MULTICAST four"), router.received.subList(2, 3));
  }

  @Test
  @DisplayName(
      "I7: without group and routers, packets are dropped, the join is repeated after 16 "
          + "s, then forgotten")
  void nobody() {
    subnet.sendOnly = false;
    Station a = station();
    send(a, OTHER, "x");
    send(a, OTHER, "y");
    assertEquals(2, a.link.statistics().of(Drop.TX_NO_GROUP));
    assertEquals(1, count("join " + OTHER));
    pass(16_000);
    assertEquals(2, count("join " + OTHER), "a report may be lost");
    for (int i = 0; i < 4; i++) {
      pass(30_000);
    }
    assertFalse(a.link.groups().containsKey(OTHER.toString()));
    a.link.stop();
    assertEquals(0, subnet.subscriptions(), "nothing is subscribed to by a link that is no more");
  }

  @Test
  @DisplayName("I7: a subnet manager that can do more than the last one needs no subscriptions")
  void other() {
    subnet.sendOnly = false;
    Station a = station();
    assertEquals(2, subnet.subscriptions());
    subnet.sendOnly = true;
    a.link.event(EventType.SM_CHANGE);
    settle();
    assertEquals(0, subnet.subscriptions());
    send(a, OTHER, "x");
    assertEquals(1, count("join " + OTHER + " state 8"));
  }

  @Test
  @DisplayName(
      "sobrelinux 740214, restart OpenSM and the problem is gone: a membership that the subnet has"
          + " lost without a word is found and joined again, while traffic goes on")
  void selfHeals() {
    Station a = station();
    Station b = station();
    b.link.join(GROUP);
    settle();
    pass(30_000);
    assertEquals(0, count("renew"), "nothing is lost");
    assertEquals(1, count("member " + GROUP));
    subnet.forget(GROUP);
    subnet.forget(ALL);
    pass(30_000);
    assertEquals(1, count("renew " + GROUP));
    assertTrue(count("renew " + ALL) >= 1);
    assertTrue(a.link.state().carrier());
    assertTrue(b.states.stream().skip(1).allMatch(LinkState::carrier), "never down");
    Statistics.Count repaired = Statistics.Count.JOINS_REPAIRED;
    assertEquals(2, a.link.statistics().of(repaired) + b.link.statistics().of(repaired));
    pass(30_000);
    assertEquals(1, count("renew " + GROUP), "once is enough");
    send(a, GROUP, "x");
    assertEquals(List.of("MULTICAST x"), b.received);
  }

  @Test
  @DisplayName("the audit: a missing answer proves no loss; of many groups each is checked in turn")
  void audit() {
    Station a = station();
    for (int i = 0; i < 20; i++) {
      a.link.join(Groups.of(Ip.v4(0xef000000 + i), ALL));
    }
    settle();
    subnet.log.clear();
    for (int i = 0; i < 3; i++) {
      pass(30_000);
    }
    assertEquals(3, count("member " + ALL));
    String others = "member ff12:401b:ffff::f00:";
    assertEquals(20, subnet.log.stream().filter(l -> l.startsWith(others)).distinct().count());
    subnet.dead = true;
    subnet.forget(ALL);
    pass(30_000);
    assertEquals(0, count("renew"));
    assertTrue(a.link.state().carrier());
  }

  @ParameterizedTest
  @CsvSource({"false", "true"})
  @DisplayName(
      "I12 umcast: a group that another user of the port has joined is left to it, and taken when"
          + " it has gone; by default it is joined all the same")
  void umcast(boolean on) {
    Station a = station(LinkConfig.DEFAULT.withUmcast(on));
    Station b = station();
    McMemberRecord full = new McMemberRecord().set(McMemberRecord.Field.MGID, GROUP);
    full.set(McMemberRecord.Field.JOIN_STATE, McMemberRecord.FULL_MEMBER);
    SaClient user = subnet.open(leases.getFirst().device(), 1);
    user.multicast().join(full, (membership, state, why) -> {});
    subnet.log.clear();
    a.link.join(GROUP);
    a.link.join(OTHER);
    settle();
    assertEquals(on ? 0 : 1, count("join " + GROUP));
    assertEquals(1, count("join " + OTHER), "nobody has it");
    String said = String.valueOf(a.link.groups().get(GROUP.toString()));
    assertEquals(on, said.contains("left to another user"), said);
    send(b, GROUP, "x");
    assertEquals(on ? List.of() : List.of("MULTICAST x"), a.received);
    user.close();
    pass(30_000);
    send(b, GROUP, "y");
    assertEquals(on ? List.of("MULTICAST y") : List.of("MULTICAST x", "MULTICAST y"), a.received);
    assertEquals(
        2, a.link.groups().values().stream().filter(g -> g.startsWith("mlid")).count() - 1);
    a.link.leave(GROUP);
    settle();
    assertFalse(a.link.groups().containsKey(GROUP.toString()));
  }

  @Test
  @DisplayName(
      "I5, I8: a group that the device refuses to attach is tried again, less and less often, and"
          + " heard when the device attaches it")
  void notAttached() {
    Station a = station();
    Station b = station();
    a.link.queue.qp.attachMulticast(GROUP, 0xc123); // so the link's own attach is refused
    a.link.join(GROUP);
    settle();
    pass(50);
    assertEquals(2, count("join " + GROUP));
    pass(50);
    assertEquals(2, count("join " + GROUP), "the second pause is longer");
    String is = a.link.groups().get(GROUP.toString());
    assertTrue(is.startsWith("joining, join refused: ") && is.contains("attached already"), is);
    a.link.queue.qp.detachMulticast(GROUP, 0xc123);
    pass(50);
    assertEquals(3, count("join " + GROUP));
    assertTrue(a.link.groups().get(GROUP.toString()).startsWith("mlid"));
    send(b, GROUP, "x");
    assertEquals(List.of("MULTICAST x"), a.received);
  }

  @Test
  @DisplayName("I12: umcast: a group that the host has left is not joined when it becomes free")
  void umcastUnwanted() {
    Station a = station(LinkConfig.DEFAULT.withUmcast(true));
    McMemberRecord full = new McMemberRecord().set(McMemberRecord.Field.MGID, GROUP);
    SaClient user = subnet.open(leases.getFirst().device(), 1);
    user.multicast().join(full, (membership, state, why) -> {});
    subnet.log.clear();
    a.link.join(GROUP);
    settle();
    a.link.leave(GROUP);
    user.close();
    pass(30_000);
    assertEquals(0, count("join " + GROUP));
    assertFalse(a.link.groups().containsKey(GROUP.toString()));
  }

  @ParameterizedTest(name = "group: MTU {0}, rate {1}: {2}")
  @CsvSource({
    "MTU_2048, 2, ''",
    "MTU_4096, 2, ''",
    "MTU_2048, 16, the broadcast group has a rate of 100000 Mb/s but the port of 2500 Mb/s",
  })
  @DisplayName("linux-rdma/opensm#38: MTU and rate of the group are compared with the port's")
  void check(Mtu mtu, int rate, String warning) {
    subnet.mtu = mtu;
    subnet.rate = rate;
    Station a = station();
    assertTrue(a.link.state().carrier());
    assertTrue(a.link.warning().startsWith(warning), a.link.warning());
    assertEquals(warning.isEmpty(), a.link.warning().isEmpty());
  }

  @Test
  @DisplayName("linux-rdma/opensm#38, I9: a group MTU above the port's is reported and not used")
  void longMtu() {
    subnet.mtu = Mtu.MTU_4096;
    Station a = station();
    nodes.getFirst().port().update(b -> b.activeMtu(Mtu.MTU_1024));
    nodes.getFirst().cable(false);
    nodes.getFirst().cable(true);
    Lab.await(
        () -> port().activeMtu() == Mtu.MTU_1024 && port().state() == PortState.ACTIVE, "seen");
    a.link.event(EventType.PORT_ACTIVE);
    settle();
    assertTrue(a.link.warning().contains("MTU of 4096 but the port of 1024"), a.link.warning());
    assertEquals(1020, a.link.state().mtu());
  }
}
