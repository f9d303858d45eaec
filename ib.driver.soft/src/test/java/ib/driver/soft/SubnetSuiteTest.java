package ib.driver.soft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import ib.core.mad.Mad;
import ib.core.mad.MadMethod;
import ib.core.sa.ClassPortInfo;
import ib.core.sa.InformInfo;
import ib.core.sa.McMemberRecord;
import ib.core.sa.Notice;
import ib.core.sa.PathRecord;
import ib.core.sa.SaRecord;
import ib.core.sa.ServiceRecord;
import ib.core.verbs.Gid;
import ib.core.verbs.Mtu;
import ib.driver.soft.fabric.Fabric;
import ib.driver.soft.fabric.FabricPort;
import ib.driver.soft.ibsim.IbsimDoor;
import ib.driver.soft.sm.BuiltinSm;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("4.5.7 the same questions to the built-in subnet administrator and to OpenSM")
final class SubnetSuiteTest {
  private static final Gid BROADCAST = new Gid(0xff12_401b_ffff_0000L, 0xffff_ffffL);
  private static final Gid GROUP = new Gid(0xff12_401b_ffff_0000L, 0x0102_0304L);
  private static final int STATUS_INSUFFICIENT = 0x0600;

  private final Fabric fabric = BuiltinSm.newFabric();
  private final List<FabricPort> ports = new ArrayList<>();
  @TempDir Path dir;

  private void plug() {
    for (int i = 0; i < 4; i++) {
      FabricPort p =
          fabric.plug("node" + i, 0x0200_0000_0000_0000L + 0x100L * i, 1, "sw").getFirst();
      ports.add(p);
      p.plugCable();
    }
  }

  @Test
  @DisplayName("built-in")
  void builtin() {
    plug();
    suite();
    ports.forEach(FabricPort::close);
    assertEquals(0, fabric.size());
  }

  @Test
  @DisplayName("OpenSM")
  void opensm() throws Exception {
    assumeTrue(Opensm.missing().isEmpty(), () -> Opensm.missing().get());
    plug();
    int port = Opensm.freePort();
    List<String> errors = new ArrayList<>();
    try (IbsimDoor door = new IbsimDoor(fabric, port, errors::add);
        Opensm sm = Opensm.start(port, "node0", dir)) {
      sm.awaitUp();
      suite();
      assertTrue(sm.alive());
      assertEquals(List.of("node0"), door.clients());
    }
    ports.forEach(FabricPort::close);
    assertEquals(List.of(), errors);
  }

  private static Gid gid(FabricPort p) {
    return new Gid(0xfe80_0000_0000_0000L, p.place().guid());
  }

  private static <R extends SaRecord<R, ?>> R one(R record, Mad answer) {
    assertEquals(0, answer.header().status(), answer.toString());
    return record.read(answer.bytes(), answer.dataOffset());
  }

  private void suite() {
    try (SaProbe one = new SaProbe(fabric, ports.get(1));
        SaProbe two = new SaProbe(fabric, ports.get(2))) {
      Mad info = one.ask(MadMethod.GET, new ClassPortInfo());
      assertEquals(
          2, one(new ClassPortInfo(), info).value(ClassPortInfo.Field.CLASS_VERSION), "IBA 15.2");
      paths(one);
      groups(one, two);
      services(one, two);
    }
  }

  /** IBA 15.2.5.16. */
  private void paths(SaProbe one) {
    PathRecord asked =
        new PathRecord()
            .set(PathRecord.Field.SGID, gid(ports.get(1)))
            .set(PathRecord.Field.DGID, gid(ports.get(3)))
            .set(PathRecord.Field.NUMB_PATH, 1);
    PathRecord path = one(new PathRecord(), one.ask(MadMethod.GET, asked));
    assertEquals(ports.get(3).lid(), path.value(PathRecord.Field.DLID));
    assertEquals(ports.get(1).lid(), path.value(PathRecord.Field.SLID));
    assertEquals(0xffff, path.value(PathRecord.Field.PKEY));
    assertEquals(Mtu.MTU_4096.value(), path.value(PathRecord.Field.MTU));
    assertEquals(16, path.value(PathRecord.Field.RATE), "100 Gbit/s");
    assertEquals(1, path.value(PathRecord.Field.REVERSIBLE));
    PathRecord nowhere =
        new PathRecord()
            .set(PathRecord.Field.SGID, gid(ports.get(1)))
            .set(PathRecord.Field.DGID, new Gid(0xfe80_0000_0000_0000L, 0xdead))
            .set(PathRecord.Field.NUMB_PATH, 1);
    assertTrue(one.ask(MadMethod.GET, nowhere).header().status() != 0, "no such port");
  }

