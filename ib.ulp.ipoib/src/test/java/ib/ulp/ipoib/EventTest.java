package ib.ulp.ipoib;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.Gid;
import ib.core.verbs.IbExistsException;
import ib.core.verbs.IbInvalidException;
import ib.ulp.ipoib.link.LinkConfig;
import ib.ulp.ipoib.net.Backend;
import ib.ulp.ipoib.net.NetIf;
import ib.ulp.ipoib.testing.Lab;
import ib.ulp.ipoib.wire.Ip;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("1.5: events of the port, P_Key children, and the complaints of section 7 about them")
@Timeout(600)
class EventTest {
  private static final long PATIENCE_NS = 600_000_000_000L;
  private final Lab lab = new Lab(2, LinkConfig.DEFAULT, name -> Backend.inJvm());
  private NetIf a;
  private NetIf b;

  @BeforeEach
  void up() {
    a = lab.stack("ib0");
    b = lab.stack("ib1");
    address(a, 1);
    address(b, 2);
    lab.up("ib0");
    lab.up("ib1");
  }

  private static void address(NetIf stack, int host) {
    stack.address(Ip.parse("10.96.0." + host), 24);
    stack.address(Ip.parse("fd00::" + host), 64);
  }

  @AfterEach
  void close() {
    lab.close();
  }

  private void reach(NetIf from, int host) throws Exception {
    assertTrue(from.ping(Ip.parse("10.96.0." + host), 56, PATIENCE_NS).get() > 0);
    assertTrue(from.ping(Ip.parse("fd00::" + host), 56, PATIENCE_NS).get() > 0);
  }

  private void down(String name, String reason) {
    Lab.await(
        () ->
            !lab.device(name).state().carrier() && lab.device(name).state().reason().equals(reason),
        name + " down: " + reason);
  }

  @Test
  @DisplayName("A8: ib:netif shows how many packets of the port a switch has dropped, by reason")
  void partitionEnforced() {
    Map<String, Long> lost =
        Map.of("fabric_drop_partition_in", 3L, "fabric_drop_no_route", 0L, "drop_opcode", 5L);
    String stats = NetifCommand.run(lab.ipoib, (device, port) -> lost, "stats", "ib0");
    assertTrue(stats.contains("fabric_drop_partition_in  "), stats);
    assertFalse(stats.contains("no_route") || stats.contains("drop_opcode"), stats);
    String told = "3 packets of its port were of a partition that a switch does not pass";
    assertTrue(NetifCommand.run(lab.ipoib, (device, port) -> lost).contains(told));
    String show = NetifCommand.run(lab.ipoib, (device, port) -> lost, "show", "ib0");
    assertTrue(show.contains("warning: " + told), show);
  }

  @Test
  @DisplayName("I4, PORT_ERR, PORT_ACTIVE: carrier follows the port, and says why it is off")
  void cable() throws Exception {
    reach(a, 2);
    lab.nodes.get(1).cable(false);
    down("ib1", "waiting: port DOWN");
    lab.nodes.get(1).cable(true);
    lab.up("ib1");
    reach(a, 2);
  }

  @Test
  @DisplayName("CLIENT_REREGISTER with a dead subnet manager: carrier stays, no ping is lost")
  void reregister() throws Exception {
    reach(a, 2);
    lab.subnet.hold();
    lab.subnet.reregister();
    lab.nodes.forEach(node -> node.port().clientReregister());
    for (int i = 0; i < 20; i++) {
      reach(a, 2);
    }
    assertTrue(lab.device("ib0").state().carrier());
    lab.subnet.release();
    reach(a, 2);
  }

  @Test
  @DisplayName(
      "62004871, join fails after a change of P_Key[0]: all groups are those of the new partition,"
          + " IPv4 and IPv6 ping")
  void firstPkey() throws Exception {
    reach(a, 2);
    lab.nodes.forEach(node -> node.port().pkeys(0x8123));
    for (String name : List.of("ib0", "ib1")) {
      Lab.await(
          () -> {
            var groups = lab.device(name).groups();
            return lab.device(name).state().carrier()
                && groups.size() >= 5
                && groups.keySet().stream().allMatch(g -> g.split(":")[2].equals("8123"));
          },
          "groups of 0x8123 alone");
    }
    reach(a, 2);
    reach(b, 1);
  }

  @Test
  @DisplayName("PKEY_CHANGE that does not concern the interface disturbs nothing")
  void otherPkey() throws Exception {
    reach(a, 2);
    int qpn = lab.device("ib0").state().address().qpn();
    long joins = lab.device("ib0").statistics().get("joins");
    lab.nodes.getFirst().port().pkeys(0xffff, 0x8005);
    NetDevice child = lab.ipoib.createChild("ib0", 5);
    lab.up(child.name());
    reach(a, 2);
    assertEquals(qpn, lab.device("ib0").state().address().qpn());
    assertEquals(joins, lab.device("ib0").statistics().get("joins"));
  }

  @Test
  @DisplayName("GID_CHANGE: the link address follows and is announced (D5)")
  void gid() throws Exception {
    reach(a, 2);
    Gid moved = Gid.parse("fe80::aa:1");
    lab.nodes.getFirst().port().gid(0, moved);
    Lab.await(() -> lab.device("ib0").state().address().gid().equals(moved), "address");
    Lab.await(
        () -> lab.device("ib1").neighbours().get("10.96.0.1").contains("00:00:00:00:00:aa:00:01"),
        "announced");
    reach(b, 1);
    reach(a, 2);
  }

  @Test
  @DisplayName("D5: a neighbour that returns with another queue pair is resolved again")
  void comesBack() throws Exception {
    reach(a, 2);
    lab.unplug(1);
    lab.plug();
    address(lab.stack("ib1"), 2);
    lab.up("ib1");
    reach(lab.stack("ib1"), 1);
    reach(a, 2);
  }

