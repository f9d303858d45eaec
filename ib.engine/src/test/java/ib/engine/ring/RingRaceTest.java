package ib.engine.ring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.engine.cq.CompletionRing;
import ib.engine.mr.Sges;
import ib.engine.wire.Packet;
import ib.engine.wire.PacketOwner;
import ib.engine.wire.PacketQueue;
import ib.engine.wire.RunContext;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Every ring against threads, and against itself with a planted bug. */
class RingRaceTest {
  private static final int EACH = 30_000;

  private interface Check {
    Throwable run(boolean planted) throws InterruptedException;
  }

  private static void proves(Check check) throws InterruptedException {
    assertNull(check.run(false));
    Throwable caught = null;
    for (int i = 0; i < 100 && caught == null; i++) {
      caught = check.run(true);
    }
    assertNotNull(caught, "the planted bug was not noticed");
  }

  private static Throwable exactlyOnce(AtomicIntegerArray seen) {
    for (int i = 0; i < seen.length(); i++) {
      if (seen.get(i) != 1) {
        return new AssertionError(i + " was seen " + seen.get(i) + " times");
      }
    }
    return null;
  }

  @Test
  @DisplayName(
      "S6, S13: send ring: batches of many posters are whole, in order, filled; canary: published"
          + " first")
  void sendRing() throws InterruptedException {
    proves(RingRaceTest::sendRing);
  }

  private static Throwable sendRing(boolean planted) throws InterruptedException {
    SendRing ring = new SendRing(8, 1, 0);
    AtomicIntegerArray seen = new AtomicIntegerArray(2 * EACH);
    Throwable failure =
        Race.run(
            3,
            planted ? 3 : Race.HANG_S,
            (me, race) -> {
              if (me == 2) {
                consume(ring, seen, race);
              } else {
                post(ring, me, planted, race);
              }
            });
    return failure != null ? failure : exactlyOnce(seen);
  }

  private static void post(SendRing ring, int me, boolean planted, Race race) {
    for (int i = 0; i < EACH; ) {
      int n = Math.min(1 + i % 3, EACH - i);
      long first = ring.claim(n);
      if (first < 0) {
        race.pause();
        continue;
      }
      if (planted) {
        ring.publish(first, n);
      }
      SendSlots slots = ring.slots();
      for (int k = 0; k < n; k++) {
        int b = ring.base(first + k);
        long id = (long) me * EACH + i + k;
        if (!planted) {
          slots.begin(b, id, 0, 0);
        }
        slots.keys(b, (int) id, (int) id);
        slots.remote(b, id * 3);
        if (planted && k == 0) {
          race.pause();
        }
      }
      if (!planted) {
        ring.publish(first, n);
      }
      i += n;
    }
  }

  private static void consume(SendRing ring, AtomicIntegerArray seen, Race race) {
    int[] last = {-1, -1};
    long head = 0;
    for (int done = 0; done < 2 * EACH; ) {
      if (!ring.published(head)) {
        race.pause();
        continue;
      }
      int n = ring.batch(head);
      for (int k = 0; k < n; k++) {
        SendSlots slots = ring.slots();
        int b = ring.base(head);
        int id = slots.rkey(b);
        if (slots.immData(b) != id || slots.remoteAddress(b) != id * 3L || id <= last[id / EACH]) {
          throw new AssertionError("torn or out of order: " + id);
        }
        last[id / EACH] = id;
        seen.incrementAndGet(id);
        ring.retire(head++);
        done++;
      }
    }
  }

  @Test
  @DisplayName(
      "S7, S13: receive ring: many posters, many consumers, exactly once; canary: take without CAS")
  void receiveRing() throws InterruptedException {
    proves(RingRaceTest::receiveRing);
  }

