package ib.driver.soft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import ib.core.mad.MadStatus;
import ib.core.mad.smp.MadField;
import ib.core.mad.smp.PortCounters;
import ib.core.mad.smp.PortRcvDataSl;
import ib.core.mad.smp.PortXmitDataSl;
import ib.core.mad.smp.PortXmitDiscardDetails;
import ib.core.mad.smp.Smp;
import ib.core.verbs.AddressHandle;
import ib.core.verbs.AhAttr;
import ib.core.verbs.Mtu;
import ib.core.verbs.QpType;
import ib.core.verbs.SendFlags;
import ib.driver.soft.fabric.Datagram;
import ib.driver.soft.fabric.MadConsumer;
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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("B5: details that performance agents count, and what they refuse (IBA 16.1.4, 13.4.7)")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class PmaDetailsTest {
  private static final int GET = 1;
  private static final int SET = 2;
  private static final int XMIT_DATA_SL = 0x36;
  private static final int RCV_DATA_SL = 0x37;
  private static final int DISCARD_DETAILS = 0x16;
  private static final int SAMPLES_CONTROL = 0x10;
  private static final int EXTENDED_SPEEDS = 0x1F;
  private static final int CLASS_PERFORMANCE = 0x04;
  private static final int CLASS_ADMINISTRATION = 0x03;
  private static final int CLASS_MELLANOX = 0x0A;
  private static final int CLASS_CONGESTION = 0x21;
  private static final int BYTES = 1000;
  private static final int WORDS = (8 + 12 + 8 + 4 + BYTES) / 4; // LRH, BTH, DETH, ICRC
  private static final int SL = 5;

  @TempDir Path dir;
  private final Lab lab = new Lab();
  private Subnet subnet;

  /** The topology of switches left and right, with datagrams of soft0 to soft1 on SL 5. */
  @BeforeEach
  void open() {
    subnet = SwitchCountersTest.describe(lab);
    for (int i = 0; i < 3; i++) {
      lab.configure("soft" + i);
    }
    Side a = lab.side("soft0");
    Side b = lab.side("soft1");
    Side.connect(QpType.UD, a, b, Mtu.MTU_1024);
    b.receive(1, 0, BYTES + 40);
    try (AddressHandle ah = a.pd.createAh(AhAttr.ofLid(1, b.lid(), SL))) {
      a.qp.wrStart();
      a.qp.wrId(2).wrFlags(SendFlags.SIGNALED);
      a.qp.wrSend();
      a.qp.wrSetUdAddress(ah, b.qp.qpn(), Side.QKEY);
      a.qp.wrSetSge(a.mr.lkey(), a.mr.iova(), BYTES);
      assertEquals(0, a.qp.wrComplete());
      a.next(2);
    }
    b.next(1);
  }

  @AfterEach
  void close() {
    lab.fabric.forget(subnet);
    lab.close();
  }

  private static MemorySegment request(int mgmtClass, int method, int attribute, int port) {
    MemorySegment mad = MemorySegment.ofArray(new byte[256]);
    MadField.write(mad, 0, 8, 1);
    Smp.MGMT_CLASS.set(mad, mgmtClass);
    MadField.write(mad, 16, 8, 1);
    Smp.METHOD.set(mad, method);
    Smp.TRANSACTION_ID.set(mad, 0x77_0000_0001L);
    Smp.ATTRIBUTE_ID.set(mad, attribute);
    PortCounters.PORT_SELECT.set(mad.asSlice(64), port);
    PortCounters.COUNTER_SELECT.set(mad.asSlice(64), 0xffff);
    return mad;
  }

  private MemorySegment ask(String node, int port, int method, int attribute) {
    MemorySegment mad = request(CLASS_PERFORMANCE, method, attribute, port);
    synchronized (subnet.fabric()) {
      Node asked = subnet.node(node);
      return subnet.agents().answer(asked.port(asked.isSwitch() ? 0 : 1), mad, 1);
    }
  }

  private MemorySegment data(String node, int port, int method, int attribute) {
    MemorySegment answer = ask(node, port, method, attribute);
    assertEquals(MadStatus.OK, Smp.STATUS.in(answer));
    return answer.asSlice(64);
  }

  private void assertSl(long sent, long received, String node, int port) {
    assertEquals(sent, PortXmitDataSl.SL5.of(data(node, port, GET, XMIT_DATA_SL)));
    assertEquals(received, PortRcvDataSl.SL5.of(data(node, port, GET, RCV_DATA_SL)));
  }

  @Test
  @DisplayName("PortXmitDataSL and PortRcvDataSL of adapters, of their switches, and between these")
  void serviceLevels() {
    assertSl(WORDS, 0, "soft0", 1);
    assertSl(0, WORDS, "left", 1);
    assertSl(WORDS, 0, "left", 9);
    assertSl(0, WORDS, "right", 9);
    assertSl(WORDS, 0, "right", 1);
    assertSl(0, WORDS, "soft1", 1);
    assertSl(0, 0, "soft2", 1);
    assertSl(WORDS, WORDS, "right", 255);
    assertEquals(0, PortXmitDataSl.SL4.of(data("left", 9, GET, XMIT_DATA_SL)));
  }

  @Test
  @DisplayName("Set resets the one attribute of the one port, and what the adapter of its link has")
  void resets() {
    data("left", 9, SET, XMIT_DATA_SL);
    assertSl(0, 0, "left", 9);
    assertSl(0, WORDS, "right", 9);
    data("right", 1, SET, XMIT_DATA_SL);
    assertSl(0, 0, "right", 1);
    assertSl(0, 0, "soft1", 1);
    assertSl(WORDS, 0, "soft0", 1);
  }

  @Test
  @DisplayName("PortXmitDiscardDetails: a packet that is longer than the MTU of the last link")
  void neighborMtu() {
    lab.configure("soft2", "mtu", 256);
    Side a = lab.side("soft0");
    Side c = lab.side("soft2");
    c.open(QpType.UD);
    a.open(QpType.UD);
    a.bringUp(c, Mtu.MTU_1024);
    try (AddressHandle ah = a.pd.createAh(AhAttr.ofLid(1, c.lid(), SL))) {
      a.qp.wrStart();
      a.qp.wrId(3).wrFlags(SendFlags.SIGNALED);
      a.qp.wrSend();
      a.qp.wrSetUdAddress(ah, c.qp.qpn(), Side.QKEY);
      a.qp.wrSetSge(a.mr.lkey(), a.mr.iova(), BYTES);
      assertEquals(0, a.qp.wrComplete());
      a.next(3);
    }
    MemorySegment details = data("right", 2, GET, DISCARD_DETAILS);
    assertEquals(1, PortXmitDiscardDetails.NEIGHBOR_MTU.of(details));
    assertEquals(0, PortXmitDiscardDetails.INACTIVE.of(details));
    assertEquals(1, PortCounters.XMIT_DISCARDS.of(data("right", 2, GET, 0x12)));
    data("right", 2, SET, DISCARD_DETAILS);
    details = data("right", 2, GET, DISCARD_DETAILS);
    assertEquals(0, PortXmitDiscardDetails.NEIGHBOR_MTU.of(details));
  }

  @Test
  @DisplayName("PortExtendedSpeedsCounters and PortSamplesControl: there, with nothing in them")
  void nothing() {
    for (int attribute : new int[] {EXTENDED_SPEEDS, SAMPLES_CONTROL}) {
      MemorySegment none = MemorySegment.ofArray(new byte[192]);
      PortCounters.PORT_SELECT.set(none, 1);
      assertEquals(-1, none.mismatch(data("soft0", 1, GET, attribute)));
      assertEquals(-1, none.mismatch(data("left", 1, GET, attribute)));
      assertEquals(MadStatus.INVALID_FIELD, Smp.STATUS.in(ask("left", 77, GET, attribute)));
    }
    assertEquals(
        MadStatus.BAD_METHOD_ATTRIBUTE, Smp.STATUS.in(ask("left", 1, SET, SAMPLES_CONTROL)));
  }

  @ParameterizedTest
  @ValueSource(ints = {0x11, 0x17, 0x30})
  @DisplayName("what nothing counts is an attribute that is not supported")
  void unsupported(int attribute) {
    for (String node : List.of("soft0", "left")) {
      assertEquals(MadStatus.BAD_METHOD_ATTRIBUTE, Smp.STATUS.in(ask(node, 1, GET, attribute)));
    }
  }

  /** Sends a datagram from soft2 to a node, and gives the answer, or null. */
  private MemorySegment exchange(String node, MemorySegment mad) {
    List<MemorySegment> answers = new ArrayList<>();
    NodePort from = subnet.node("soft2").port(1);
    MadConsumer consumer =
        (at, d) -> {
          boolean mine = d.response() && Smp.TRANSACTION_ID.of(d.mad) == 0x77_0000_0001L;
          if (mine) {
            answers.add(d.mad);
          }
          return mine;
        };
    synchronized (subnet.fabric()) {
      subnet.add(from, consumer);
      Datagram d = new Datagram(mad);
      d.slid = from.lid();
      d.dlid = subnet.node(node).port(0).lid();
      d.sourceQpn = 1;
      d.destQpn = 1;
      subnet.send(from, d);
      subnet.carry();
      subnet.remove(from, consumer);
    }
    return answers.isEmpty() ? null : answers.getFirst();
  }

  @ParameterizedTest
  @ValueSource(ints = {CLASS_MELLANOX, CLASS_CONGESTION})
  @DisplayName("a switch answers Get and Set of a class that it has not: not supported")
  void refused(int mgmtClass) {
    for (int method : List.of(GET, SET)) {
      MemorySegment answer = exchange("left", request(mgmtClass, method, 0x11, 0));
      assertEquals(0x81, Smp.METHOD.in(answer));
      assertEquals(MadStatus.BAD_VERSION, Smp.STATUS.in(answer));
      assertEquals(mgmtClass, Smp.MGMT_CLASS.in(answer));
    }
    int send = 3;
    assertNull(exchange("left", request(mgmtClass, send, 0x11, 0)), "nothing to answer");
    assertNull(Agents.refusal(request(CLASS_ADMINISTRATION, GET, 0x35, 0)), "the subnet's");
  }

  private String tool(int port, String line) {
    try {
      return Opensm.tool(port, "soft2", dir, line.split(" "));
    } catch (IOException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  @DisplayName("perfquery, vendstat and ibccquery of infiniband-diags, through the door")
  void originals() throws Exception {
    assumeTrue(Opensm.missing().isEmpty(), () -> Opensm.missing().get());
    List<String> errors = new ArrayList<>();
    int port = Opensm.freePort();
    try (IbsimDoor door = new IbsimDoor(lab.fabric, port, errors::add)) {
      int left = subnet.node("left").port(0).lid();
      String sent = tool(port, "perfquery -X " + left + " 9");
      assertTrue(sent.contains("# PortXmitDataSL counters: Lid " + left + " port 9\n"), sent);
      assertTrue(sent.contains("XmtDataSL5:......................" + WORDS + "\n"), sent);
      String received = tool(port, "perfquery -S " + left + " 1");
      assertTrue(received.contains("RcvDataSL5:......................" + WORDS + "\n"), received);
      String discards = tool(port, "perfquery -D " + left + " 1");
      assertTrue(discards.contains("PortNeighborMTUDiscards:.........0\n"), discards);
      String details = tool(port, "perfquery -E " + left + " 1");
      assertTrue(details.contains("PortLocalPhysicalErrors:.........0\n"), details);
      String speeds = tool(port, "perfquery -T " + left + " 1");
      assertTrue(speeds.contains("SyncHeaderErrorCounter:..........0\n"), speeds);
      String samples = tool(port, "perfquery -c " + left + " 1");
      assertTrue(samples.contains("CounterMasks1to9:................0x00000000\n"), samples);
      for (String line :
          List.of(
              "perfquery --rcvcc " + left + " 1",
              "vendstat -N " + left,
              "ibccquery CongestionInfo " + left)) {
        String refused = tool(port, line);
        assertTrue(refused.contains("iberror: failed: "), refused);
        assertFalse(refused.contains("_do_madrpc"), "silence is not an answer: " + refused);
      }
      OpensmTest.await("the tools have gone", () -> door.clients().isEmpty());
    }
    assertEquals(List.of(), errors);
  }
}
