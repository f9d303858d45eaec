package ib.engine.qp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.engine.wire.Packet;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** One thread alone; {@code PacketPoolStress} has two. */
@DisplayName("the packets of one direction of a queue pair")
class PacketPoolTest {
  private static final int SIZE = 4;
  private static final int MAX_COPIES = 1024;

  private final PacketPool pool = pool(SIZE);

  /** A pool whose packets come back by {@link Packet#free}: it has no queue pair to tell. */
  @SuppressWarnings("NullAway") // see above
  private static PacketPool pool(int size) {
    return new PacketPool(null, size, 0);
  }

  private Packet take() {
    Packet p = pool.take();
    assertNotNull(p);
    return p;
  }

  @Test
  @DisplayName("one packet under way at a time is the same one each time")
  void same() {
    Packet first = take();
    for (int i = 0; i < 3 * SIZE; i++) {
      first.free();
      assertSame(first, take());
    }
  }

  @Test
  @DisplayName("with one under way the next is another one, and as many as the pool's size")
  void several() {
    Set<Packet> all = new HashSet<>();
    for (int i = 0; i < SIZE; i++) {
      assertTrue(pool.available());
      assertTrue(all.add(take()), "each is another one");
    }
    assertNull(pool.take());
    assertFalse(pool.available());
  }

  @Test
  @DisplayName("packets come in turn: the oldest that is back makes room, a newer one does not")
  void inTurn() {
    Packet[] taken = {take(), take(), take(), take()};

    taken[1].free();
    assertFalse(pool.available());
    assertNull(pool.take());

    taken[0].free();
    assertTrue(pool.available());
    assertSame(taken[0], pool.take());
    assertSame(taken[1], pool.take());
    assertNull(pool.take());
  }

  @Test
  @DisplayName("what is back counts from the first on, up to the first that is not back")
  void reclaimed() {
    Packet a = take();
    Packet b = take();
    assertEquals(2, pool.taken());
    assertEquals(0, pool.reclaimed());

    b.free();
    assertEquals(0, pool.reclaimed());

    a.free();
    assertEquals(2, pool.reclaimed());
  }

  @Test
  @DisplayName(
      "after all are back the first place is used again, though it is not the next in turn")
  void based() {
    Packet a = take();
    Packet b = take();
    a.free();
    b.free();

    assertSame(a, take(), "the third of four places has no packet yet");
    assertSame(b, take());
    assertNotSame(a, take());
  }

  @Test
  @DisplayName("a pool is idle when no packet and no copy is under way")
  void idle() {
    assertTrue(pool.idle());
    Packet a = take();
    assertFalse(pool.idle());
    a.free();
    assertTrue(pool.idle());
  }

  @Test
  @DisplayName("a copy has the fields of the original and keeps it from counting as back")
  void copy() {
    Packet a = take();
    a.psn = 17;

    Packet copy = pool.replicate(a);
    assertNotNull(copy);
    assertEquals(17, copy.psn);
    assertTrue(copy.busy(), "it is in use");
    assertNotSame(copy, pool.replicate(a), "a second receiver gets a second copy");

    a.free();
    assertEquals(0, pool.reclaimed());
    assertFalse(pool.idle());
  }

  @Test
  @DisplayName("a copy that is free is used again, and 1,024 are the most")
  void copies() {
    Packet a = take();
    Packet first = pool.replicate(a);
    assertNotNull(first);
    first.free();
    assertSame(first, pool.replicate(a));
    for (int i = 1; i < MAX_COPIES; i++) {
      assertNotNull(pool.replicate(a));
    }
    assertNull(pool.replicate(a));
  }
}
