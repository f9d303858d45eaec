package ib.engine.ring;

import ib.core.testing.Interleavings;
import ib.core.testing.Interleavings.Scenario;
import ib.engine.cq.CompletionRing;
import ib.engine.mr.Sges;
import ib.engine.wire.Packet;
import ib.engine.wire.PacketOwner;
import ib.engine.wire.PacketQueue;
import ib.engine.wire.RunContext;
import org.jspecify.annotations.Nullable;

/** Small scenarios around the rings and the claim token, for every schedule of them. */
public final class RingScenarios {
  private RingScenarios() {}

  public static void require(boolean holds, String what) {
    if (!holds) {
      throw new AssertionError(what);
    }
  }

  /** Two posters, one with a batch, and a consumer that looks now and then. */
  public static final class Sends implements Scenario {
    private final SendRing ring = new SendRing(4, 0, 0);
    private final StringBuilder seen = new StringBuilder();

    @Override
    public void setUp() {
      Interleavings.spawn("a", false, () -> post(2, 1));
      Interleavings.spawn("b", false, () -> post(1, 5));
      Interleavings.spawn(
          "consumer",
          false,
          () -> {
            consume();
            consume();
          });
    }

    private void post(int n, int id) {
      long first = ring.claim(n);
      for (int i = 0; i < n; i++) {
        int b = ring.base(first + i);
        ring.slots().begin(b, (long) id + i, 0, 0);
        Interleavings.step();
        ring.slots().keys(b, 0, id + i);
      }
      ring.publish(first, n);
    }

    private void consume() {
      long h = ring.head();
      if (!ring.published(h)) {
        return;
      }
      int n = ring.batch(h);
      for (int i = 0; i < n; i++) {
        int b = ring.base(h + i);
        long id = ring.slots().wrId(b);
        require(id == ring.slots().immData(b), "torn");
        seen.append(id);
        ring.retire(h + i);
      }
    }

    @Override
    public void check() {
      for (int i = 0; i < 3; i++) {
        consume();
      }
      String s = seen.toString();
      require(s.equals("125") || s.equals("512"), "S6: lost, twice or apart: " + s);
    }
  }

  /**
   * Two posters find a free slot after a lap, although each changes the other's guess of the head.
   */
  public static final class RoomAfterLap implements Scenario {
    private final SendRing sends = new SendRing(2, 0, 0);
    private final CompletionRing entries = new CompletionRing(2);

    @Override
    public void setUp() {
      sends.claim(2);
      entries.claim();
      entries.claim();
      Interleavings.spawn("a", false, this::post);
      Interleavings.spawn("b", false, this::post);
      Interleavings.spawn(
          "consumer",
          false,
          () -> {
            sends.tell(0);
            sends.release(1); // polled before the engine has retired it
            sends.retire(0);
            entries.take(0, 1);
          });
    }

    private void post() {
      // one slot is free when the consumer is done, and each of them may be refused before
      sends.claim(1);
      entries.claim();
    }

    @Override
    public void check() {
      require(sends.tail() <= 3, "S48: more claimed than there is room");
      require(entries.tail() >= 2, "lost claims");
    }
  }

  /** Two slots are free from the beginning: both posters get one. */
  public static class RoomForBoth implements Scenario {
    private final SendRing sends = new SendRing(2, 0, 0);
    private final CompletionRing entries = new CompletionRing(2);
    private long indexes;

    @Override
    public void setUp() {
      sends.claim(2);
      entries.claim();
      entries.claim();
      sends.retire(0);
      sends.retire(1);
      entries.take(0, 2);
      Interleavings.spawn("a", false, this::post);
      Interleavings.spawn("b", false, this::post);
    }

    private void post() {
      long mine = 10 * sends.claim(1) + entries.claim();
      indexes += mine;
    }

    @Override
    public void check() {
      require(indexes == 50 + 5, "S48: refused although there is room, or twice: " + indexes);
    }
  }

  /** Canary: the guess is read back after it was written, and another poster wrote an older one. */
  public static final class CanaryGuessReadBack implements Scenario {
    private volatile long head;
    private volatile long guess;
    private int refused;

    @Override
    public void setUp() {
      Interleavings.spawn("slow", false, () -> room(0));
      Interleavings.spawn(
          "quick",
          false,
          () -> {
            head = 2;
            refused = room(2) ? 0 : 1;
          });
    }

    private boolean room(long tail) {
      if (tail - guess < 2) {
        long h = head;
        Interleavings.step();
        guess = h;
        return true;
      }
      guess = head;
      return tail - guess < 2;
    }

    @Override
    public void check() {
      require(refused == 0, "S48: refused although there is room");
    }
  }

