package ib.core.internal.event;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.EventType;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(600)
class EventRingTest {
  private static final EventType TYPE = EventType.PORT_ACTIVE;

  private final EventRing.Entry entry = new EventRing.Entry();

  @Test
  @DisplayName("S12: what was lost to a full ring stands where it was lost")
  void lossesInPlace() {
    EventRing ring = new EventRing(4);
    for (int i = 0; i < 4; i++) {
      assertEquals(EventRing.Offer.QUEUED, ring.offer(TYPE, i, i));
    }
    assertEquals(EventRing.Offer.LOST, ring.offer(TYPE, 4, 4));
    assertEquals(EventRing.Offer.LOST, ring.offer(TYPE, 5, 5));
    assertEquals(6, ring.size());
    assertEquals("0", poll(ring));
    assertEquals(EventRing.Offer.QUEUED, ring.offer(TYPE, 6, 6));
    assertEquals(List.of("1", "2", "3", "lost 2", "6"), drain(ring));
    assertNull(poll(ring));
    assertEquals(0, ring.size());
  }

  @Test
  @DisplayName("S12: a ring is full at as many events where its numbers wrap")
  void numbersWrap() throws ReflectiveOperationException {
    for (int begin : new int[] {Integer.MAX_VALUE - 2, -2}) {
      EventRing ring = new EventRing(4);
      ((AtomicLong) field("word").get(ring)).set(begin & 0xffff_ffffL);
      field("head").setInt(ring, begin);
      for (int i = 0; i < 6; i++) {
        EventRing.Offer expected = i < 4 ? EventRing.Offer.QUEUED : EventRing.Offer.LOST;
        assertEquals(expected, ring.offer(TYPE, i, i), "event " + i + " behind " + begin);
      }
      assertEquals(6, ring.size());
      assertEquals(List.of("0", "1", "2", "3", "lost 2"), drain(ring));
    }
  }

  private static Field field(String name) throws ReflectiveOperationException {
    Field field = EventRing.class.getDeclaredField(name);
    field.setAccessible(true);
    return field;
  }

  @Test
  @DisplayName("S12: losses after which no event comes are reported all the same")
  void lossesAtTheEnd() {
    EventRing ring = new EventRing(2);
    for (int i = 0; i < 5; i++) {
      ring.offer(TYPE, i, i);
    }
    assertEquals(List.of("0", "1", "lost 3"), drain(ring));
    assertFalse(ring.hasWork());
  }

  @Test
  @DisplayName("CC-16: a closed ring refuses, and gives what it had accepted")
  void closed() {
    EventRing ring = new EventRing(2);
    ring.offer(TYPE, 0, 0);
    ring.close();
    assertEquals(EventRing.Offer.CLOSED, ring.offer(TYPE, 1, 1));
    assertFalse(ring.isDone());
    assertEquals(List.of("0"), drain(ring));
    assertTrue(ring.isDone());
  }

  @Test
  @DisplayName(
      "CC-16: losses before the close are reported after it, and only then is the ring done")
  void closedWithLosses() {
    EventRing ring = new EventRing(2);
    for (int i = 0; i < 3; i++) {
      ring.offer(TYPE, i, i);
    }
    ring.close();
    assertEquals(EventRing.Offer.CLOSED, ring.offer(TYPE, 3, 3));
    assertEquals("0", poll(ring));
    assertEquals("1", poll(ring));
    assertFalse(ring.isDone());
    assertTrue(ring.hasWork());
    assertEquals("lost 1", poll(ring));
    assertTrue(ring.isDone());
    assertEquals(EventRing.Offer.CLOSED, ring.offer(TYPE, 4, 4));
    assertNull(poll(ring));
  }

  @Test
  @DisplayName(
      "CC-16: the first close is distinguished from the ones after it, of an empty ring, too")
  void closedOnce() {
    EventRing ring = new EventRing(2);
    assertTrue(ring.close());
    assertFalse(ring.close());
    EventRing used = new EventRing(2);
    used.offer(TYPE, 0, 0);
    assertTrue(used.close());
    assertFalse(used.close());
  }

  @Test
  @DisplayName("S12: a ring has room for the power of two that it was rounded up to")
  void capacity() {
    for (int[] c : new int[][] {{2, 2}, {3, 4}, {4, 4}, {5, 8}, {8, 8}}) {
      EventRing ring = new EventRing(c[0]);
      for (int i = 0; i < c[1]; i++) {
        assertEquals(EventRing.Offer.QUEUED, ring.offer(TYPE, i, i));
      }
      assertEquals(EventRing.Offer.LOST, ring.offer(TYPE, 0, 0));
    }
  }

  @Test
  @DisplayName("S12: an entry is what was offered; a ring that is empty but open is not done")
  void entry() {
    EventRing ring = new EventRing(2);
    assertFalse(ring.hasWork());
    assertFalse(ring.isDone());
    ring.offer(EventType.CQ_ERR, 3, 77);
    assertTrue(ring.hasWork());
    assertTrue(ring.poll(entry));
    assertEquals(EventType.CQ_ERR, entry.type);
    assertEquals(3, entry.port);
    assertEquals(77, entry.timeNs);
    assertEquals(0, entry.lost);
    assertFalse(ring.hasWork());
    for (int i = 0; i < 3; i++) {
      ring.offer(EventType.CQ_ERR, 3, i);
    }
    for (int i = 0; i < 3; i++) {
      assertTrue(ring.hasWork());
      assertTrue(ring.poll(entry));
    }
    assertEquals(1, entry.lost);
    assertNull(entry.type);
  }

