package ib.engine.ring;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import ib.engine.run.ClaimToken;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.I_Result;

/** S6, S13: the send queue. */
public class SendRingStress {
  private static void fill(SendRing ring, long index, int id) {
    SendSlots slots = ring.slots();
    int b = ring.base(index);
    slots.begin(b, id, 0, 0);
    slots.keys(b, 0, id * 3);
    slots.remote(b, id * 5L);
  }

  private static int read(SendRing ring, long index) {
    SendSlots slots = ring.slots();
    int b = ring.base(index);
    int id = (int) slots.wrId(b);
    return slots.immData(b) == id * 3 && slots.remoteAddress(b) == id * 5L ? id : -100;
  }

  /** Two posters: both requests are there, whole, in slots of their own. */
  @JCStressTest
  @Outcome(id = "12, 2", expect = ACCEPTABLE, desc = "the first poster came first")
  @Outcome(id = "21, 2", expect = ACCEPTABLE, desc = "the second poster came first")
  @Outcome(expect = FORBIDDEN, desc = "lost, torn or twice")
  @State
  public static class TwoPosters {
    private final SendRing ring = new SendRing(2, 0, 0);

    private void post(int id) {
      long i = ring.claim(1);
      fill(ring, i, id);
      ring.publish(i);
    }

    @Actor
    public void first() {
      post(1);
    }

    @Actor
    public void second() {
      post(2);
    }

    @Arbiter
    public void consumer(II_Result r) {
      for (int i = 0; i < 2 && ring.published(i); i++) {
        r.r1 = 10 * r.r1 + read(ring, i);
        ring.retire(i);
        r.r2++;
      }
    }
  }

  /** Canary: the tail is read and written, not claimed by CAS. */
  @JCStressTest
  @Outcome(
      id = {"0, 1", "1, 0"},
      expect = ACCEPTABLE,
      desc = "two slots")
  @Outcome(expect = FORBIDDEN, desc = "both got the same slot")
  @State
  public static class CanaryTornTail {
    private volatile int tail;

    private int claim() {
      int t = tail;
      tail = t + 1;
      return t;
    }

    @Actor
    public void first(II_Result r) {
      r.r1 = claim();
    }

    @Actor
    public void second(II_Result r) {
      r.r2 = claim();
    }
  }

  /** A reader sees a batch, published by its first word alone, whole or not at all. */
  @JCStressTest
  @Outcome(id = "0", expect = ACCEPTABLE, desc = "not yet")
  @Outcome(id = "34", expect = ACCEPTABLE, desc = "both")
  @Outcome(expect = FORBIDDEN, desc = "torn")
  @State
  public static class Batch {
    private final SendRing ring = new SendRing(2, 0, 0);

    @Actor
    public void poster() {
      long i = ring.claim(2);
      fill(ring, i, 3);
      fill(ring, i + 1, 4);
      ring.publish(i, 2);
    }

    @Actor
    public void consumer(I_Result r) {
      if (ring.published(0)) {
        for (int i = 0; i < ring.batch(0); i++) {
          r.r1 = 10 * r.r1 + read(ring, i);
        }
      }
    }
  }

  /** Canary: published before the last slot is filled. */
  @JCStressTest
  @Outcome(id = "0", expect = ACCEPTABLE, desc = "not yet")
  @Outcome(id = "34", expect = ACCEPTABLE, desc = "both")
  @Outcome(expect = FORBIDDEN, desc = "torn")
  @State
  public static class CanaryPublishedEarly {
    private final SendRing ring = new SendRing(2, 0, 0);

    @Actor
    public void poster() {
      long i = ring.claim(2);
      fill(ring, i, 3);
      ring.publish(i, 2);
      fill(ring, i + 1, 4);
    }

    @Actor
    public void consumer(I_Result r) {
      if (ring.published(0)) {
        for (int i = 0; i < ring.batch(0); i++) {
          r.r1 = 10 * r.r1 + read(ring, i);
        }
      }
    }
  }

  /**
   * S48: two posters and two free slots after a lap: a post is refused only when the ring is full,
   * whatever the posters write to their copy of the head.
   */
  @JCStressTest
  @Outcome(
      id = {"2, 3", "3, 2"},
      expect = ACCEPTABLE,
      desc = "both got a slot")
  @Outcome(expect = FORBIDDEN, desc = "refused although there was a free slot")
  @State
  public static class RoomAfterLap {
    private final SendRing ring = new SendRing(2, 0, 0);

    public RoomAfterLap() {
      ring.claim(2);
      ring.retire(0);
      ring.retire(1);
    }