  /** A killer seals and gives slots up while a poster publishes: flushed or taken back, once. */
  public static final class Seal implements Scenario {
    private final SendRing ring = new SendRing(1, 0, 0);
    private int flushed;
    private int refused;

    @Override
    public void setUp() {
      Interleavings.spawn(
          "poster",
          false,
          () -> {
            long i = ring.claim(1);
            if (i < 0) {
              refused++;
              return;
            }
            ring.publish(i);
            if (ring.sealed() && ring.retract(i)) {
              refused++;
            }
          });
      Interleavings.spawn(
          "killer",
          false,
          () -> {
            ring.seal();
            if (ring.tail() > 0 && ring.kill(0)) {
              flushed++;
            }
          });
    }

    @Override
    public void check() {
      require(flushed + refused == 1, "B20: flushed " + flushed + ", refused " + refused);
    }
  }

  /** Two consumers of a shared queue, and a poster that fills the slot anew. */
  public static final class Receives implements Scenario {
    private final ReceiveRing ring = new ReceiveRing(1, 1);
    private int sum;
    private int taken;

    @Override
    public void setUp() {
      ring.post(ring.claim(1), 1, null, 1, 1, 1);
      Interleavings.spawn("a", false, this::take);
      Interleavings.spawn("b", false, this::take);
      Interleavings.spawn(
          "poster",
          false,
          () -> {
            long i = ring.claim(1);
            if (i >= 0) {
              ring.post(i, 2, null, 2, 2, 2);
            } else {
              sum += 2; // no free slot yet: counts as taken
              taken++;
            }
          });
    }

    private void take() {
      HeldReceive held = new HeldReceive(1);
      if (ring.take(held)) {
        long[] w = held.words();
        long id = ReceiveSlot.wrId(w, 0);
        int at = ReceiveSlot.sges(0);
        require(Sges.lkey(w, at) == id && Sges.length(w, at) == id, "torn");
        sum += (int) id;
        taken++;
      }
    }

    @Override
    public void check() {
      take();
      require(taken == 2 && sum == 3, "S7: taken " + taken + ", sum " + sum);
    }
  }

  /** Two producers, one poller that takes what it sees. */
  public static final class Completions implements Scenario {
    private final CompletionRing ring = new CompletionRing(2);
    private int seen;

    @Override
    public void setUp() {
      Interleavings.spawn("a", false, () -> push(1));
      Interleavings.spawn("b", false, () -> push(2));
      Interleavings.spawn("poller", false, this::poll);
      Interleavings.spawn("poller too", false, this::poll);
    }

    private void push(long id) {
      long i = ring.claim();
      require(i >= 0, "S48: an overrun that is none");
      ring.publish(i, id, id, id, id, id, 0, id, null);
    }

    private void poll() {
      long h = ring.head();
      if (ring.valid(h)) {
        long id = ring.word(h, 1);
        boolean whole = id == ring.word(h, 7);
        if (ring.take(h, 1)) {
          require(whole, "torn");
          seen += (int) id;
        }
      }
    }

    @Override
    public void check() {
      poll();
      poll();
      require(seen == 3, "S18: lost or twice: " + seen);
    }
  }

  /** Two senders and the owner, which uses both lanes. */
  public static final class Packets implements Scenario {
    private final PacketQueue queue = new PacketQueue();
    private final StringBuilder seen = new StringBuilder();

    private static Packet packet(int psn) {
      Packet p = new Packet(new Nobody());
      p.psn = psn;
      return p;
    }

    @Override
    public void setUp() {
      Interleavings.spawn(
          "a",
          false,
          () -> {
            queue.push(packet(1));
            queue.push(packet(2));
          });
      Interleavings.spawn("b", false, () -> queue.push(packet(3)));
      Interleavings.spawn(
          "owner",
          false,
          () -> {
            queue.add(packet(4));
            takeAll();
            queue.add(packet(5));
          });
    }

    private void takeAll() {
      for (Packet p = queue.peek(); p != null; p = queue.peek()) {
        queue.remove();
        seen.append(p.psn);
      }
    }

    @Override
    public void check() {
      takeAll();
      String s = seen.toString();
      require(s.length() == 5, "D5: lost or twice: " + s);
      require(s.indexOf('1') < s.indexOf('2'), "D5: out of order: " + s);
      require(s.indexOf('4') < s.indexOf('5'), "D5: out of order: " + s);
      require(s.indexOf('3') >= 0, "D5: lost: " + s);
    }
  }

  private static final class Nobody extends PacketOwner {
    @Override
    protected void released(Packet packet, RunContext run) {}

    @Override
    protected @Nullable Packet replicate(Packet original) {
      return null;
    }
  }
}
