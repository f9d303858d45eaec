package ib.engine.mr;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.Access;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The bytes of a request that stand in its words. */
class InlineDataTest {
  private static final int KEY = 0x100;
  private static final int DOMAIN = 1;
  private static final int BYTES = 40;
  private static final int FIRST = 2; // word
  private static final long AT = FIRST * 8L;
  private static final byte UNTOUCHED = 0x55;
  private static final long UNTOUCHED_WORD = 0x5555555555555555L;

  private final long[] words = new long[FIRST + BYTES / Long.BYTES + 1];
  private final MemorySegment target = MemorySegment.ofArray(new byte[BYTES]);

  InlineDataTest() {
    Arrays.fill(words, UNTOUCHED_WORD);
    target.fill(UNTOUCHED);
  }

  private static MemorySegment numbered() {
    byte[] bytes = new byte[BYTES];
    for (int i = 0; i < BYTES; i++) {
      bytes[i] = (byte) (0x80 + i);
    }
    return MemorySegment.ofArray(bytes);
  }

  private static Key open(MemorySegment... pieces) {
    Key key = new Key(KEY, DOMAIN, pieces);
    long[] starts = new long[pieces.length + 1];
    for (int i = 0; i < pieces.length; i++) {
      starts[i + 1] = starts[i] + pieces[i].byteSize();
    }
    key.open(key.begin(false), KEY, pieces, starts, Access.REMOTE_WRITE);
    return key;
  }

  private boolean give(int bytes, Key key, long address) {
    long version = key.admit(KEY, DOMAIN, this, Access.REMOTE_WRITE, address, bytes);
    return InlineData.give(words, FIRST, bytes, key, version, address);
  }

  private static byte at(MemorySegment memory, long i) {
    return memory.get(ValueLayout.JAVA_BYTE, i);
  }

  @Test
  @DisplayName("of each length, in two parts cut anywhere: as many bytes, in order, and no other")
  void anyLengthAndPart() {
    MemorySegment source = numbered();
    for (int bytes = 0; bytes <= 24; bytes++) {
      for (int cut = 0; cut <= bytes; cut++) {
        Arrays.fill(words, UNTOUCHED_WORD);
        target.fill(UNTOUCHED);
        assertTrue(InlineData.take(source, 3, words, AT, cut));
        assertTrue(InlineData.take(source, 3 + cut, words, AT + cut, bytes - cut));
        assertTrue(give(bytes, open(target), 5), bytes + " bytes");
        for (int i = 0; i < BYTES; i++) {
          boolean inside = i >= 5 && i < 5 + bytes;
          byte want = inside ? at(source, 3 + i - 5) : UNTOUCHED;
          assertEquals(want, at(target, i), "byte " + i + " of " + bytes + ", cut at " + cut);
        }
        assertEquals(UNTOUCHED_WORD, words[FIRST - 1]);
        assertEquals(UNTOUCHED_WORD, words[FIRST + (bytes + 7) / 8], "no word behind the last");
        MemorySegment packet = MemorySegment.ofArray(words); // as packets read it
        assertEquals(-1, packet.asSlice(FIRST * 8L, bytes).mismatch(target.asSlice(5, bytes)));
      }
    }
  }

