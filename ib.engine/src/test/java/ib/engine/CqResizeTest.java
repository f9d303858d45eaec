package ib.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import ib.core.verbs.CqInit;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.QpType;
import ib.core.verbs.SendFlags;
import ib.engine.qp.HcaConfig;
import ib.engine.time.VirtualClock;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A completion queue that changes its size, without threads. */
class CqResizeTest {
  private static void write(Rig rig, int count) {
    Rig.Side a = rig.a();
    for (int i = 0; i < count; i++) {
      a.qp.wrStart();
      a.qp.wrFlags(SendFlags.SIGNALED);
      a.qp.wrRdmaWrite(rig.b().mr.rkey(), rig.b().mr.iova());
      a.qp.wrSetSge(a.mr.lkey(), a.mr.iova(), 8);
      a.qp.wrComplete();
    }
    rig.settle();
  }

  @Test
  @DisplayName(
      "IBA 11.2.8.4: fewer entries than wait are refused, counted over all resizes; as many fit")
  void refused() {
    HcaConfig[] both = {HcaConfig.of(0x10, 0x11), HcaConfig.of(0x20, 0x21)};
    try (Rig rig = new Rig(new VirtualClock(), false, both)) {
      Rig.Side a = rig.a();
      a.sendCq = a.device.createCq(new CqInit(4));
      rig.connect(QpType.RC);
      write(rig, 4);
      IbInvalidException few = assertThrows(IbInvalidException.class, () -> a.sendCq.resize(3));
      assertEquals(true, few.getMessage().contains("4 completions are waiting"));
      a.sendCq.resize(4);
      a.sendCq.resize(16);
      write(rig, 6);
      assertThrows(IbInvalidException.class, () -> a.sendCq.resize(9), "in two rings");
      a.sendCq.resize(10);
      for (int i = 0; i < 10; i++) {
        Rig.next(a.sendCq);
      }
      a.sendCq.resize(1);
      Rig.assertEmpty(a.sendCq);
    }
  }
}