  private static McMemberRecord join(Gid group, FabricPort p, int state) {
    return new McMemberRecord()
        .set(McMemberRecord.Field.MGID, group)
        .set(McMemberRecord.Field.PORT_GID, gid(p))
        .set(McMemberRecord.Field.JOIN_STATE, state);
  }

  /** IBA 15.2.5.17, RFC 4391 section 5. */
  private void groups(SaProbe one, SaProbe two) {
    FabricPort p1 = ports.get(1);
    FabricPort p2 = ports.get(2);
    McMemberRecord all = one(new McMemberRecord(), one.ask(MadMethod.SET, join(BROADCAST, p1, 1)));
    assertEquals(0xC000, all.value(McMemberRecord.Field.MLID));
    assertEquals(Mtu.MTU_2048.value(), all.value(McMemberRecord.Field.MTU));
    assertEquals(0xffff, all.value(McMemberRecord.Field.PKEY));
    assertEquals(
        STATUS_INSUFFICIENT,
        one.ask(MadMethod.SET, join(GROUP, p1, 1)).header().status(),
        "a group that is not there needs more than that");
    McMemberRecord creates =
        join(GROUP, p1, 1)
            .set(McMemberRecord.Field.QKEY, all.number(McMemberRecord.Field.QKEY))
            .set(McMemberRecord.Field.PKEY, 0xffff)
            .set(McMemberRecord.Field.TCLASS, 0)
            .set(McMemberRecord.Field.FLOW_LABEL, 0)
            .set(McMemberRecord.Field.SL, 0);
    InformInfo wants =
        new InformInfo()
            .set(InformInfo.Field.LID_RANGE_BEGIN, 0xffff)
            .set(InformInfo.Field.IS_GENERIC, 1)
            .set(InformInfo.Field.SUBSCRIBE, 1)
            .set(InformInfo.Field.TYPE, 0xffff)
            .set(InformInfo.Field.TRAP_NUMBER, Notice.TRAP_MCG_CREATED)
            .set(InformInfo.Field.PRODUCER_TYPE, 4);
    assertEquals(0, two.ask(MadMethod.SET, wants).header().status());
    McMemberRecord made = one(new McMemberRecord(), one.ask(MadMethod.SET, creates));
    int mlid = made.value(McMemberRecord.Field.MLID);
    assertTrue(mlid > 0xC000, () -> "MLID " + mlid);
    OpensmTest.await("trap 66", () -> two.reports.containsKey(Notice.TRAP_MCG_CREATED));
    assertEquals(
        mlid,
        one(new McMemberRecord(), two.ask(MadMethod.SET, join(GROUP, p2, 1)))
            .value(McMemberRecord.Field.MLID));
    OpensmTest.await("the switch forwards the group to both", () -> forwards(mlid, p1, p2));
    assertEquals(0, one.ask(MadMethod.DELETE, join(GROUP, p1, 1)).header().status());
    assertEquals(0, two.ask(MadMethod.DELETE, join(GROUP, p2, 1)).header().status());
    OpensmTest.await("and to nobody", () -> !forwards(mlid, p1) && !forwards(mlid, p2));
    assertTrue(one.ask(MadMethod.DELETE, join(GROUP, p1, 1)).header().status() != 0, "no member");
  }

  private boolean forwards(int mlid, FabricPort... to) {
    synchronized (fabric) {
      boolean all = true;
      for (FabricPort p : to) {
        var peer = p.place().peer();
        var mask = peer.node().multicast().get(mlid);
        all &= mask != null && mask.get(peer.number());
      }
      return all;
    }
  }

  /** IBA 15.2.5.14. */
  private static void services(SaProbe one, SaProbe two) {
    ServiceRecord offer =
        new ServiceRecord()
            .set(ServiceRecord.Field.SERVICE_ID, 0x1234)
            .set(ServiceRecord.Field.SERVICE_GID, gid(one))
            .set(ServiceRecord.Field.SERVICE_PKEY, 0xffff)
            .set(ServiceRecord.Field.SERVICE_LEASE, 0xffff_ffffL)
            .set(ServiceRecord.Field.SERVICE_NAME, "here");
    assertEquals(0, one.ask(MadMethod.SET, offer).header().status());
    ServiceRecord asked = new ServiceRecord().set(ServiceRecord.Field.SERVICE_ID, 0x1234);
    ServiceRecord found = one(new ServiceRecord(), two.ask(MadMethod.GET, asked));
    assertEquals("here", found.text(ServiceRecord.Field.SERVICE_NAME));
    assertEquals(0, one.ask(MadMethod.DELETE, offer).header().status());
    assertTrue(two.ask(MadMethod.GET, asked).header().status() != 0, "gone");
  }

  private static Gid gid(SaProbe probe) {
    return gid(probe.port());
  }
}