  @Test
  @DisplayName("D6: inline data of another thread's arena cannot be read; the post is refused")
  void confined() throws Exception {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment mine = arena.allocate(8);
      boolean[] taken = {true, true};
      Thread other =
          Thread.ofPlatform()
              .start(
                  () -> {
                    taken[0] = InlineData.take(mine, 0, words, AT, 8);
                    taken[1] = InlineData.take(mine, 0, words, AT, 3);
                  });
      other.join();
      assertArrayEquals(new boolean[2], taken);
      assertTrue(InlineData.take(mine, 0, words, AT, 8));
      assertFalse(InlineData.take(mine, 4, words, AT, 8), "behind its end");
      assertFalse(InlineData.take(mine, -1, words, AT, 1), "before its beginning");
      assertFalse(InlineData.take(mine, 0, words, AT, -1), "less than nothing");
    }
  }

  @Test
  @DisplayName(
      "D6: a closed arena, memory that is read only, a revoked key: not done, nothing else")
  void refused() {
    Arena arena = Arena.ofShared();
    Key gone = open(arena.allocate(BYTES));
    assertTrue(give(9, gone, 0));
    MemorySegment source = arena.allocate(8);
    arena.close();
    assertFalse(give(9, gone, 0));
    assertFalse(give(3, gone, 0), "by bytes");
    assertFalse(InlineData.take(source, 0, words, AT, 8));
    assertFalse(give(9, open(target.asReadOnly()), 0));
    Key key = open(target);
    long version = key.admit(KEY, DOMAIN, this, Access.REMOTE_WRITE, 0, 8);
    key.revoke();
    assertFalse(InlineData.give(words, FIRST, 8, key, version, 0));
    assertEquals(UNTOUCHED, at(target, 0));
  }

  @Test
  @DisplayName("memory in several segments takes it in each one; across two it is left to packets")
  void pieces() {
    MemorySegment second = MemorySegment.ofArray(new byte[16]);
    Key key = open(target, second);
    assertTrue(InlineData.take(numbered(), 0, words, AT, 8));
    assertFalse(give(8, key, BYTES - 4));
    assertEquals(UNTOUCHED, at(target, BYTES - 1));
    assertTrue(give(8, key, BYTES));
    assertEquals((byte) 0x87, at(second, 7));
    assertTrue(give(8, key, BYTES - 8));
    assertEquals((byte) 0x87, at(target, BYTES - 1));
  }

  @Test
  @DisplayName("an element of an inline request: what its key allows, from each of its segments")
  void elements() {
    KeyTable lkeys = new KeyTable();
    MemorySegment source = numbered();
    lkeys.put(open(source.asSlice(0, 5), source.asSlice(5)));
    LastKeys keys = new LastKeys(lkeys, new KeyTable(), DOMAIN);
    assertTrue(InlineData.take(KEY, 2, keys, words, AT + 1, 9));
    MemorySegment packet = MemorySegment.ofArray(words);
    assertEquals(-1, packet.asSlice(FIRST * 8L + 1, 9).mismatch(source.asSlice(2, 9)));
    assertEquals(UNTOUCHED, at(packet, FIRST * 8L));
    assertEquals(UNTOUCHED, at(packet, FIRST * 8L + 10));
    assertFalse(InlineData.take(KEY, BYTES - 2, keys, words, AT, 3), "behind its end");
    assertFalse(InlineData.take(KEY + 1, 0, keys, words, AT, 3), "no such key");
    assertFalse(InlineData.take(KEY + 0x100, 0, keys, words, AT, 3), "not in the table");
    assertTrue(InlineData.take(KEY + 1, 0, keys, words, AT, 0), "no byte needs no key");
  }

  @Test
  @DisplayName("D6: an element in an arena that was closed is refused, also in its second segment")
  void closedElement() {
    Arena arena = Arena.ofShared();
    KeyTable lkeys = new KeyTable();
    lkeys.put(open(numbered(), arena.allocate(BYTES)));
    LastKeys keys = new LastKeys(lkeys, new KeyTable(), DOMAIN);
    assertTrue(InlineData.take(KEY, BYTES - 1, keys, words, AT, 2));
    arena.close();
    assertFalse(InlineData.take(KEY, BYTES - 1, keys, words, AT, 2));
    assertTrue(InlineData.take(KEY, BYTES - 1, keys, words, AT, 1));
  }

  @Test
  @DisplayName("R-08: a copy through a key that posted requests close is counted, and ends")
  void counted() {
    Key key = new Key(KEY, DOMAIN, this, true);
    MemorySegment[] one = {target};
    key.open(key.begin(false), KEY, one, new long[] {0, BYTES}, Access.REMOTE_WRITE);
    assertTrue(give(8, key, 0));
    assertTrue(key.idle(), "as many ends as beginnings");
    assertFalse(InlineData.give(words, FIRST, 8, key, Key.REFUSED, 0));
    assertTrue(key.idle(), "also of one that is not done");
  }
}
