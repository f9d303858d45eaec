package ib.driver.soft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import ib.core.sa.ClassPortInfo;
import ib.core.sa.PathRecord;
import ib.core.sa.SaClient;
import ib.core.verbs.AddressHandle;
import ib.core.verbs.AhAttr;
import ib.core.verbs.Gid;
import ib.core.verbs.IbDevice;
import ib.core.verbs.Mtu;
import ib.core.verbs.PortState;
import ib.core.verbs.QpAttr;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.SendFlags;
import ib.core.verbs.WorkCompletion;
import ib.driver.soft.ibsim.IbsimDoor;
import ib.driver.soft.topology.Node;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("Issue 5, 2: LMC, several LIDs for a port, as an unmodified OpenSM gives them")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class LmcTest {
  private static final int SA_TIMEOUT_MS = 600_000;

  @TempDir Path dir;

  @Test
  @DisplayName("IBA 4.1.3 7.11.1 LMC 1: forwarding, paths, source path bits, both LIDs received")
  void twoLids() throws Exception {
    assumeTrue(Opensm.missing().isEmpty(), () -> Opensm.missing().get());
    int port = Opensm.freePort();
    List<String> errors = new ArrayList<>();
    try (Lab lab = new Lab("soft0", "soft1");
        IbsimDoor door = new IbsimDoor(lab.fabric, port, errors::add);
        Opensm sm = Opensm.start(port, "soft0", dir, "-l", "1")) {
      IbDevice one = lab.lease("soft0");
      IbDevice two = lab.lease("soft1");
      sm.awaitUp();
      OpensmTest.await("LMC 1", () -> ready(one) && ready(two));
      assertEquals(List.of("soft0"), door.clients());
      forwarded(lab, two);
      paths(one, two);
      datagrams(lab.side(one, 1), lab.side(two, 1));
      connected(lab.side(one, 1), lab.side(two, 1));
    }
    assertEquals(List.of(), errors);
  }

  @Test
  @DisplayName("M8 software on the subnet manager's own node reaches it: paths, groups, reports")
  void ownNode() throws Exception {
    assumeTrue(Opensm.missing().isEmpty(), () -> Opensm.missing().get());
    int port = Opensm.freePort();
    List<String> errors = new ArrayList<>();
    try (Lab lab = new Lab("soft0", "soft1");
        IbsimDoor door = new IbsimDoor(lab.fabric, port, errors::add);
        Opensm sm = Opensm.start(port, "soft0", dir)) {
      IbDevice one = lab.lease("soft0");
      sm.awaitUp();
      OpensmTest.await(
          "managed from its own node",
          () -> one.queryPort(1).smLid() == one.queryPort(1).lid() && active(one));
      try (SaClient sa = SaClient.open(one, 1)) {
        PathRecord path =
            sa.get(
                    new PathRecord()
                        .set(PathRecord.Field.SGID, one.gid(1, 0))
                        .set(PathRecord.Field.DGID, lab.lease("soft1").gid(1, 0))
                        .set(PathRecord.Field.NUMB_PATH, 1),
                    SA_TIMEOUT_MS)
                .join();
        assertEquals(lab.lease("soft1").queryPort(1).lid(), path.value(PathRecord.Field.DLID));
        assertEquals(2, sa.classPortInfo().join().value(ClassPortInfo.Field.CLASS_VERSION));
      }
      assertEquals(List.of("soft0"), door.clients());
    }
    assertEquals(List.of(), errors);
  }

  private static boolean active(IbDevice device) {
    return device.queryPort(1).state() == PortState.ACTIVE;
  }

  private static boolean ready(IbDevice device) {
    var p = device.queryPort(1);
    return p.state() == PortState.ACTIVE && p.lmc() == 1 && p.smLid() < 0xC00;
  }

  private static void forwarded(Lab lab, IbDevice two) {
    synchronized (lab.fabric) {
      Node adapter = lab.fabric.subnetOf("soft1").node("soft1");
      var leaf = adapter.port(1).peer();
      int lid = two.queryPort(1).lid();
      assertEquals(0, lid & 1, "a base LID is a multiple of 2^LMC");
      assertEquals(leaf.number(), leaf.node().linear(lid));
      assertEquals(leaf.number(), leaf.node().linear(lid + 1));
    }
  }

  private static void paths(IbDevice one, IbDevice two) {
    Gid from = one.gid(1, 0);
    Gid to = two.gid(1, 0);
    int base = two.queryPort(1).lid();
    try (SaClient sa = SaClient.open(one, 1)) {
      for (int lid = base; lid < base + 2; lid++) {
        PathRecord asked =
            new PathRecord()
                .set(PathRecord.Field.SGID, from)
                .set(PathRecord.Field.DGID, to)
                .set(PathRecord.Field.DLID, lid)
                .set(PathRecord.Field.NUMB_PATH, 1);
        PathRecord path = sa.get(asked, SA_TIMEOUT_MS).join();
        assertEquals(lid, path.value(PathRecord.Field.DLID));
        assertEquals(one.queryPort(1).lid(), path.value(PathRecord.Field.SLID) & ~1);
      }
    }
  }

  private static AhAttr by(int dlid, int pathBits) {
    return new AhAttr(dlid, 0, pathBits, 0, 1, null);
  }

  private static void datagrams(Side a, Side b) {
    Side.connect(QpType.UD, a, b, Mtu.MTU_4096);
    for (int bits = 0; bits < 2; bits++) {
      for (Side to : List.of(b, a)) {
        to.receive(7, 0, 256);
        try (AddressHandle ah = a.pd.createAh(by(to.lid() + bits, 1 - bits))) {
          a.qp.wrStart();
          a.qp.wrId(1).wrFlags(to == a ? 0 : SendFlags.SIGNALED);
          a.qp.wrSend();
          a.qp.wrSetUdAddress(ah, to.qp.qpn(), Side.QKEY);
          a.qp.wrSetSge(a.mr.lkey(), a.mr.iova(), 64);
          assertEquals(0, a.qp.wrComplete());
          if (to != a) {
            a.next(1);
          }
        }
        WorkCompletion wc = to.next(7);
        assertEquals(a.lid() + 1 - bits, wc.slid(), "source path bits");
        assertEquals(bits, wc.dlidPathBits());
      }
    }
  }

  /** A connection by the second LID of both ends; its packets come from there. */
  private static void connected(Side a, Side b) {
    a.open(QpType.RC);
    b.open(QpType.RC);
    second(a, b);
    second(b, a);
    for (int i = 0; i < 3; i++) {
      b.receive(i, 0, 8192);
      a.send(i, 0, 8192);
      a.next(i);
      b.next(i);
    }
  }

  private static void second(Side a, Side b) {
    a.qp.modify(new QpAttr().state(QpState.INIT).pkeyIndex(0).port(1).accessFlags(Side.ALL));
    a.qp.modify(
        new QpAttr()
            .state(QpState.RTR)
            .av(by(b.lid() + 1, 1))
            .pathMtu(Mtu.MTU_4096)
            .destQpn(b.qp.qpn())
            .rqPsn(1)
            .maxDestRdAtomic(1)
            .minRnrTimer(1));
    a.qp.modify(
        new QpAttr()
            .state(QpState.RTS)
            .sqPsn(1)
            .timeout(14)
            .retryCount(2)
            .rnrRetry(7)
            .maxRdAtomic(1));
  }
}
