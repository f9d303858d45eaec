package ib.engine.ring;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import ib.engine.mr.Sges;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;
import org.openjdk.jcstress.infra.results.II_Result;

/** S7, S13: the receive queue, shared by consumers. */
public class ReceiveRingStress {
  private static void post(ReceiveRing ring, int id) {
    long i = ring.claim(1);
    if (i >= 0) {
      ring.post(i, id, null, id * 3, id * 5L, id * 7);
    }
  }

  private static int id(long[] w) {
    int id = (int) ReceiveSlot.wrId(w, 0);
    int at = ReceiveSlot.sges(0);
    boolean whole =
        Sges.lkey(w, at) == id * 3
            && Sges.address(w, at) == id * 5L
            && Sges.length(w, at) == id * 7;
    return whole ? id : -100;
  }

  private static int take(ReceiveRing ring) {
    HeldReceive held = new HeldReceive(1);
    if (!ring.take(held)) {
      return 0;
    }
    return id(held.words());
  }

  /** One request, two consumers. */
  @JCStressTest
  @Outcome(
      id = {"1, 0", "0, 1"},
      expect = ACCEPTABLE,
      desc = "one got it, whole")
  @Outcome(expect = FORBIDDEN, desc = "lost, twice or torn")
  @State
  public static class TwoConsumers {
    private final ReceiveRing ring = new ReceiveRing(1, 1);

    public TwoConsumers() {
      post(ring, 1);
    }

    @Actor
    public void first(II_Result r) {
      r.r1 = take(ring);
    }

    @Actor
    public void second(II_Result r) {
      r.r2 = take(ring);
    }
  }

  /** Canary: each consumer takes as if there were no other one. */
  @JCStressTest
  @Outcome(
      id = {"1, 0", "0, 1"},
      expect = ACCEPTABLE,
      desc = "one got it, whole")
  @Outcome(expect = FORBIDDEN, desc = "lost, twice or torn")
  @State
  public static class CanaryNoCas {
    private final ReceiveRing ring = new ReceiveRing(1, 1);

    public CanaryNoCas() {
      post(ring, 1);
    }

    private int takeAlone() {
      long h = ring.head();
      if (!ring.published(h)) {
        return 0;
      }
      ring.retire(h);
      return 1;
    }

    @Actor
    public void first(II_Result r) {
      r.r1 = takeAlone();
    }

    @Actor
    public void second(II_Result r) {
      r.r2 = takeAlone();
    }
  }

  /** The slot is taken and filled anew while another consumer is copying it. */
  @JCStressTest
  @Outcome(
      id = {"1, 0, 2", "0, 1, 2"},
      expect = ACCEPTABLE,
      desc = "one took the old request")
  @Outcome(id = "2, 1, 0", expect = ACCEPTABLE, desc = "the slow one took the new request")
  @Outcome(expect = FORBIDDEN, desc = "lost, twice or torn")
  @State
  public static class NextLap {
    private final ReceiveRing ring = new ReceiveRing(1, 1);

    public NextLap() {
      post(ring, 1);
    }

    @Actor
    public void slow(III_Result r) {
      r.r1 = take(ring);
    }

    @Actor
    public void quick(III_Result r) {
      r.r2 = take(ring);
      post(ring, 2);
    }

    @Arbiter
    public void rest(III_Result r) {
      r.r3 = take(ring);
    }
  }

  /** Canary: the slot is released before it is copied. */
  @JCStressTest
  @Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "copied in time, no free slot yet")
  @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "copied in time")
  @Outcome(expect = FORBIDDEN, desc = "the new request, or half of each")
  @State
  public static class CanaryCopiedLate {
    private final ReceiveRing ring = new ReceiveRing(1, 1);

    public CanaryCopiedLate() {
      post(ring, 1);
    }

    @Actor
    public void consumer(II_Result r) {
      ring.take(0);
      r.r1 = (int) ring.words[ring.base(0) + 1];
    }

    @Actor
    public void poster(II_Result r) {
      long i = ring.claim(1);
      if (i >= 0) {
        ring.post(i, 2, null, 6, 10, 14);
        r.r2 = 1;
      }
    }
  }
}