    @Actor
    public void first(II_Result r) {
      r.r1 = (int) ring.claim(1);
    }

    @Actor
    public void second(II_Result r) {
      r.r2 = (int) ring.claim(1);
    }
  }

  /** Two completed requests with completions, of which the first was polled. */
  static class Told {
    final SendRing ring = new SendRing(2, 0, 0);

    Told() {
      ring.claim(2);
      ring.tell(0);
      ring.retire(0);
      ring.release(1);
    }

    final int claim() {
      ring.claim(1);
      return (int) ring.claim(1);
    }
  }

  /**
   * S48: a request is told of and retired: its slot is not free before its completion is polled.
   */
  @JCStressTest
  @Outcome(id = "-1, 1", expect = ACCEPTABLE, desc = "only the slot of the first is free")
  @Outcome(expect = FORBIDDEN, desc = "the slot of a completion that was not polled")
  @State
  public static class ToldFirst extends Told {
    @Actor
    public void holder() {
      ring.tell(1);
      ring.retire(1);
    }

    @Actor
    public void poster(II_Result r) {
      r.r1 = claim();
    }

    @Arbiter
    public void poller(II_Result r) {
      ring.release(2);
      r.r2 = ring.room();
    }
  }

  /** Canary: retired first. */
  @JCStressTest
  @Outcome(id = "-1, 1", expect = ACCEPTABLE, desc = "only the slot of the first is free")
  @Outcome(expect = FORBIDDEN, desc = "the slot of a completion that was not polled")
  @State
  public static class CanaryToldLate extends Told {
    @Actor
    public void holder() {
      ring.retire(1);
      ring.tell(1);
    }

    @Actor
    public void poster(II_Result r) {
      r.r1 = claim();
    }

    @Arbiter
    public void poller(II_Result r) {
      ring.release(2);
      r.r2 = ring.room();
    }
  }

  /** S48: two pollers release, in any order: the greater index stays. */
  @JCStressTest
  @Outcome(id = "2", expect = ACCEPTABLE, desc = "both slots are free")
  @Outcome(expect = FORBIDDEN, desc = "the slower poller has taken one back")
  @State
  public static class TwoPollers {
    private final SendRing ring = new SendRing(2, 0, 0);

    public TwoPollers() {
      ring.claim(2);
      ring.tell(0);
      ring.tell(1);
    }

    @Actor
    public void first() {
      ring.release(1);
    }

    @Actor
    public void second() {
      ring.release(2);
    }

    @Arbiter
    public void room(I_Result r) {
      r.r1 = ring.room();
    }
  }

  /**
   * B20: the ring is sealed while a poster publishes. Then the request is either flushed or taken
   * back, exactly one of the two. Between publishing and reading the seal the poster claims the
   * queue pair, which is a full memory fence, as in the product.
   */
  @JCStressTest
  @Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "flushed")
  @Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "refused or taken back")
  @Outcome(expect = FORBIDDEN, desc = "neither or both")
  @State
  public static class Seal {
    private final SendRing ring = new SendRing(1, 0, 0);
    private final ClaimToken token = new ClaimToken();

    @Actor
    public void poster(II_Result r) {
      long i = ring.claim(1);
      if (i < 0) {
        r.r2 = 1;
        return;
      }
      ring.publish(i);
      token.schedule();
      if (ring.sealed() && ring.retract(i)) {
        r.r2 = 1;
      }
    }

    @Actor
    public void killer(II_Result r) {
      ring.seal();
      if (ring.tail() > 0 && ring.kill(0)) {
        r.r1 = 1;
      }
    }
  }

  /** Canary: without that memory fence the seal may miss the poster's word. */
  @JCStressTest
  @Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "flushed")
  @Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "refused or taken back")
  @Outcome(expect = FORBIDDEN, desc = "neither or both")
  @State
  public static class CanaryNoFence {
    private final SendRing ring = new SendRing(1, 0, 0);
    private final AtomicInteger spent = new AtomicInteger();

    @Actor
    public void poster(II_Result r) {
      long i = ring.claim(1);
      if (i < 0) {
        r.r2 = 1;
        return;
      }
      ring.publish(i);
      if (ring.sealed() && ring.retract(i)) {
        r.r2 = 1;
      }
    }

    @Actor
    public void killer(II_Result r) {
      spent.getAndIncrement(); // makes the own stores visible: the seal comes at once
      ring.seal();
      if (ring.tail() > 0 && ring.kill(0)) {
        r.r1 = 1;
      }
    }
  }
}
