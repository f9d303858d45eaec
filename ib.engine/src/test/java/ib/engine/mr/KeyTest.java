package ib.engine.mr;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.Access;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What a key allows, and how it changes. */
class KeyTest {
  private static final int NUMBER = 0xfedcba98;
  private static final int DOMAIN = 5;
  private static final int RIGHTS = Access.REMOTE_WRITE | Access.LOCAL_WRITE;
  private static final long FIRST = 0x10_000;
  private static final int BYTES = 64;

  private final MemorySegment memory = MemorySegment.ofArray(new byte[BYTES]);
  private final Key key = new Key(NUMBER, DOMAIN, "a region", true);

  private static void open(Key key, long first, MemorySegment... pieces) {
    long[] at = new long[pieces.length + 1];
    at[0] = first;
    for (int i = 0; i < pieces.length; i++) {
      at[i + 1] = at[i] + pieces[i].byteSize();
    }
    key.open(key.begin(false), key.number(), pieces, at, RIGHTS);
  }

  private static void close(Key key) {
    key.close(key.begin(true), key.number());
  }

  private long admit(long address, long bytes) {
    return key.admit(NUMBER, DOMAIN, this, Access.REMOTE_WRITE, address, bytes);
  }

  private boolean admits(Key of, int number, int domain, int rights) {
    return of.admit(number, domain, this, rights, FIRST, 1) != Key.REFUSED;
  }

  @Test
  @DisplayName("a key says what it is of, and what it opens")
  void facts() {
    assertFalse(key.isOpen());
    open(key, FIRST, memory);
    assertTrue(key.isOpen());
    assertEquals(0xfedcba, key.index());
    assertEquals("a region", key.object());
    assertEquals(DOMAIN, key.domain());
    assertEquals(RIGHTS, key.access());
    assertEquals(FIRST, key.first());
    assertEquals(BYTES, key.length());
    assertNull(key.holder());
  }

  @Test
  @DisplayName("D6: the whole number, the domain, each right and each bound, or nothing")
  void admission() {
    assertEquals(Key.REFUSED, admit(FIRST, 1), "closed");
    open(key, FIRST, memory);
    assertTrue(admits(key, NUMBER, DOMAIN, RIGHTS));
    assertFalse(admits(key, NUMBER + 1, DOMAIN, RIGHTS));
    assertFalse(admits(key, NUMBER, DOMAIN + 1, RIGHTS));
    assertFalse(admits(key, NUMBER, DOMAIN, RIGHTS | Access.REMOTE_READ));
    assertNotEquals(Key.REFUSED, admit(FIRST, BYTES), "all of it");
    assertNotEquals(Key.REFUSED, admit(FIRST + BYTES, 0), "nothing, at its end");
    assertEquals(Key.REFUSED, admit(FIRST - 1, 1));
    assertEquals(Key.REFUSED, admit(FIRST, BYTES + 1));
    assertEquals(Key.REFUSED, admit(FIRST + 1, BYTES));
    assertEquals(Key.REFUSED, admit(FIRST + BYTES, 1));
    assertEquals(Key.REFUSED, admit(FIRST + 1, Long.MAX_VALUE), "no sum overflows");
  }

  @Test
  @DisplayName("IBA 10.6.4: one change at a time, from the state it asks for; none while it lasts")
  void changes() {
    assertEquals(Key.REFUSED, key.begin(true), "is not open");
    open(key, FIRST, memory);
    assertEquals(Key.REFUSED, key.begin(false), "is not closed");
    long before = admit(FIRST, 1);
    long begun = key.begin(true);
    assertNotEquals(Key.REFUSED, begun);
    assertFalse(key.isOpen());
    assertFalse(key.live(before));
    assertEquals(Key.REFUSED, admit(FIRST, 1));
    assertEquals(Key.REFUSED, key.begin(true));
    assertEquals(Key.REFUSED, key.begin(false));
    key.close(begun, NUMBER);
    assertEquals(Key.REFUSED, admit(FIRST, 1));
  }

  @Test
  @DisplayName("R-08: what was admitted once is not admitted again by a key that opens anew")
  void versions() {
    long[] admitted = new long[5];
    for (int i = 0; i < admitted.length; i++) {
      open(key, FIRST, memory);
      admitted[i] = admit(FIRST, 1);
      assertTrue(key.live(admitted[i]));
      for (int j = 0; j < i; j++) {
        assertFalse(key.live(admitted[j]), "change " + j + " of " + i);
      }
      close(key);
      assertFalse(key.live(admitted[i]));
    }
  }

