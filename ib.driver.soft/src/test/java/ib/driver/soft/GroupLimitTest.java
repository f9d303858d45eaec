package ib.driver.soft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.mad.Mad;
import ib.core.mad.MadMethod;
import ib.core.mad.smp.SwitchInfo;
import ib.core.sa.McMemberRecord;
import ib.core.sa.SaStatus;
import ib.core.verbs.Gid;
import ib.driver.soft.fabric.Fabric;
import ib.driver.soft.fabric.FabricPort;
import ib.driver.soft.sm.BuiltinSm;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("4.5.3 multicast LIDs run out: an error that says so, and what there is goes on")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class GroupLimitTest {
  private static final Gid BROADCAST = new Gid(0xff12_401b_ffff_0000L, 0xffff_ffffL);
  private static final long IPV4 = 0xff12_401b_ffff_0000L;
  private static final long IPV6 = 0xff12_601b_ffff_0000L;
  private static final long SOLICITED = 0x1_ff00_0000L;
  private static final int CAP = 1024;
  private static final int FEW = 32;
  private static final int ASKED = 10_000;

  private final Fabric fabric = BuiltinSm.newFabric();
  private FabricPort one;
  private FabricPort two;

  @BeforeEach
  void plug() {
    one = fabric.plug("one", 0x0200_0000_0000_0100L, 1, "sw").getFirst();
    two = fabric.plug("two", 0x0200_0000_0000_0200L, 1, "sw").getFirst();
    one.plugCable();
    two.plugCable();
  }

  private void cap(int groups) {
    synchronized (fabric) {
      one.subnet()
          .nodes()
          .forEach(
              n -> SwitchInfo.MULTICAST_FDB_CAP.set(n.switchInfo(), n.isSwitch() ? groups : 0));
    }
  }

  @AfterEach
  void unplug() {
    one.close();
    two.close();
    assertEquals(0, fabric.size());
  }

  private static Mad join(SaProbe probe, Gid group) {
    return probe.ask(MadMethod.SET, membership(probe, group));
  }

  private static McMemberRecord membership(SaProbe probe, Gid group) {
    return new McMemberRecord()
        .set(McMemberRecord.Field.MGID, group)
        .set(
            McMemberRecord.Field.PORT_GID,
            new Gid(0xfe80_0000_0000_0000L, probe.port().place().guid()))
        .set(McMemberRecord.Field.JOIN_STATE, 1)
        .set(McMemberRecord.Field.QKEY, 0x80000b1bL)
        .set(McMemberRecord.Field.PKEY, 0xffff)
        .set(McMemberRecord.Field.TCLASS, 0)
        .set(McMemberRecord.Field.FLOW_LABEL, 0)
        .set(McMemberRecord.Field.SL, 0);
  }

  private static int mlid(Mad answer) {
    assertEquals(0, answer.header().status(), answer.toString());
    return new McMemberRecord()
        .read(answer.bytes(), answer.dataOffset())
        .value(McMemberRecord.Field.MLID);
  }

  @Test
  @DisplayName(
      "Section 7: 10,000 groups against an MFT of 1,024: 0x0100, the broadcast group stays")
  void exhausted() {
    cap(CAP);
    try (SaProbe a = new SaProbe(fabric, one);
        SaProbe b = new SaProbe(fabric, two)) {
      int broadcast = mlid(join(a, BROADCAST));
      Map<Integer, Long> given = new HashMap<>();
      int refused = 0;
      for (long i = 0; i < ASKED; i++) {
        Mad answer = join(a, new Gid(IPV4, 0x1000 + i));
        if (answer.header().status() == SaStatus.NO_RESOURCES.value()) {
          refused++;
        } else {
          assertEquals(null, given.put(mlid(answer), i), "a LID of its own");
        }
      }
      assertEquals(0x0100, SaStatus.NO_RESOURCES.value());
      assertEquals(CAP - 1, given.size());
      assertEquals(ASKED - CAP + 1, refused);
      assertTrue(given.keySet().stream().allMatch(m -> m > broadcast && m < 0xC000 + CAP));
      assertEquals(broadcast, mlid(join(b, BROADCAST)), "the broadcast group survives");
      Gid first = new Gid(IPV4, 0x1000);
      int before = mlid(join(a, first));
      assertEquals(0, a.ask(MadMethod.DELETE, membership(a, first)).header().status());
      assertEquals(before, mlid(join(a, new Gid(IPV4, 7))), "what was given back is used");
    }
  }

  @Test
  @DisplayName("4.5.3 solicited-node groups share a LID when there is none left for each")
  void shared() {
    cap(FEW);
    try (SaProbe a = new SaProbe(fabric, one);
        SaProbe b = new SaProbe(fabric, two)) {
      int own = mlid(join(a, new Gid(IPV6, SOLICITED + 1)));
      int second = mlid(join(a, new Gid(IPV6, SOLICITED + 2)));
      assertTrue(own != second, "each its own while there are some");
      for (int i = 0; i < FEW; i++) {
        join(a, new Gid(IPV4, 0x1000 + i));
      }
      int shared = mlid(join(b, new Gid(IPV6, SOLICITED + 3)));
      assertEquals(own, shared);
      assertEquals(
          SaStatus.NO_RESOURCES.value(),
          join(b, new Gid(0xff12_601b_8001_0000L, SOLICITED + 3)).header().status(),
          "not that of another partition");
      synchronized (fabric) {
        var leaf = one.place().peer().node();
        assertEquals(2, leaf.multicast().get(own).cardinality(), "the members of both");
      }
    }
  }
}