  @Test
  @DisplayName(
      "I11, ipoib-cni#11, LOWERLAYERDOWN: a child waits for its P_Key, says so, comes up with it;"
          + " limited and full reach it")
  void child() throws Exception {
    NetDevice left = lab.ipoib.createChild("ib0", 0x0001);
    NetDevice right = lab.ipoib.createChild("ib1", 0x8001);
    assertEquals("ib0.8001", left.name(), "either spelling, one name");
    Lab.await(() -> left.state().reason().equals("waiting: P_Key 0x8001 missing"), "the reason");
    lab.nodes.get(0).port().pkeys(0xffff, 0x8001);
    lab.nodes.get(1).port().pkeys(0xffff, 0x0001);
    lab.up("ib0.8001");
    lab.up("ib1.8001");
    assertEquals(
        "ff12:401b:8001::ffff:ffff", right.state().broadcast().toString(), "limited, bit 15 set");
    address((NetIf) left.host(), 1);
    address((NetIf) right.host(), 2);
    reach((NetIf) left.host(), 2);
    lab.ipoib.deleteChild("ib0.8001");
    reach(a, 2);
    assertEquals(3, lab.ipoib.interfaces().size());
  }

  @ParameterizedTest(name = "{0}")
  @ValueSource(ints = {0, 0x8000, 0xffff, 0x7fff})
  @DisplayName("I11: no child of P_Key 0, nor of the parent's own")
  void refused(int pkey) {
    assertThrows(IbInvalidException.class, () -> lab.ipoib.createChild("ib0", pkey));
  }

  @Test
  @DisplayName(
      "I11: a second child of a partition, a child of a child, and a child of no parent "
          + "are refused")
  void refusedChildren() {
    lab.ipoib.createChild("ib0", 2);
    assertThrows(IbExistsException.class, () -> lab.ipoib.createChild("ib0", 0x8002));
    assertThrows(IbInvalidException.class, () -> lab.ipoib.createChild("ib0.8002", 3));
    assertThrows(IbInvalidException.class, () -> lab.ipoib.createChild("ib7", 3));
    assertThrows(IbInvalidException.class, () -> lab.ipoib.deleteChild("ib0"));
    lab.ipoib.deleteChild("ib0.8002");
    lab.ipoib.createChild("ib0", 0x8002);
  }

  @Test
  @DisplayName(
      "section 7, several HCAs on one subnet, ARP flux: each answers for its own address alone")
  void flux() throws Exception {
    lab.plug();
    address(lab.stack("ib2"), 3);
    lab.up("ib2");
    reach(a, 2);
    reach(a, 3);
    String two = lab.device("ib0").neighbours().get("10.96.0.2");
    String three = lab.device("ib0").neighbours().get("10.96.0.3");
    assertTrue(two.startsWith(lab.device("ib1").state().address().toString()), two);
    assertTrue(three.startsWith(lab.device("ib2").state().address().toString()), three);
  }

  @Test
  @DisplayName("network-operator#1646, NO-CARRIER: the reason of a refused join is shown in words")
  void reason() {
    lab.subnet.refuse = group -> true;
    lab.nodes.get(1).cable(false);
    down("ib1", "waiting: port DOWN");
    lab.nodes.get(1).cable(true);
    Lab.await(() -> lab.device("ib1").state().reason().contains("0x0200"), "the reason");
    assertTrue(
        Stream.of("join refused", "REQUEST_INVALID")
            .allMatch(lab.device("ib1").state().reason()::contains),
        lab.device("ib1").state().reason());
  }

  @Test
  @DisplayName("ib:netif: list, show, stats, neigh, paths, groups, add, del, addr, ping")
  void command() throws Exception {
    reach(a, 2);
    String list = NetifCommand.run(lab.ipoib);
    assertTrue(list.startsWith("NAME  DEVICE   STATE  MTU   ADDRESS"), list);
    assertTrue(list.contains("\nib0   soft0/1  UP     2044  "), list);
    String show = NetifCommand.run(lab.ipoib, "show", "ib0");
    assertTrue(show.startsWith("ib0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 2044 "), show);
    assertTrue(show.contains(" mode datagram umcast 0 speed "), show);
    assertTrue(show.contains("\n    link/infiniband 00:"), show);
    assertTrue(NetifCommand.run(lab.ipoib, "stats", "ib0").contains("tx_packets"));
    assertTrue(NetifCommand.run(lab.ipoib, "neigh", "ib0").contains("10.96.0.2"));
    assertTrue(NetifCommand.run(lab.ipoib, "paths", "ib0").contains("lid 0x0002"));
    assertTrue(NetifCommand.run(lab.ipoib, "groups", "ib0").contains("ff12:401b:ffff::ffff:ffff"));
    assertEquals("ib0.8001", NetifCommand.run(lab.ipoib, "add", "ib0", "0x1"));
    Lab.await(() -> NetifCommand.run(lab.ipoib).contains("P_Key 0x8001 missing"), "the reason");
    NetifCommand.run(lab.ipoib, "del", "ib0.8001");
    NetifCommand.run(lab.ipoib, "addr", "ib0", "10.97.0.1/24");
    Lab.await(() -> NetifCommand.run(lab.ipoib, "addr", "ib0").contains("10.97.0.1"), "address");
    String ping = NetifCommand.run(lab.ipoib, "ping", "ib0", "10.96.0.2", "2");
    assertTrue(ping.endsWith("2 packets transmitted, 2 received"), ping);
    assertTrue(NetifCommand.run(lab.ipoib, "help").startsWith("usage:"));
    assertThrows(IbInvalidException.class, () -> NetifCommand.run(lab.ipoib, "show", "ib9"));
  }
}
