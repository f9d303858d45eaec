package ib.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import ib.core.verbs.IbException;
import ib.core.verbs.QpCap;
import ib.core.verbs.QpInit;
import ib.core.verbs.QpType;
import ib.core.verbs.SendFlags;
import ib.core.verbs.WcStatus;
import ib.engine.qp.HcaConfig;
import ib.engine.time.NanoClock;
import ib.engine.time.VirtualClock;
import java.util.BitSet;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Objects that are made and closed very often leave nothing behind (R-09, R-10, in the engine). */
class ChurnTest {
  private static final int CONNECTS = Integer.getInteger("ib.engine.connects", 100_000);
  private static final int DEVICES = Integer.getInteger("ib.engine.devices", 10_000);
  private static final int ENTRIES = 8;
  private static final int BYTES = 4096;
  private static final int QPNS = 1 << 24;

  private static Rig rig(NanoClock clock, boolean threads) {
    HcaConfig one = HcaConfig.of(0x10, 0x11);
    HcaConfig two = HcaConfig.of(0x20, 0x21);
    return new Rig(clock, threads, ENTRIES, BYTES, one, two);
  }

  private static void send(Rig rig) {
    Rig.Side a = rig.a();
    Rig.Side b = rig.b();
    assertEquals(0, b.qp.postReceive(1, b.mr.lkey(), b.mr.iova(), 64));
    a.qp.wrStart();
    a.qp.wrId(2).wrFlags(SendFlags.SIGNALED);
    a.qp.wrSend();
    a.qp.wrSetSge(a.mr.lkey(), a.mr.iova(), 64);
    assertEquals(0, a.qp.wrComplete());
    assertEquals(WcStatus.SUCCESS, Rig.await(b.recvCq).status());
    assertEquals(WcStatus.SUCCESS, Rig.await(a.sendCq).status());
  }

  @Test
  @DisplayName(
      "R-10: 100,000 connects with a message each: numbers not used again, nothing is left")
  void connects() {
    VirtualClock clock = new VirtualClock();
    BitSet used = new BitSet(QPNS);
    try (Rig rig = rig(clock, false)) {
      for (int i = 0; i < CONNECTS; i++) {
        rig.connect(QpType.RC, 4, 14, 7, 7);
        assertFalse(used.get(rig.a().qp.qpn()), "a number is used again (V5)");
        used.set(rig.a().qp.qpn());
        send(rig);
        rig.sides.forEach(s -> s.qp.close());
        rig.settle();
        for (Rig.Side s : rig.sides) {
          assertEquals(Long.MAX_VALUE, s.hca.earliestTimerNs(), "a timer is left");
        }
      }
      for (Rig.Side s : rig.sides) {
        s.sendCq.close(); // refused while a queue pair uses it
        s.recvCq.close();
      }
    }
  }

  @Test
  @DisplayName("R-09: 10,000 devices made, used, refused something and deleted: no thread is left")
  void devices() {
    long before = workers();
    for (int i = 0; i < DEVICES / 2; i++) {
      try (Rig rig = rig(NanoClock.SYSTEM, true)) {
        QpInit tooMuch =
            new QpInit(QpType.RC, rig.a().sendCq, new QpCap(Integer.MAX_VALUE, 1, 1, 1, 0));
        assertThrows(IbException.class, () -> rig.a().pd.createQp(tooMuch));
        if (i % 8 == 0) {
          rig.connect(QpType.RC, 4, 14, 7, 7);
          send(rig);
        }
      }
    }
    assertEquals(before, workers());
  }

  private static long workers() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(t -> t.getName().startsWith("worker-"))
        .count();
  }
}
