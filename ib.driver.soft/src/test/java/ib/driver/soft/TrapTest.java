package ib.driver.soft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.mad.smp.MadField;
import ib.core.mad.smp.PortCapability;
import ib.core.mad.smp.PortInfo;
import ib.core.mad.smp.Smp;
import ib.core.mad.smp.SmpAttribute;
import ib.core.sa.PortInfoRecord;
import ib.core.sa.SaClient;
import ib.core.verbs.AddressHandle;
import ib.core.verbs.AhAttr;
import ib.core.verbs.IbDevice;
import ib.core.verbs.Mtu;
import ib.core.verbs.PortModify;
import ib.core.verbs.QpAttr;
import ib.core.verbs.QpType;
import ib.core.verbs.SendFlags;
import ib.driver.soft.fabric.Datagram;
import ib.driver.soft.fabric.Subnet;
import ib.driver.soft.topology.NodePort;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("4.4 traps of adapters and switches, repeated until they are repressed (IBA 14.2.5.1)")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class TrapTest {
  private static final int MAX_TIMES = 5;

  private static Subnet subnet(Lab lab) {
    return lab.fabric.subnetOf("soft0");
  }

  private static NodePort port(Lab lab, String name) {
    return subnet(lab).node(name).port(1);
  }

  private static long counter(NodePort port, PortInfo which) {
    MemorySegment data = MemorySegment.ofArray(new byte[64]);
    assertEquals(0, ib.driver.soft.sma.Sma.get(port, SmpAttribute.PORT_INFO, 0, data));
    return which.of(data);
  }

  static void datagram(Side from, Side to, int qkey) {
    AhAttr there = AhAttr.ofLid(1, to.lid(), 3);
    try (AddressHandle ah = from.pd.createAh(there)) {
      from.qp.wrStart();
      from.qp.wrId(1).wrFlags(SendFlags.SIGNALED);
      from.qp.wrSend();
      from.qp.wrSetUdAddress(ah, to.qp.qpn(), qkey);
      from.qp.wrSetSge(from.mr.lkey(), from.mr.iova(), 64);
      assertEquals(0, from.qp.wrComplete());
      from.next(1);
    }
  }

  @Test
  @DisplayName("258 D7 a wrong Q_Key: counted, one trap that says who, whom and which key")
  void wrongQkey() {
    try (Lab lab = new Lab("soft0", "soft1");
        TrapSink sink = new TrapSink(subnet(lab)).represses(true)) {
      Side a = lab.side("soft0");
      Side b = lab.side("soft1");
      Side.connect(QpType.UD, a, b, Mtu.MTU_4096);
      datagram(a, b, 0x22222222);
      MemorySegment n = sink.await(258);
      assertEquals(1, counter(port(lab, "soft1"), PortInfo.Q_KEY_VIOLATIONS));
      assertEquals(a.lid(), TrapSink.detail(n, 16, 16));
      assertEquals(b.lid(), TrapSink.detail(n, 32, 16));
      assertEquals(0x22222222, TrapSink.detail(n, 48, 32));
      assertEquals(3, TrapSink.detail(n, 80, 4), "service level");
      assertEquals(a.qp.qpn(), TrapSink.detail(n, 88, 24));
      assertEquals(b.qp.qpn(), TrapSink.detail(n, 120, 24));
      assertEquals(b.lid(), ib.core.mad.smp.NoticeLayout.ISSUER_LID.in(n));
      assertEquals(0, sink.count(257));
      b.receive(7, 0, 256);
      datagram(a, b, Side.QKEY);
      b.next(7);
      assertEquals(
          1, counter(port(lab, "soft1"), PortInfo.Q_KEY_VIOLATIONS), "a right one is none");
    }
  }

  @Test
  @DisplayName("257 D7 a P_Key of no partition of the receiver: counted, and a trap")
  void wrongPkey() {
    try (Lab lab = new Lab()) {
      lab.configure("soft0", "pkeys", new String[] {"0xffff", "0x8123"});
      lab.configure("soft1");
      try (TrapSink sink = new TrapSink(subnet(lab)).represses(true)) {
        Side a = lab.side("soft0");
        Side b = lab.side("soft1");
        Side.connect(QpType.UD, a, b, Mtu.MTU_4096);
        a.qp.modify(new QpAttr().state(ib.core.verbs.QpState.RESET));
        a.qp.modify(
            new QpAttr().state(ib.core.verbs.QpState.INIT).pkeyIndex(1).port(1).qkey(Side.QKEY));
        a.qp.modify(new QpAttr().state(ib.core.verbs.QpState.RTR));
        a.qp.modify(new QpAttr().state(ib.core.verbs.QpState.RTS).sqPsn(0));
        datagram(a, b, Side.QKEY);
        MemorySegment n = sink.await(257);
        assertEquals(1, counter(port(lab, "soft1"), PortInfo.P_KEY_VIOLATIONS));
        assertEquals(0x8123, TrapSink.detail(n, 48, 32));
        assertEquals(a.qp.qpn(), TrapSink.detail(n, 88, 24));
      }
    }
  }

  @Test
  @DisplayName("259 a switch that enforces partitions: not passed, counted by PMA, and a trap")
  void switchRefuses() {
    try (Lab lab = new Lab("soft0", "soft1");
        TrapSink sink = new TrapSink(subnet(lab)).represses(true)) {
      Side a = lab.side("soft0");
      Side b = lab.side("soft1");
      Side.connect(QpType.UD, a, b, Mtu.MTU_4096);
      b.receive(7, 0, 256);
      datagram(a, b, Side.QKEY);
      b.next(7);
      NodePort leaf = port(lab, "soft0").peer();
      enforce(subnet(lab), leaf, 0x8123);
      datagram(a, b, Side.QKEY);
      MemorySegment n = sink.await(259);
      assertEquals(a.lid(), TrapSink.detail(n, 16, 16));
      assertEquals(b.lid(), TrapSink.detail(n, 32, 16));
      assertEquals(0xffff, TrapSink.detail(n, 48, 16));
      assertEquals(b.qp.qpn(), TrapSink.detail(n, 104, 24));
      assertEquals(leaf.node().port(0).lid(), TrapSink.detail(n, 384, 16));
      assertEquals(leaf.number(), TrapSink.detail(n, 400, 8));
      assertEquals(1, leaf.tally().refusedIn.get(), "PortRcvConstraintErrors");
      assertEquals(0, counter(port(lab, "soft1"), PortInfo.P_KEY_VIOLATIONS), "never got there");
      enforce(subnet(lab), leaf, 0xffff);
      b.receive(8, 0, 256);
      datagram(a, b, Side.QKEY);
      b.next(8);
    }
  }

  private static void enforce(Subnet subnet, NodePort leaf, int pkey) {
    synchronized (subnet.fabric()) {
      MemorySegment table = MemorySegment.ofArray(new byte[64]);
      MadField.write(table, 0, 16, pkey);
      NodePort zero = leaf.node().port(0);
      assertEquals(0, subnet.set(zero, SmpAttribute.PKEY_TABLE, leaf.number() << 16, table));
      MemorySegment data = MemorySegment.ofArray(new byte[64]).copyFrom(leaf.info());
      PortInfo.PORT_STATE.set(data, 0);
      PortInfo.PORT_PHYS_STATE.set(data, 0);
      PortInfo.PARTITION_ENFORCEMENT_INBOUND.set(data, 1);
      PortInfo.PARTITION_ENFORCEMENT_OUTBOUND.set(data, 1);
      assertEquals(0, subnet.set(zero, SmpAttribute.PORT_INFO, leaf.number(), data));
      subnet.settle();
    }
  }

  @Test
  @DisplayName("129 more damaged packets than the port tolerates: an integrity error, and a trap")
  void linkIntegrity() {
    try (Lab lab = new Lab("soft0", "soft1")) {
      try (TrapSink sink = new TrapSink(subnet(lab)).represses(true)) {
        Side a = lab.side("soft0");
        Side b = lab.side("soft1");
        Side.connect(QpType.UD, a, b, Mtu.MTU_4096);
        lab.configure("soft1", "faults", "corrupt rate=1 dir=in qp=" + b.qp.qpn());
        NodePort port = port(lab, "soft1");
        int borne = PortInfo.LOCAL_PHY_ERRORS.in(port.info());
        assertTrue(borne > 0);
        for (int i = 0; i < borne; i++) {
          datagram(a, b, Side.QKEY);
        }
        assertEquals(0, port.tally().integrity.get(), "as many as it bears");
        datagram(a, b, Side.QKEY);
        MemorySegment n = sink.await(129);
        assertEquals(b.lid(), TrapSink.detail(n, 16, 16));
        assertEquals(1, TrapSink.detail(n, 32, 8), "port");
        assertEquals(1, port.tally().integrity.get(), "LocalLinkIntegrityErrors");
      }
    }
  }

  @Test
  @DisplayName("256 an SMP with a wrong M_Key: no answer, counted, and a trap")
  void wrongMkey() {
    try (Lab lab = new Lab("soft0", "soft1");
        TrapSink sink = new TrapSink(subnet(lab)).represses(true)) {
      NodePort locked = port(lab, "soft1");
      Subnet subnet = subnet(lab);
      synchronized (lab.fabric) {
        lock(locked);
        wrongMkey(lab, locked, 0xbadL);
        subnet.carry();
      }
      MemorySegment n = sink.await(256);
      assertEquals(1, counter(locked, PortInfo.M_KEY_VIOLATIONS));
      assertEquals(locked.lid(), TrapSink.detail(n, 16, 16));
      assertEquals(port(lab, "soft0").lid(), TrapSink.detail(n, 32, 16));
      assertEquals(SmpAttribute.NODE_INFO.id(), TrapSink.detail(n, 80, 16));
      assertEquals(0xbadL, TrapSink.detail(n, 128, 64));
    }
  }

  private static void lock(NodePort port) {
    PortInfo.M_KEY.set(port.info(), 0xfeedL);
    PortInfo.M_KEY_PROTECT_BITS.set(port.info(), 2);
  }

  /** An SMP of soft0 with a wrong M_Key. */
  private static void wrongMkey(Lab lab, NodePort locked, long mkey) {
    MemorySegment mad = MemorySegment.ofArray(new byte[256]);
    MadField.write(mad, 0, 8, 1);
    Smp.MGMT_CLASS.set(mad, Smp.CLASS_LID);
    MadField.write(mad, 16, 8, 1);
    Smp.METHOD.set(mad, 1);
    Smp.ATTRIBUTE_ID.set(mad, SmpAttribute.NODE_INFO.id());
    Smp.M_KEY.set(mad, mkey);
    Datagram d = new Datagram(mad);
    d.slid = port(lab, "soft0").lid();
    d.dlid = locked.lid();
    subnet(lab).send(port(lab, "soft0"), d);
  }

  private static boolean again(Lab lab, NodePort locked) {
    synchronized (lab.fabric) {
      wrongMkey(lab, locked, 0xbadL);
      subnet(lab).carry();
    }
    return true;
  }

  @Test
  @DisplayName("256 a thousand different ones at once: 16 traps, the rest counted by reason")
  void manyWrongMkeys() {
    try (Lab lab = new Lab("soft0", "soft1");
        TrapSink sink = new TrapSink(subnet(lab))) {
      NodePort locked = port(lab, "soft1");
      int count = 1000;
      synchronized (lab.fabric) {
        lock(locked);
        for (int i = 0; i < count; i++) {
          wrongMkey(lab, locked, 0xbad0000L + i);
        }
        subnet(lab).carry();
      }
      assertEquals(count, counter(locked, PortInfo.M_KEY_VIOLATIONS));
      long refused =
          lab.fabric
              .incidents()
              .refused("a trap while enough of its number are repeated by the port");
      assertEquals(count - 16, refused);
      OpensmTest.await("all are over", () -> sink.count(256) == 16L * MAX_TIMES);
      assertEquals(16, sink.distinct(256));
      OpensmTest.await("there is room again", () -> again(lab, locked) && sink.distinct(256) > 16);
    }
  }

  @Test
  @DisplayName("144 the capability mask: a connection manager comes and goes, a trap each; no more")
  void capabilityMask() {
    int cm = PortCapability.IS_CM_SUPPORTED.mask();
    try (Lab lab = new Lab("soft0", "soft1");
        TrapSink sink = new TrapSink(subnet(lab)).represses(true)) {
      NodePort port = port(lab, "soft1");
      int before = port.capabilities();
      IbDevice device = lab.lease("soft1");
      device.modifyPort(1, new PortModify(cm, 0, false, false));
      MemorySegment n = sink.await(144);
      assertEquals(port.lid(), TrapSink.detail(n, 16, 16));
      assertEquals(before | cm, (int) TrapSink.detail(n, 48, 32));
      assertEquals(before | cm, (int) counter(port, PortInfo.CAPABILITY_MASK));
      device.modifyPort(1, new PortModify(cm, 0, true, false));
      assertEquals(1, sink.distinct(144), "nothing has changed");
      device.modifyPort(1, new PortModify(0, cm, false, false));
      OpensmTest.await("another", () -> sink.distinct(144) == 2);
      assertEquals(before, (int) counter(port, PortInfo.CAPABILITY_MASK));
    }
  }

  @Test
  @DisplayName("144, 15.4: a subscriber gets a report, and the built-in manager knows the new mask")
  void capabilityMaskReported() throws Exception {
    int cm = PortCapability.IS_CM_SUPPORTED.mask();
    try (Lab lab = new Lab("soft0", "soft1");
        SaClient sa = SaClient.open(lab.lease("soft0"), 1)) {
      BlockingQueue<ib.core.sa.Notice> reports = new LinkedBlockingQueue<>();
      sa.subscribe(144, reports::add).confirmed().get(10, TimeUnit.MINUTES);
      lab.lease("soft1").modifyPort(1, new PortModify(cm, 0, false, false));
      ib.core.sa.Notice told = reports.poll(10, TimeUnit.MINUTES);
      assertEquals(144, told.value(ib.core.sa.Notice.Field.TRAP_NUMBER));
      PortInfoRecord query =
          new PortInfoRecord().set(PortInfoRecord.Field.LID, port(lab, "soft1").lid());
      PortInfoRecord now = sa.get(query).get(10, TimeUnit.MINUTES);
      assertEquals(cm, (int) now.number(PortInfoRecord.Field.CAPABILITY_MASK) & cm);
    }
  }

  @Test
  @DisplayName("IBA 13.4.9: a trap is sent five times at most, and only once if it is repressed")
  void repeated() {
    try (Lab lab = new Lab("soft0", "soft1");
        TrapSink sink = new TrapSink(subnet(lab))) {
      Side a = lab.side("soft0");
      Side b = lab.side("soft1");
      Side.connect(QpType.UD, a, b, Mtu.MTU_4096);
      datagram(a, b, 0x22222222);
      OpensmTest.await("five times", () -> sink.count(258) >= MAX_TIMES);
      assertEquals(1, sink.distinct(258));
      sink.represses(true);
      datagram(a, b, 0x33333333);
      OpensmTest.await("another", () -> sink.distinct(258) == 2);
      assertEquals(MAX_TIMES + 1, sink.count(258));
    }
  }

  @Test
  @DisplayName("IBA 13.4.9 B8: a switch whose trap 128 is repressed says it once")
  void switchIsRepressed() {
    try (Lab lab = new Lab("soft0", "soft1", "soft2");
        TrapSink sink = new TrapSink(subnet(lab)).represses(true)) {
      Side a = lab.side("soft0");
      Side b = lab.side("soft1");
      Side.connect(QpType.UD, a, b, Mtu.MTU_4096);
      lab.configure("soft2", "link", "down");
      sink.await(128);
      synchronized (lab.fabric) { // its answer is sent by now
        sink.represses(false);
      }
      datagram(a, b, 0x22222222);
      OpensmTest.await("a later one, five times", () -> sink.count(258) >= MAX_TIMES);
      assertEquals(1, sink.count(128), "it would have been repeated as often");
    }
  }
}
