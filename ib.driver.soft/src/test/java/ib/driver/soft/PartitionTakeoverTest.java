package ib.driver.soft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import ib.core.mad.smp.MadField;
import ib.core.mad.smp.PortInfo;
import ib.core.mad.smp.SmpAttribute;
import ib.core.spi.QpDiagnosis;
import ib.core.verbs.Mtu;
import ib.core.verbs.QpAttr;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.driver.soft.fabric.Subnet;
import ib.driver.soft.ibsim.IbsimDoor;
import ib.driver.soft.topology.NodePort;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("A8: after another subnet manager has gone, its partitions hold up no port")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class PartitionTakeoverTest {
  private static final String[] PKEYS = {"0xffff", "0x8123"};

  @TempDir Path dir;

  private static Subnet subnet(Lab lab) {
    return lab.fabric.subnetOf("soft0");
  }

  private static NodePort leaf(Lab lab, String name) {
    return subnet(lab).node(name).port(1).peer();
  }

  /** What a manager does that has switches enforce the default partition. */
  private static void enforce(Subnet subnet, NodePort leaf) {
    synchronized (subnet.fabric()) {
      NodePort zero = leaf.node().port(0);
      MemorySegment table = MemorySegment.ofArray(new byte[64]);
      MadField.write(table, 0, 16, 0xffff);
      MadField.write(table, 16, 16, 0x8007);
      subnet.set(zero, SmpAttribute.PKEY_TABLE, leaf.number() << 16, table);
      MemorySegment data = MemorySegment.ofArray(new byte[64]).copyFrom(leaf.info());
      PortInfo.PORT_STATE.set(data, 0);
      PortInfo.PORT_PHYS_STATE.set(data, 0);
      PortInfo.PARTITION_ENFORCEMENT_INBOUND.set(data, 1);
      PortInfo.PARTITION_ENFORCEMENT_OUTBOUND.set(data, 1);
      subnet.set(zero, SmpAttribute.PORT_INFO, leaf.number(), data);
      subnet.settle();
    }
  }

  private static void inNewPartition(Side side) {
    side.qp.modify(new QpAttr().state(QpState.RESET));
    side.qp.modify(new QpAttr().state(QpState.INIT).pkeyIndex(1).port(1).qkey(Side.QKEY));
    side.qp.modify(new QpAttr().state(QpState.RTR));
    side.qp.modify(new QpAttr().state(QpState.RTS).sqPsn(0));
  }

  private static void datagram(Side from, Side to) {
    TrapTest.datagram(from, to, Side.QKEY);
  }

  /** A partition that is made now reaches from one adapter to the other. */
  private static void newPartition(Lab lab) {
    lab.configure("soft0", "pkeys", PKEYS);
    lab.configure("soft1", "pkeys", PKEYS);
    Side a = lab.side("soft0");
    Side b = lab.side("soft1");
    Side.connect(QpType.UD, a, b, Mtu.MTU_4096);
    inNewPartition(a);
    inNewPartition(b);
    b.receive(7, 0, 256);
    datagram(a, b);
    assertEquals(0, lab.midlayer.core().counters("soft0", 1).get("fabric_drop_partition_in"));
    b.next(7);
  }

  @Test
  @DisplayName("A8: the built-in manager takes enforcement and tables of switches back")
  void takenBack() {
    try (Lab lab = new Lab("soft0", "soft1")) {
      Subnet subnet = subnet(lab);
      NodePort other = subnet.node("soft1").port(1);
      synchronized (lab.fabric) {
        subnet.foreignManager(other, true);
      }
      enforce(subnet, leaf(lab, "soft0"));
      enforce(subnet, leaf(lab, "soft1"));
      synchronized (lab.fabric) {
        subnet.foreignManager(other, false);
      }
      assertEquals(0, leaf(lab, "soft0").pkeys()[1], "the table too");
      newPartition(lab);
    }
  }

  @Test
  @DisplayName("A8: OpenSM comes, is killed, a partition is made: it reaches its members")
  void opensm() throws Exception {
    assumeTrue(Opensm.missing().isEmpty(), () -> Opensm.missing().get());
    int port = Opensm.freePort();
    List<String> errors = new CopyOnWriteArrayList<>();
    try (Lab lab = new Lab("soft0", "soft1");
        IbsimDoor door = new IbsimDoor(lab.fabric, port, errors::add);
        Opensm sm = Opensm.start(port, "soft0", dir)) {
      sm.awaitUp();
      NodePort leaf = leaf(lab, "soft0");
      OpensmTest.await(
          "OpenSM has the switch enforce",
          () -> PortInfo.PARTITION_ENFORCEMENT_INBOUND.in(leaf.info()) == 1);
      sm.kill();
      OpensmTest.await("its going was noticed", () -> door.clients().isEmpty());
      newPartition(lab);
      assertEquals(List.of(), errors);
    }
  }

  @Test
  @DisplayName("A8: what a switch refuses is counted by reason at the sender, and ib:why tells")
  void counted() {
    try (Lab lab = new Lab("soft0", "soft1")) {
      enforce(subnet(lab), leaf(lab, "soft1"));
      lab.configure("soft0", "pkeys", PKEYS);
      lab.configure("soft1", "pkeys", PKEYS);
      Side a = lab.side("soft0");
      Side b = lab.side("soft1");
      Side.connect(QpType.UD, a, b, Mtu.MTU_4096);
      inNewPartition(a);
      datagram(a, b);
      datagram(a, b);
      assertEquals(2, lab.midlayer.core().counters("soft0", 1).get("fabric_drop_partition_out"));
      assertEquals(0, lab.midlayer.core().counters("soft0", 1).get("fabric_drop_partition_in"));
      enforce(subnet(lab), leaf(lab, "soft0"));
      datagram(a, b);
      assertEquals(1, lab.midlayer.core().counters("soft0", 1).get("fabric_drop_partition_in"));
      QpDiagnosis.Report report = lab.diagnosis("soft0").diagnose(a.qp.qpn()).orElseThrow();
      assertEquals(2, report.drops().get("fabric_drop_partition_out"), report.toString());
      assertEquals(1, report.drops().get("fabric_drop_partition_in"), report.toString());
      assertTrue(report.likely().contains("enforces partitions"), report.toString());
      assertNotEquals(0, report.tries().size());
    }
  }
}