  private static Throwable receiveRing(boolean planted) throws InterruptedException {
    ReceiveRing ring = new ReceiveRing(8, 1);
    AtomicIntegerArray seen = new AtomicIntegerArray(2 * EACH);
    AtomicInteger taken = new AtomicInteger();
    Throwable failure =
        Race.run(
            4,
            planted ? 3 : Race.HANG_S,
            (me, race) -> {
              if (me < 2) {
                for (int i = 0; i < EACH; ) {
                  long index = ring.claim(1);
                  if (index < 0) {
                    race.pause();
                  } else {
                    int id = me * EACH + i++;
                    ring.post(index, id, null, id, id * 5L, id);
                  }
                }
              } else {
                takeAll(ring, seen, taken, planted, race);
              }
            });
    return failure != null ? failure : exactlyOnce(seen);
  }

  private static void takeAll(
      ReceiveRing ring, AtomicIntegerArray seen, AtomicInteger taken, boolean planted, Race race) {
    HeldReceive wqe = new HeldReceive(1);
    while (taken.get() < 2 * EACH) {
      boolean got;
      if (planted) {
        long h = ring.head();
        got = ring.published(h);
        if (got) {
          race.pause();
          got = ring.take(wqe);
          ring.retire(h); // as if it were alone
        }
      } else {
        got = ring.take(wqe);
      }
      if (!got) {
        race.pause();
        continue;
      }
      long[] w = wqe.words();
      int id = (int) ReceiveSlot.wrId(w, 0);
      int at = ReceiveSlot.sges(0);
      if (Sges.lkey(w, at) != id || Sges.address(w, at) != id * 5L || Sges.length(w, at) != id) {
        throw new AssertionError("torn: " + id);
      }
      seen.incrementAndGet(id);
      taken.incrementAndGet();
    }
  }

  @Test
  @DisplayName(
      "S18: completion ring: many producers, many pollers, exactly once; canary: read after the"
          + " take")
  void completionRing() throws InterruptedException {
    proves(RingRaceTest::completionRing);
  }

  private static Throwable completionRing(boolean planted) throws InterruptedException {
    CompletionRing ring = new CompletionRing(8);
    AtomicIntegerArray seen = new AtomicIntegerArray(2 * EACH);
    AtomicInteger polled = new AtomicInteger();
    AtomicInteger credits = new AtomicInteger(8);
    Throwable failure =
        Race.run(
            4,
            planted ? 3 : Race.HANG_S,
            (me, race) -> {
              if (me < 2) {
                for (int i = 0; i < EACH; ) {
                  if (credits.getAndDecrement() <= 0) {
                    credits.incrementAndGet();
                    race.pause();
                    continue;
                  }
                  long id = (long) me * EACH + i++;
                  long index = ring.claim();
                  if (index < 0) {
                    throw new AssertionError("full although there was a credit");
                  }
                  ring.publish(index, id, id * 3, id * 5, id * 7, 0, 0, id * 11, null);
                }
              } else {
                pollAll(ring, seen, polled, credits, planted, race);
              }
            });
    return failure != null ? failure : exactlyOnce(seen);
  }

  private static void pollAll(
      CompletionRing ring,
      AtomicIntegerArray seen,
      AtomicInteger polled,
      AtomicInteger credits,
      boolean planted,
      Race race) {
    while (polled.get() < 2 * EACH) {
      long h = ring.head();
      if (!ring.valid(h)) {
        race.pause();
        continue;
      }
      if (planted) {
        if (!ring.take(h, 1)) {
          continue;
        }
        credits.incrementAndGet(); // an entry is free as soon as it is taken
        race.pause();
      }
      long id = ring.word(h, 1);
      long a = ring.word(h, 2);
      long b = ring.word(h, 7);
      if (!planted) {
        if (!ring.take(h, 1)) {
          continue;
        }
        credits.incrementAndGet();
      }
      if (a != id * 3 || b != id * 11) {
        throw new AssertionError("torn: " + id);
      }
      if (seen.incrementAndGet((int) id) > 1) {
        throw new AssertionError("twice: " + id);
      }
      polled.incrementAndGet();
    }
  }

  private static Packet packet(long id) {
    Packet p =
        new Packet(
            new PacketOwner() {
              @Override
              protected void released(Packet packet, RunContext run) {}

              @Override
              protected Packet replicate(Packet original) {
                return null;
              }
            });
    p.cookie = id;
    return p;
  }

