package ib.engine;

import ib.core.verbs.CqInit;
import ib.core.verbs.QpType;
import ib.core.verbs.SendFlags;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WorkCompletion;
import ib.engine.qp.HcaConfig;
import ib.engine.ring.Race;
import ib.engine.time.NanoClock;
import ib.engine.verbs.Probe;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.LongAdder;

/** Two devices, threads that misuse them, and a connection of which every byte is checked. */
public final class ApiFuzzWorld {
  private static final int THREADS = 16;
  private static final int GUARD = 64;
  private static final int MAX_BYTES = 3000;
  private static final byte UNTOUCHED = 0x5a;
  private static final long WAIT_NS = 600_000_000_000L;

  private ApiFuzzWorld() {}

  /**
   * Runs it.
   *
   * @param seed of all threads
   * @param seconds how long
   * @param lack in one of so many allocations and calls there is no memory, 0 for never
   * @return what was called
   */
  public static String run(long seed, int seconds, int lack) throws InterruptedException {
    HcaConfig one = HcaConfig.of(0x10, 0x11);
    HcaConfig two = HcaConfig.of(0x20, 0x21);
    Rig rig = new Rig(NanoClock.SYSTEM, true, 4096, 8192, one, two);
    ApiFuzz.Objects[] both = {new ApiFuzz.Objects(rig.a()), new ApiFuzz.Objects(rig.b())};
    ConcurrentSkipListMap<String, LongAdder> seen = new ConcurrentSkipListMap<>();
    long end = System.nanoTime() + seconds * 1_000_000_000L;
    long[] checked = {0};
    int before = Probe.objects(rig.a().hca);
    Throwable failure =
        Race.run(
            THREADS + 1,
            seconds + Race.HANG_S,
            (me, race) -> {
              if (me == THREADS) {
                checked[0] = checked(rig, seed, end);
                return;
              }
              Throwing.lacking(lack, seed + me);
              try {
                new ApiFuzz(both, seed + me, seen).run(end);
              } finally {
                Throwing.lacking(0, 0);
              }
            });
    if (failure != null) {
      String claims = Probe.claims(rig.a().hca) + "\n" + Probe.claims(rig.b().hca);
      throw new AssertionError("seed " + seed + ": " + failure.getMessage() + claims, failure);
    }
    for (int round = 0; round < 2; round++) { // what another had used is closed now
      for (ApiFuzz.Objects o : both) {
        o.close();
      }
    }
    for (Rig.Side s : rig.sides) {
      if (!Probe.allFree(s.hca)) {
        throw new AssertionError("seed " + seed + ": a claim was not given back");
      }
      if (Probe.objects(s.hca) != before) {
        throw new AssertionError(
            "seed " + seed + ": " + Probe.objects(s.hca) + " objects are left");
      }
    }
    long crashed = rig.a().hca.counters(1).get("steps_crashed");
    rig.close();
    return "seed "
        + seed
        + ": "
        + checked[0]
        + " checked writes, "
        + crashed
        + " crashed beside "
        + ApiFuzz.report(seen);
  }

  /** Writes to a place between guard bytes, again and again; returns how often. */
  private static long checked(Rig rig, long seed, long endNs) {
    SplittableRandom random = new SplittableRandom(seed);
    Rig.Side a = side(rig.a());
    Rig.Side b = side(rig.b());
    a.qp = a.pd.createQp(Rig.init(a, QpType.RC, 16));
    b.qp = b.pd.createQp(Rig.init(b, QpType.RC, 16));
    Rig.bringUp(a, a.qp, b.qp.qpn(), b.lid(), 14, 7, 7);
    Rig.bringUp(b, b.qp, a.qp.qpn(), a.lid(), 14, 7, 7);
    MemorySegment from = a.mr.segment();
    MemorySegment to = b.mr.segment();
    long n = 0;
    for (; System.nanoTime() - endNs < 0; n++) {
      to.fill(UNTOUCHED);
      int length = random.nextInt(1, MAX_BYTES);
      int at = random.nextInt(GUARD, (int) to.byteSize() - length - GUARD);
      for (int i = 0; i < length; i++) {
        from.set(ValueLayout.JAVA_BYTE, i, (byte) random.nextInt());
      }
      a.qp.wrStart();
      a.qp.wrId(n).wrFlags(SendFlags.SIGNALED);
      a.qp.wrRdmaWrite(b.mr.rkey(), b.mr.iova() + at);
      a.qp.wrSetSge(a.mr.lkey(), a.mr.iova(), length);
      expect("posted", 0, a.qp.wrComplete());
      expect("status", WcStatus.SUCCESS, await(a).status());
      expect("bytes", -1L, from.asSlice(0, length).mismatch(to.asSlice(at, length)));
      for (int i = 0; i < to.byteSize(); i++) {
        if ((i < at || i >= at + length) && to.get(ValueLayout.JAVA_BYTE, i) != UNTOUCHED) {
          throw new AssertionError("a guard byte was changed");
        }
      }
    }
    a.qp.close();
    b.qp.close();
    a.mr.close();
    b.mr.close();
    a.sendCq.close();
    b.sendCq.close();
    a.pd.close();
    b.pd.close();
    return n;
  }

  /** Objects of its own on the same device. */
  private static Rig.Side side(Rig.Side shared) {
    Rig.Side s = new Rig.Side();
    s.device = shared.device;
    s.hca = shared.hca;
    s.pd = s.device.allocPd();
    s.sendCq = s.device.createCq(new CqInit(64));
    s.recvCq = s.sendCq;
    s.mr = s.pd.allocMemory(8192, 64, Rig.ALL_ACCESS);
    return s;
  }

  private static WorkCompletion await(Rig.Side s) {
    WorkCompletion[] wc = {new WorkCompletion()};
    long end = System.nanoTime() + WAIT_NS;
    while (s.sendCq.poll(wc, 1) == 0) {
      if (System.nanoTime() - end > 0) {
        throw new AssertionError("the checked connection stands still");
      }
      Thread.yield();
    }
    return wc[0];
  }

  private static void expect(String what, Object expected, Object actual) {
    if (!expected.equals(actual)) {
      throw new AssertionError(what + " of the checked connection: " + actual);
    }
  }
}
