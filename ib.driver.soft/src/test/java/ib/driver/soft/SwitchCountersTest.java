package ib.driver.soft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import ib.core.mad.smp.MadField;
import ib.core.mad.smp.PortCounters;
import ib.core.mad.smp.Smp;
import ib.core.verbs.AddressHandle;
import ib.core.verbs.AhAttr;
import ib.core.verbs.Gid;
import ib.core.verbs.GlobalRoute;
import ib.core.verbs.Mtu;
import ib.core.verbs.NodeType;
import ib.core.verbs.QpType;
import ib.core.verbs.SendFlags;
import ib.driver.soft.fabric.Subnet;
import ib.driver.soft.ibsim.IbsimDoor;
import ib.driver.soft.sma.Agents;
import ib.driver.soft.topology.Node;
import ib.driver.soft.topology.NodePort;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("Issue 5, 2: port counters of switches that count, also between switches (IBA 16.1.3)")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class SwitchCountersTest {
  private static final int PACKETS = 5;
  private static final int BYTES = 1000;
  private static final int WORDS = (8 + 12 + 4 + BYTES) / 4; // LRH, BTH, ICRC: RC without GRH
  private static final int UD_WORDS = (8 + 12 + 8 + 4 + BYTES) / 4;
  private static final int UD_WORDS_GLOBAL = UD_WORDS + 10;

  @TempDir Path dir;

  /** soft0 - left[1], left[9] - right[9], right[1] - soft1, right[2] - soft2. */
  static Subnet describe(Lab lab) {
    Node left = new Node(NodeType.SWITCH, 0x0200_0000_0000_0001L, 9, "left");
    Node right = new Node(NodeType.SWITCH, 0x0200_0000_0000_0002L, 9, "right");
    left.port(9).cable(right.port(9));
    List<Node> nodes = new ArrayList<>(List.of(left, right));
    NodePort[] leaves = {left.port(1), right.port(1), right.port(2)};
    for (int i = 0; i < leaves.length; i++) {
      Node node = new Node(NodeType.CA, 0x0300_0000_0000_0000L + 16L * i, 1, "soft" + i);
      node.port(1).cable(leaves[i]);
      nodes.add(node);
    }
    return lab.fabric.describe("two", nodes);
  }

  private static MemorySegment counters(Subnet subnet, String node, int port, int method) {
    MemorySegment mad = MemorySegment.ofArray(new byte[256]);
    MadField.write(mad, 0, 8, 1);
    Smp.MGMT_CLASS.set(mad, 4);
    MadField.write(mad, 16, 8, 1);
    Smp.METHOD.set(mad, method);
    Smp.ATTRIBUTE_ID.set(mad, 0x12);
    PortCounters.PORT_SELECT.set(mad.asSlice(64), port);
    PortCounters.COUNTER_SELECT.set(mad.asSlice(64), 0xffff);
    synchronized (subnet.fabric()) {
      Agents agents = subnet.agents();
      MemorySegment answer = agents.answer(subnet.node(node).managed(null), mad, 1);
      assertEquals(0, MadField.read(answer, 32, 16), "status");
      return answer.asSlice(64);
    }
  }

  private static void assertCounted(
      MemorySegment c, long sent, long sentWords, long received, long receivedWords) {
    assertEquals(sent, PortCounters.XMIT_PKTS.of(c), "PortXmitPkts");
    assertEquals(sentWords, PortCounters.XMIT_DATA.of(c), "PortXmitData");
    assertEquals(received, PortCounters.RCV_PKTS.of(c), "PortRcvPkts");
    assertEquals(receivedWords, PortCounters.RCV_DATA.of(c), "PortRcvData");
  }

  @Test
  @DisplayName(
      "between switches: packets and words of UC, UD and multicast; reset of one end alone")
  void betweenSwitches() {
    try (Lab lab = new Lab()) {
      Subnet subnet = describe(lab);
      for (int i = 0; i < 3; i++) {
        lab.configure("soft" + i);
      }
      Side a = lab.side("soft0");
      Side b = lab.side("soft1");
      Side c = lab.side("soft2");
      Side.connect(QpType.UC, a, b, Mtu.MTU_1024);
      send(a, b, PACKETS);
      assertCounted(counters(subnet, "left", 9, 1), PACKETS, PACKETS * WORDS, 0, 0);
      assertCounted(counters(subnet, "right", 9, 1), 0, 0, PACKETS, PACKETS * WORDS);
      counters(subnet, "left", 9, 2);
      assertCounted(counters(subnet, "left", 9, 1), 0, 0, 0, 0);
      assertCounted(counters(subnet, "right", 9, 1), 0, 0, PACKETS, PACKETS * WORDS);
      counters(subnet, "right", 9, 2);
      Side.connect(QpType.UC, b, c, Mtu.MTU_1024);
      send(b, c, PACKETS);
      assertCounted(counters(subnet, "right", 9, 1), 0, 0, 0, 0);
      multicast(a, b, c);
      assertCounted(counters(subnet, "left", 9, 1), 1, UD_WORDS_GLOBAL, 0, 0);
      assertCounted(counters(subnet, "right", 9, 1), 0, 0, 1, UD_WORDS_GLOBAL);
      all(subnet);
      lab.fabric.forget(subnet);
    }
  }

  private static long sent(Subnet subnet) {
    return PortCounters.XMIT_PKTS.of(counters(subnet, "left", 255, 1));
  }

  private String tool(int port, String... command) {
    try {
      return Opensm.tool(port, "soft2", dir, command);
    } catch (IOException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** AllPortSelect, 255: the sum over the ports. */
  private static void all(Subnet subnet) {
    long sent = 0;
    for (int port = 1; port <= 9; port++) {
      sent += PortCounters.XMIT_PKTS.of(counters(subnet, "right", port, 1));
    }
    assertEquals(sent, PortCounters.XMIT_PKTS.of(counters(subnet, "right", 255, 1)));
    assertTrue(sent >= 2 * PACKETS + 2, sent + " packets to the adapters");
  }

  private static void send(Side a, Side b, int packets) {
    for (int i = 0; i < packets; i++) {
      b.receive(i, 0, BYTES);
      a.send(i, 0, BYTES);
      a.next(i);
      b.next(i);
    }
  }

  private static void multicast(Side a, Side b, Side c) {
    Gid group = new Gid(0xff12_401b_ffff_0000L, 0x0102_0304L);
    int mlid = 0xC123;
    Side.connect(QpType.UD, a, b, Mtu.MTU_1024);
    c.open(QpType.UD);
    c.bringUp(a, Mtu.MTU_1024);
    for (Side to : List.of(a, b, c)) { // who is no member has no branch of the tree
      to.qp.attachMulticast(group, mlid);
      if (to != a) {
        to.receive(3, 0, BYTES + 40);
      }
    }
    AhAttr there = AhAttr.ofLid(1, mlid, 0, GlobalRoute.to(group, 0));
    try (AddressHandle ah = a.pd.createAh(there)) {
      a.qp.wrStart();
      a.qp.wrId(9).wrFlags(SendFlags.SIGNALED);
      a.qp.wrSend();
      a.qp.wrSetUdAddress(ah, 0xFFFFFF, Side.QKEY);
      a.qp.wrSetSge(a.mr.lkey(), a.mr.iova(), BYTES);
      assertEquals(0, a.qp.wrComplete());
      a.next(9);
    }
    b.next(3);
    c.next(3);
    for (Side of : List.of(a, b, c)) {
      of.qp.detachMulticast(group, mlid);
    }
  }

  @Test
  @DisplayName("perfquery of infiniband-diags reads the same: a link's port, and -a for all ports")
  void perfquery() throws Exception {
    assumeTrue(Opensm.missing().isEmpty(), () -> Opensm.missing().get());
    List<String> errors = new ArrayList<>();
    try (Lab lab = new Lab()) {
      Subnet subnet = describe(lab);
      for (int i = 0; i < 3; i++) {
        lab.configure("soft" + i);
      }
      int port = Opensm.freePort();
      try (IbsimDoor door = new IbsimDoor(lab.fabric, port, errors::add)) {
        Side a = lab.side("soft0");
        Side b = lab.side("soft1");
        Side.connect(QpType.UC, a, b, Mtu.MTU_1024);
        send(a, b, PACKETS);
        int lid = subnet.node("left").port(0).lid();
        String one = tool(port, "perfquery", "" + lid, "9");
        assertTrue(one.contains("PortXmitPkts:...................." + PACKETS + "\n"), one);
        assertTrue(one.contains("PortXmitData:...................." + PACKETS * WORDS + "\n"), one);
        String[] all = {""};
        OpensmTest.await(
            "a reading while nobody else talks",
            () -> {
              long before = sent(subnet);
              all[0] = tool(port, "perfquery", "-a", "" + lid);
              return before == sent(subnet);
            });
        assertTrue(all[0].contains("PortSelect:......................255"), all[0]);
        String sum = "PortXmitPkts:...................." + sent(subnet) + "\n";
        assertTrue(all[0].contains(sum), all[0]);
        OpensmTest.await("the tools have gone", () -> door.clients().isEmpty());
        lab.fabric.forget(subnet);
      }
    }
    assertEquals(List.of(), errors);
  }
}