  @Test
  @DisplayName(
      "IBA 10.6.7: a window opens a part of its region, to one queue pair, while both last")
  void window() {
    open(key, FIRST, memory.asSlice(0, 24), memory.asSlice(24));
    Key window = new Key(0x700, DOMAIN, "a window");
    long[] versions = new long[3];
    for (int i = 0; i < versions.length; i++) {
      long begun = window.begin(false);
      window.bind(begun, 0x701, key, admit(FIRST, BYTES), FIRST + 16, 16, RIGHTS, "one");
      versions[i] = window.admit(0x701, DOMAIN, "one", RIGHTS, FIRST + 16, 16);
      assertTrue(window.live(versions[i]));
      assertFalse(i > 0 && window.live(versions[i - 1]), "bound again");
      if (i < 2) {
        close(window);
      }
    }
    assertEquals("one", window.holder());
    assertEquals(Key.REFUSED, window.admit(0x701, DOMAIN, "two", RIGHTS, FIRST + 16, 16));
    assertEquals(Key.REFUSED, window.admit(0x701, DOMAIN, "one", RIGHTS, FIRST + 15, 16));
    assertEquals(1, window.place(FIRST + 24), "the region's segments");
    assertEquals(FIRST + 24, window.start(1));
    close(key);
    assertTrue(window.isOpen());
    assertFalse(window.live(versions[2]), "the region has gone");
    assertEquals(Key.REFUSED, window.admit(0x701, DOMAIN, "one", RIGHTS, FIRST + 16, 16));
  }

  @Test
  @DisplayName("an address has one segment; an access is cut at the ends of segments")
  void segments() {
    MemorySegment[] three = {memory.asSlice(0, 8), memory.asSlice(8, 20), memory.asSlice(28)};
    open(key, FIRST, three);
    for (int i = 0; i < BYTES; i++) {
      int place = i < 8 ? 0 : i < 28 ? 1 : 2;
      int start = new int[] {0, 8, 28}[place];
      int end = new int[] {8, 28, BYTES}[place];
      assertEquals(place, key.place(FIRST + i), "byte " + i);
      assertSame(three[place], key.segment(place));
      assertEquals(FIRST + start, key.start(place));
      assertEquals(end - i, key.run(place, FIRST + i, BYTES));
      assertEquals(1, key.run(place, FIRST + i, 1));
    }
  }

  @Test
  @DisplayName("IBA 10.6.7.2: a key that was open to one queue pair is open to all when bound anew")
  void holderGone() {
    Key window = new Key(0x700, DOMAIN, "a window");
    open(key, FIRST, memory);
    long version = admit(FIRST, BYTES);
    window.bind(window.begin(false), 0x700, key, version, FIRST, 8, RIGHTS, "one");
    close(window);
    assertNull(window.holder());
    window.bind(window.begin(false), 0x700, key, version, FIRST, 8, RIGHTS, null);
    assertTrue(admits(window, 0x700, DOMAIN, RIGHTS));
  }

  @Test
  @DisplayName("R-08: a copy in progress is seen until it ends; where no request closes, none is")
  void copies() {
    key.enter();
    assertFalse(key.idle());
    key.enter();
    key.leave();
    assertFalse(key.idle());
    key.leave();
    assertTrue(key.idle());
    Key uncounted = new Key(NUMBER, DOMAIN, "another region");
    uncounted.enter();
    assertTrue(uncounted.idle());
  }

  @Test
  @DisplayName(
      "D6: who reads segments of a key that changes meanwhile gets the last, never an error")
  void tornReads() {
    open(key, FIRST, memory.asSlice(0, 8), memory.asSlice(8, 20), memory.asSlice(28));
    assertEquals(2, key.place(FIRST + BYTES));
    assertEquals(2, key.place(Long.MAX_VALUE));
    assertEquals(36, key.segment(7).byteSize());
    assertEquals(FIRST + BYTES, key.start(7));
    assertEquals(1, key.run(7, Long.MAX_VALUE, 5), "so that a copy goes on and sees the change");
    close(key);
    assertEquals(0, key.segment(2).byteSize());
  }
}
