package ib.engine.ring;

import static ib.engine.ring.RingScenarios.require;

import ib.core.testing.Interleavings;
import ib.core.testing.Interleavings.Scenario;
import ib.engine.cq.CompletionRing;

/**
 * Two requests, with a completion or without, a poller, and two posters that want their slots: a
 * slot is free when its completion and those before it were polled, and then it is (IBA 10.8.5).
 */
public final class ToldScenarios {
  private static final int SLOTS = 2;

  private ToldScenarios() {}

  abstract static class Requests implements Scenario {
    private final SlotRing ring;
    private final CompletionRing entries = new CompletionRing(SLOTS);
    private final boolean[] told;
    private final boolean[] completed = new boolean[SLOTS];
    private final boolean[] polled = new boolean[SLOTS];

    Requests(SlotRing ring, boolean first, boolean second) {
      this.ring = ring;
      this.told = new boolean[] {first, second};
    }

    Requests(boolean first, boolean second) {
      this(new SendRing(SLOTS, 0, 0), first, second);
    }

    @Override
    public void setUp() {
      ring.claim(SLOTS);
      Interleavings.spawn(
          "holder",
          false,
          () -> {
            complete(0);
            complete(1);
          });
      Interleavings.spawn(
          "poller",
          false,
          () -> {
            poll();
            poll();
          });
      Interleavings.spawn("a", false, this::post);
      Interleavings.spawn("b", false, this::post);
    }

    private void complete(int i) {
      completed[i] = true;
      if (told[i]) {
        tell(ring, i);
      } else {
        ring.retire(i);
      }
    }

    /** As the product does it. */
    void tell(SlotRing slots, int i) {
      slots.tell(i);
      push(i);
      slots.retire(i);
    }

    final void push(int i) {
      entries.publish(entries.claim(), i, 0, 0, 0, 0, 0, i + 1L, null);
    }

    private void poll() {
      long h = entries.head();
      if (entries.valid(h)) {
        int i = (int) entries.word(h, 1);
        if (entries.take(h, 1)) {
          polled[i] = true;
          ring.release(i + 1L);
        }
      }
    }

    private void post() {
      int last = (int) ring.claim(1) - SLOTS;
      for (int i = 0; i <= last; i++) {
        require(completed[i], "S48: the slot of a request that was not completed");
        require(!told[i] || polled[i], "S48: a completion was not polled, and its slot is free");
      }
    }

    @Override
    public void check() {
      poll();
      poll();
      require(ring.room() == 2 * SLOTS - ring.tail(), "S48: a slot is lost: " + ring.room());
    }
  }

  /** Both have a completion. */
  public static class Both extends Requests {
    /** With the product's ring. */
    public Both() {
      super(true, true);
    }

    Both(SlotRing ring) {
      super(ring, true, true);
    }
  }

  /** Only the first has one: the second is free with it. */
  public static final class First extends Requests {
    /** Makes it. */
    public First() {
      super(true, false);
    }
  }

  /** Only the second has one. */
  public static final class Second extends Requests {
    /** Makes it. */
    public Second() {
      super(false, true);
    }
  }

  /** None has one. */
  public static final class None extends Requests {
    /** Makes it. */
    public None() {
      super(false, false);
    }
  }

  /** Two pollers release what they polled in any order. */
  public static final class Pollers implements Scenario {
    private final SendRing ring = new SendRing(SLOTS, 0, 0);

    @Override
    public void setUp() {
      ring.claim(SLOTS);
      for (int i = 0; i < SLOTS; i++) {
        ring.tell(i);
        ring.retire(i);
      }
      Interleavings.spawn("first", false, () -> ring.release(1));
      Interleavings.spawn("second", false, () -> ring.release(2));
      Interleavings.spawn("poster", false, () -> ring.claim(1));
    }

    @Override
    public void check() {
      require(ring.room() == 2 * SLOTS - ring.tail(), "S48: a slot is lost: " + ring.room());
    }
  }

  /** Canary: {@code toldEnd} is written after the head. */
  public static final class CanaryToldLate extends Both {
    @Override
    void tell(SlotRing slots, int i) {
      slots.retire(i);
      slots.tell(i);
      push(i);
    }
  }

  /** Canary: a poster reads the head last. */
  public static final class CanaryHeadReadLast extends Both {
    /** With such a ring. */
    public CanaryHeadReadLast() {
      super(
          new SlotRing(SLOTS, 1) {
            @Override
            long free() {
              long end = toldEnd;
              long r = released;
              return r == end ? Math.max(r, head) : r;
            }
          });
    }
  }
}
