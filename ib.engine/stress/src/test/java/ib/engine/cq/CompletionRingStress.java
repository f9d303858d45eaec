package ib.engine.cq;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;
import org.openjdk.jcstress.infra.results.II_Result;

/** S14, S18: completion queues. */
public class CompletionRingStress {
  private static void publish(CompletionRing ring, long index, long id) {
    ring.publish(index, id, id * 3, id * 5, id * 7, id * 11, id * 13, id * 17, null);
  }

  private static int read(CompletionRing ring, long index) {
    long id = ring.word(index, 1);
    boolean whole = ring.word(index, 2) == id * 3 && ring.word(index, 7) == id * 17;
    return whole ? (int) id : -100;
  }

  /** Polls one entry as the product does; 0 when there is none. */
  private static int poll(CompletionRing ring) {
    for (; ; ) {
      long h = ring.head();
      if (ring.valid(h)) {
        int id = read(ring, h);
        if (ring.take(h, 1)) {
          return id;
        }
      } else if (h == ring.head()) {
        return 0;
      }
    }
  }

  /** A ring whose one slot was used before. */
  static class UsedRing {
    final CompletionRing ring = new CompletionRing(1);

    UsedRing() {
      publish(ring, ring.claim(), 1);
      poll(ring);
    }

    final void push() {
      publish(ring, ring.claim(), 2);
    }
  }

  /** A ring, and the ring that replaces it in a resize. */
  static class TwoRings {
    final CompletionRing old = new CompletionRing(1);
    final CompletionRing fresh = new CompletionRing(1);

    final void push() {
      long i = old.claim();
      if (i == CompletionRing.CLOSED) {
        publish(fresh, fresh.claim(), 1);
      } else {
        publish(old, i, 1);
      }
    }
  }

  /** A poller sees an entry whole or not at all, also in a slot that was used before. */
  @JCStressTest
  @Outcome(
      id = {"0, 2", "2, 0"},
      expect = ACCEPTABLE,
      desc = "not yet, or whole")
  @Outcome(expect = FORBIDDEN, desc = "lost, twice or torn")
  @State
  public static class PushAndPoll extends UsedRing {
    @Actor
    public void producer() {
      push();
    }

    @Actor
    public void poller(II_Result r) {
      r.r1 = poll(ring);
    }

    @Arbiter
    public void rest(II_Result r) {
      r.r2 = poll(ring);
    }
  }

  /** Canary: a claimed entry is taken for a published one. */
  @JCStressTest
  @Outcome(
      id = {"0, 2", "2, 0"},
      expect = ACCEPTABLE,
      desc = "not yet, or whole")
  @Outcome(expect = FORBIDDEN, desc = "lost, twice or torn")
  @State
  public static class CanaryClaimedIsPublished extends UsedRing {
    @Actor
    public void producer() {
      push();
    }

    @Actor
    public void poller(II_Result r) {
      long h = ring.head();
      if (ring.tail() > h) {
        int id = read(ring, h);
        r.r1 = ring.take(h, 1) ? id : 0;
      }
    }

    @Arbiter
    public void rest(II_Result r) {
      r.r2 = poll(ring);
    }
  }

  /** Two pollers, two entries. */
  @JCStressTest
  @Outcome(
      id = {"1, 2", "2, 1"},
      expect = ACCEPTABLE,
      desc = "one each")
  @Outcome(expect = FORBIDDEN, desc = "lost, twice or torn")
  @State
  public static class TwoPollers {
    private final CompletionRing ring = new CompletionRing(2);

    public TwoPollers() {
      publish(ring, ring.claim(), 1);
      publish(ring, ring.claim(), 2);
    }

    @Actor
    public void first(II_Result r) {
      r.r1 = poll(ring);
    }

    @Actor
    public void second(II_Result r) {
      r.r2 = poll(ring);
    }
  }

  /** Two free entries after a lap: no overrun, whatever producers write to the head's copy. */
  @JCStressTest
  @Outcome(
      id = {"2, 3", "3, 2"},
      expect = ACCEPTABLE,
      desc = "both got an entry")
  @Outcome(expect = FORBIDDEN, desc = "an overrun that is none: the queue would be lost")
  @State
  public static class RoomAfterLap {
    private final CompletionRing ring = new CompletionRing(2);

    public RoomAfterLap() {
      publish(ring, ring.claim(), 1);
      publish(ring, ring.claim(), 2);
      ring.take(0, 2);
    }

    @Actor
    public void first(II_Result r) {
      r.r1 = (int) ring.claim();
    }

    @Actor
    public void second(II_Result r) {
      r.r2 = (int) ring.claim();
    }
  }

  /** Overrun: one entry too many is refused, and none is overwritten. */
  @JCStressTest
  @Outcome(
      id = {"1, -1, 1", "-1, 1, 1"},
      expect = ACCEPTABLE,
      desc = "one got the last entry")
  @Outcome(expect = FORBIDDEN, desc = "overwritten, or refused too early")
  @State
  public static class Overrun {
    private final CompletionRing ring = new CompletionRing(2);

    public Overrun() {
      publish(ring, ring.claim(), 1);
    }

    @Actor
    public void first(III_Result r) {
      r.r1 = (int) ring.claim();
    }

    @Actor
    public void second(III_Result r) {
      r.r2 = (int) ring.claim();
    }

    @Arbiter
    public void oldest(III_Result r) {
      r.r3 = poll(ring);
    }
  }

  /** A resize while a completion arrives: the completion is found in one of the two rings. */
  @JCStressTest
  @Outcome(
      id = {"1, 0", "0, 1"},
      expect = ACCEPTABLE,
      desc = "in the old ring, or in the new one")
  @Outcome(expect = FORBIDDEN, desc = "lost or twice")
  @State
  public static class Resize extends TwoRings {
    @Actor
    public void producer() {
      push();
    }

    @Actor
    public void control() {
      old.close(fresh);
    }

    @Arbiter
    public void pollers(II_Result r) {
      r.r1 = poll(old);
      r.r2 = old.drained() ? poll(fresh) : -1;
    }
  }

  /** Canary: the end is read and the ring is closed in two steps. */
  @JCStressTest
  @Outcome(
      id = {"1, 0", "0, 1"},
      expect = ACCEPTABLE,
      desc = "in the old ring, or in the new one")
  @Outcome(expect = FORBIDDEN, desc = "lost or twice")
  @State
  public static class CanaryResizeInTwoSteps extends TwoRings {
    private long end;

    @Actor
    public void producer() {
      push();
    }

    @Actor
    public void control() {
      end = old.tail();
      old.close(fresh);
    }

    @Arbiter
    public void pollers(II_Result r) {
      r.r1 = end > 0 ? poll(old) : 0;
      r.r2 = poll(fresh);
    }
  }
}