  @Test
  @DisplayName(
      "D5: packets of one sender stay in order whichever lane they take; canary: the wrong lane"
          + " first")
  void packetQueue() throws InterruptedException {
    PacketQueue q = new PacketQueue();
    q.push(packet(1));
    q.add(packet(2)); // must not overtake
    q.push(packet(3));
    for (int i = 1; i <= 3; i++) {
      assertEquals(i, q.peek().cookie);
      q.remove();
    }
    assertNull(q.peek());
    q.add(packet(1));
    q.push(packet(2));
    assertEquals(1, q.peek().cookie);
    q.remove();
    assertEquals(2, q.peek().cookie);
    q.remove();
    proves(RingRaceTest::senders);
  }

  private static Throwable senders(boolean planted) throws InterruptedException {
    PacketQueue q = new PacketQueue();
    int each = 20_000;
    return Race.run(
        3,
        planted ? 3 : Race.HANG_S,
        (me, race) -> {
          if (me < 2) {
            for (int i = 0; i < each; i++) {
              if (planted && i % 1000 == 998) { // two packets change places
                q.push(packet((long) me << 32 | i + 1));
                q.push(packet((long) me << 32 | i++));
              } else {
                q.push(packet((long) me << 32 | i));
              }
            }
            return;
          }
          int[] expected = {0, 0};
          for (int n = 0; n < 2 * each; ) {
            Packet p = q.peek();
            if (p == null) {
              race.pause();
              continue;
            }
            q.remove();
            int from = (int) (p.cookie >>> 32);
            if ((int) p.cookie != expected[from]++) {
              throw new AssertionError("out of order");
            }
            n++;
          }
        });
  }

  @Test
  @DisplayName(
      "B20: a sealed ring refuses, flushes what was published, and a slot given up is taken back"
          + " once")
  void seal() {
    ReceiveRing ring = new ReceiveRing(4, 1);
    ring.post(ring.claim(1), 1, null, 0, 0, 0);
    long late = ring.claim(1);
    ring.post(ring.claim(1), 3, null, 0, 0, 0);
    ring.seal();
    assertEquals(SlotRing.CLOSED, ring.claim(1));
    assertTrue(ring.killOldest());
    assertEquals(1, ReceiveSlot.wrId(ring.words(), ring.base(0)));
    ring.retire(0);
    assertFalse(ring.killOldest(), "its poster was held up");
    assertTrue(ring.killOldest());
    assertEquals(3, ReceiveSlot.wrId(ring.words(), ring.base(2)));
    ring.retire(2);
    ring.post(late, 2, null, 0, 0, 0);
    assertTrue(ring.retract(late), "the poster learns it");
    assertFalse(ring.retract(late));
    assertFalse(ring.retract(0), "that one was flushed");
    assertEquals(3, ring.tail());
  }

  @Test
  @DisplayName("S48: full is full, and not before")
  void capacity() {
    SendRing ring = new SendRing(5, 1, 0);
    assertEquals(8, ring.capacity());
    assertEquals(0, ring.claim(8));
    assertEquals(SlotRing.FULL, ring.claim(1));
    ring.tell(0);
    ring.retire(0);
    ring.retire(1);
    assertEquals(SlotRing.FULL, ring.claim(1), "the first completion was not polled");
    ring.tell(2);
    ring.release(1);
    assertEquals(1, ring.room(), "the second has none, but another one behind it has");
    ring.release(3);
    assertEquals(3, ring.room(), "polled before the consumer has retired it");
    ring.release(1);
    assertEquals(3, ring.room(), "a slower poller takes nothing back");
    ring.retire(2);
    ring.retire(3);
    assertEquals(4, ring.room(), "without a completion, and those before it were polled");
    assertEquals(SlotRing.FULL, ring.claim(5));
    assertEquals(8, ring.claim(4));
    assertEquals(0, new SendRing(0, 0, 0).capacity());
    assertEquals(SlotRing.FULL, new SendRing(0, 0, 0).claim(1));
  }
}