  @Test
  @DisplayName("S12: four posters, each in order, each event once or counted as lost")
  void manyPosters() throws Exception {
    EventRing ring = new EventRing(64);
    Race race = new Race(4, 50_000);
    race.run((port, i) -> ring.offer(TYPE, port, i), () -> ring.poll(entry) ? entry : null);
    assertEquals(List.of(), race.faults);
    assertEquals(200_000, race.heard + race.lost);
  }

  @Test
  @DisplayName("S12: a close among offers: accepted ones come out, refused ones do not")
  void closeRace() throws Exception {
    for (int round = 0; round < 2_000; round++) {
      EventRing ring = new EventRing(16);
      AtomicInteger accepted = new AtomicInteger();
      CyclicBarrier start = new CyclicBarrier(3);
      List<Thread> posters = new ArrayList<>();
      for (int p = 0; p < 2; p++) {
        posters.add(
            Thread.ofVirtual()
                .start(
                    () -> {
                      await(start);
                      for (int i = 0; i < 4; i++) {
                        if (ring.offer(TYPE, 0, i) != EventRing.Offer.CLOSED) {
                          accepted.incrementAndGet();
                        }
                      }
                    }));
      }
      await(start);
      ring.close();
      int out = 0;
      while (!ring.isDone()) {
        if (ring.poll(entry)) {
          out += entry.type == null ? entry.lost : 1;
        } else {
          Thread.onSpinWait();
        }
      }
      for (Thread p : posters) {
        p.join();
      }
      assertEquals(accepted.get(), out);
    }
  }

  @Test
  @DisplayName("S12: canary: a ring whose tail is not moved by compare-and-set is caught")
  void canary() throws Exception {
    for (int round = 0; round < 1_000; round++) {
      PlantedRing ring = new PlantedRing();
      Race race = new Race(4, 20_000);
      race.run(ring::offer, () -> ring.poll(entry) ? entry : null);
      if (!race.faults.isEmpty() || race.heard + race.lost != 80_000) {
        return;
      }
    }
    throw new AssertionError("the planted bug was never seen");
  }

  /** Loses an event when two posters read the same tail. */
  private static final class PlantedRing {
    private final long[] values = new long[1 << 17];
    private final AtomicLong tail = new AtomicLong();
    private int head;

    void offer(int port, int i) {
      long t = tail.get();
      if ((i & 0x3ff) == 0) {
        Thread.yield(); // one core alone would hardly ever change posters just here
      }
      values[(int) t] = ((long) port << 32) | i;
      tail.set(t + 1);
    }

    boolean poll(EventRing.Entry out) {
      if (head >= tail.get()) {
        return false;
      }
      long v = values[head++];
      out.type = TYPE;
      out.port = (int) (v >>> 32);
      out.timeNs = (int) v;
      out.lost = 0;
      return true;
    }
  }

  private interface Offer {
    void offer(int port, int i);
  }

  private interface Poll {
    EventRing.Entry poll();
  }

  /** Posters that count up, and a reader that checks each one's order; losses only leave gaps. */
  private static final class Race {
    final List<String> faults = new ArrayList<>();
    final int posters;
    final int count;
    long heard;
    long lost;

    Race(int posters, int count) {
      this.posters = posters;
      this.count = count;
    }

    void run(Offer offer, Poll poll) throws InterruptedException {
      CountDownLatch finished = new CountDownLatch(posters);
      CyclicBarrier start = new CyclicBarrier(posters);
      for (int p = 0; p < posters; p++) {
        int port = p;
        Thread.ofPlatform()
            .daemon()
            .start(
                () -> {
                  await(start);
                  for (int i = 0; i < count; i++) {
                    offer.offer(port, i);
                  }
                  finished.countDown();
                });
      }
      long[] last = new long[posters];
      java.util.Arrays.fill(last, -1);
      while (true) {
        boolean over = finished.getCount() == 0;
        EventRing.Entry e = poll.poll();
        if (e == null) {
          if (over) {
            return;
          }
          Thread.onSpinWait();
        } else if (e.type == null) {
          lost += e.lost;
        } else {
          heard++;
          if (e.timeNs <= last[e.port]) {
            faults.add("poster " + e.port + ": " + e.timeNs + " after " + last[e.port]);
          }
          last[e.port] = e.timeNs;
        }
      }
    }
  }

  private static void await(CyclicBarrier barrier) {
    try {
      barrier.await();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private String poll(EventRing ring) {
    if (!ring.poll(entry)) {
      return null;
    }
    return entry.type == null ? "lost " + entry.lost : String.valueOf(entry.port);
  }

  private List<String> drain(EventRing ring) {
    List<String> all = new ArrayList<>();
    for (String s = poll(ring); s != null; s = poll(ring)) {
      all.add(s);
    }
    return all;
  }
}
