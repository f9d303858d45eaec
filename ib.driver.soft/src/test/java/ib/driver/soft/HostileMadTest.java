package ib.driver.soft;

import static org.junit.jupiter.api.Assertions.assertEquals;

import ib.core.mad.Mad;
import ib.core.mad.MadAddress;
import ib.core.mad.MadAgent;
import ib.core.mad.MadHandler;
import ib.core.mad.MadMethod;
import ib.core.mad.MadRegistration;
import ib.core.mad.MadStatus;
import ib.core.mad.MgmtClass;
import ib.core.mad.smp.MadField;
import ib.core.mad.smp.Smp;
import ib.core.verbs.AddressHandle;
import ib.core.verbs.AhAttr;
import ib.core.verbs.Mtu;
import ib.core.verbs.QpType;
import ib.core.verbs.SendFlags;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("A1 datagrams that no subnet manager sends")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class HostileMadTest {
  private static final int MAD_BYTES = 256;

  /** A directed route SMP whose hops lead out of its 256 bytes. */
  private static void outOfBounds(MemorySegment mad) {
    mad.fill((byte) 0);
    MadField.write(mad, 0, 8, 1);
    Smp.MGMT_CLASS.set(mad, Smp.CLASS_DIRECTED);
    MadField.write(mad, 16, 8, 1);
    Smp.METHOD.set(mad, 1);
    Smp.HOP_POINTER.set(mad, 70);
    Smp.HOP_COUNT.set(mad, 255);
    Smp.DR_SLID.set(mad, Smp.PERMISSIVE_LID);
    Smp.DR_DLID.set(mad, Smp.PERMISSIVE_LID);
  }

  private static void send(Side from, int dlid, int qpn) {
    try (AddressHandle ah = from.pd.createAh(AhAttr.ofLid(1, dlid, 0))) {
      from.qp.wrStart();
      from.qp.wrId(7).wrFlags(SendFlags.SIGNALED);
      from.qp.wrSend();
      from.qp.wrSetUdAddress(ah, qpn, Side.QKEY);
      from.qp.wrSetSge(from.mr.lkey(), from.mr.iova(), MAD_BYTES);
      assertEquals(0, from.qp.wrComplete());
      from.next(7);
    }
  }

  /** The agents of the other node answer, which the thread of the fabric brings about. */
  private static void assertManaged(Side a, Side b) {
    try (MadAgent agent =
        MadAgent.register(a.device, 1, MadRegistration.sender(QpType.GSI), MadHandler.NONE)) {
      Mad get = Mad.request(MgmtClass.PERF_MGMT, 1, MadMethod.GET, 1, 0);
      MadAddress there = MadAddress.gsi(AhAttr.ofLid(1, b.lid(), 0));
      Mad answer = agent.query(get, there, 2000, 5).join().mad();
      assertEquals(MadStatus.OK, answer.header().status());
    }
  }

  @Test
  @DisplayName("A1 a UD queue pair sends one to QP0: it is complete, and management goes on")
  void oneDatagram() {
    try (Lab lab = new Lab("soft0", "soft1")) {
      Side a = lab.side("soft0");
      Side b = lab.side("soft1");
      Side.connect(QpType.UD, a, b, Mtu.MTU_1024);
      outOfBounds(a.memory().asSlice(0, MAD_BYTES));
      send(a, Smp.PERMISSIVE_LID, 0);
      assertManaged(a, b);
      assertEquals(1, lab.fabric.incidents().total(), "refused, and counted");
      assertEquals(0, lab.fabric.incidents().outlived());
    }
  }
}
