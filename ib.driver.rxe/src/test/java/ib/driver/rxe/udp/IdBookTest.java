package ib.driver.rxe.udp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("D7: the strict grade of the hidden identification")
final class IdBookTest {
  private static final long MS = 1_000_000;
  private static final long PEER = 0xffff_0a4d_0002L;

  private final IdBook book = new IdBook();

  @Test
  @DisplayName("a counter that grows as Linux's does is accepted, also when it wraps or jumps once")
  void linux() {
    assertEquals(IdBook.Grade.LOOSE, book.judge(PEER, 0x5cda, 0));
    assertEquals(IdBook.Grade.STRICT, book.judge(PEER, 0x5cdb, MS));
    assertEquals(IdBook.Grade.STRICT, book.judge(PEER, 0x5cd9, MS), "overtaken");
    assertEquals(IdBook.Grade.STRICT, book.judge(PEER, 0x5cdb + 2000, 2000 * MS), "2 s of ticks");
    assertEquals(IdBook.Grade.JUMP, book.judge(PEER, 0xfff0, 2001 * MS));
    assertEquals(IdBook.Grade.STRICT, book.judge(PEER, 0xfff1, 2001 * MS), "two in a row");
    assertEquals(IdBook.Grade.STRICT, book.judge(PEER, 0x0050, 2002 * MS), "wrapped");
    assertEquals(IdBook.Grade.LOOSE, book.judge(PEER, 0x7777, 60_000 * MS), "silent for long");
  }

  @Test
  @DisplayName("a network that delays each packet by up to 500 others causes no jump")
  void jitter() {
    SplittableRandom random = new SplittableRandom(20);
    PriorityQueue<long[]> underWay = new PriorityQueue<>(Comparator.comparingLong(p -> p[0]));
    for (int i = 0; i < 100_000; i++) {
      underWay.add(new long[] {i + random.nextInt(500), 0x9000 + i & 0xffff});
    }
    book.judge(PEER, 0x9000, 0);
    for (long at = 1; !underWay.isEmpty(); at++) {
      int id = (int) underWay.remove()[1];
      assertEquals(IdBook.Grade.STRICT, book.judge(PEER, id, at * 10_000), "packet " + at);
    }
  }

  @Test
  @DisplayName("0, and 0, 1, 2, … of a long send, are expected from every peer at any time")
  void ours() {
    for (int id = 0; id < 64; id++) {
      assertEquals(IdBook.Grade.STRICT, book.judge(PEER, id, id));
    }
  }

  @Test
  @DisplayName("of random identifications beside a live peer few are accepted: 2^-24")
  void chance() {
    SplittableRandom random = new SplittableRandom(3);
    int passed = 0;
    int tries = 1 << 20;
    for (int i = 0; i < tries; i++) {
      book.judge(PEER, 0x5000 + (i & 0xfff), i * 1000L);
      passed += book.judge(PEER, random.nextInt(1 << 16), i * 1000L) == IdBook.Grade.JUMP ? 0 : 1;
    }
    assertTrue(passed < tries / 50, passed + " of " + tries);
  }
}
