package ib.engine.mr;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.Access;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * The copies of the descriptor way, also of elements that have changed since they were admitted.
 */
class MoverTest {
  private static final int LOCAL = 0x100;
  private static final int REMOTE = 0x200;
  private static final int DOMAIN = 1;
  private static final int RIGHTS = Access.LOCAL_WRITE | Access.REMOTE_WRITE | Access.REMOTE_READ;

  private final MemorySegment ours = MemorySegment.ofArray(new byte[64]);
  private final MemorySegment theirs = MemorySegment.ofArray(new byte[64]);
  private final KeyTable lkeys = new KeyTable();
  private final Key remote = open(REMOTE, theirs);
  private final LastKeys elements = new LastKeys(lkeys, new KeyTable(), DOMAIN);

  MoverTest() {
    lkeys.put(open(LOCAL, ours));
    long[] words = new long[2 * Sges.WORDS];
    Sges.set(words, 0, LOCAL, 0, 16);
    Sges.set(words, Sges.WORDS, LOCAL, 32, 16);
    elements.elements(words, 0, 2);
    ours.fill((byte) 7);
  }

  private static Key open(int number, MemorySegment memory) {
    Key key = new Key(number, DOMAIN, memory);
    MemorySegment[] segments = {memory};
    key.open(key.begin(false), number, segments, new long[] {0, memory.byteSize()}, RIGHTS);
    return key;
  }

  private long admitted(int right, long bytes) {
    return remote.admit(REMOTE, DOMAIN, this, right, 0, bytes);
  }

  private static void untouched(MemorySegment memory, int from, int value) {
    for (int i = from; i < 64; i++) {
      assertEquals(value, memory.get(ValueLayout.JAVA_BYTE, i), "byte " + i);
    }
  }

  @Test
  @DisplayName("S6: no byte is stored behind those that were admitted, when an element has grown")
  void storesNoMore() {
    long version = admitted(Access.REMOTE_WRITE, 24);
    assertFalse(Mover.store(elements, 24, remote, version, 0));
    untouched(theirs, 24, 0);
  }

  @Test
  @DisplayName("S6: no byte is fetched from behind those that were admitted")
  void fetchesNoMore() {
    long version = admitted(Access.REMOTE_READ, 24);
    assertFalse(Mover.fetch(remote, version, 0, 24, elements));
    untouched(ours, 24, 7);
  }

  @Test
  @DisplayName("S6: elements that have shrunk are not done; the packet way says what they are")
  void notFewer() {
    assertFalse(Mover.store(elements, 40, remote, admitted(Access.REMOTE_WRITE, 40), 0));
    assertFalse(Mover.fetch(remote, admitted(Access.REMOTE_READ, 40), 0, 40, elements));
  }

  @Test
  @DisplayName("all elements, as they were admitted")
  void whole() {
    assertTrue(Mover.store(elements, 32, remote, admitted(Access.REMOTE_WRITE, 32), 0));
    untouched(theirs, 32, 0);
    theirs.fill((byte) 9);
    assertTrue(Mover.fetch(remote, admitted(Access.REMOTE_READ, 32), 0, 32, elements));
    assertEquals(9, ours.get(ValueLayout.JAVA_BYTE, 47));
    assertEquals(7, ours.get(ValueLayout.JAVA_BYTE, 16));
  }

  @Test
  @DisplayName("one element, which needs no place in the request: all of it, by its own key")
  void one() {
    long version = admitted(Access.REMOTE_WRITE, 24);
    assertTrue(Mover.store(elements, 40, Sges.word(LOCAL, 24), remote, version, 0));
    untouched(theirs, 24, 0);
    assertEquals(7, theirs.get(ValueLayout.JAVA_BYTE, 23));
    theirs.fill((byte) 0);
    assertFalse(
        Mover.store(elements, 41, Sges.word(LOCAL, 24), remote, version, 0), "behind its end");
    assertFalse(
        Mover.store(elements, 0, Sges.word(LOCAL + 0x100, 24), remote, version, 0), "no such key");
    remote.revoke();
    assertFalse(Mover.store(elements, 40, Sges.word(LOCAL, 24), remote, version, 0), "revoked");
    untouched(theirs, 0, 0);
  }

  @Test
  @DisplayName(
      "memory in pieces, at both ends: each byte to its place; every copy is counted, and ends")
  void pieces() {
    Key source = inPieces(LOCAL + 0x100, ours, 10);
    Key target = inPieces(REMOTE, theirs, 21);
    lkeys.put(source);
    for (int i = 0; i < 64; i++) {
      ours.set(ValueLayout.JAVA_BYTE, i, (byte) i);
    }
    long version = target.admit(REMOTE, DOMAIN, this, Access.REMOTE_WRITE, 8, 30);
    assertTrue(Mover.store(elements, 3, Sges.word(LOCAL + 0x100, 30), target, version, 8));
    for (int i = 0; i < 64; i++) {
      int want = i >= 8 && i < 38 ? i - 8 + 3 : 0;
      assertEquals(want, theirs.get(ValueLayout.JAVA_BYTE, i), "byte " + i);
    }
    assertTrue(source.idle() && target.idle(), "as many ends as beginnings");
    assertFalse(
        Mover.store(elements, 3, Sges.word(LOCAL + 0x100, 30), target, Key.REFUSED, 8), "closed");
    assertTrue(source.idle() && target.idle(), "also of one that is not done");
  }

  @Test
  @DisplayName("memory in three pieces: the one in the middle ends where it ends")
  void threePieces() {
    MemorySegment[] three = {ours.asSlice(0, 8), ours.asSlice(8, 4), ours.asSlice(40)};
    Key source = new Key(LOCAL + 0x100, DOMAIN, ours);
    source.open(source.begin(false), LOCAL + 0x100, three, new long[] {0, 8, 12, 36}, RIGHTS);
    lkeys.put(source);
    ours.asSlice(12, 28).fill((byte) 3); // belongs to no piece
    long version = admitted(Access.REMOTE_WRITE, 30);
    assertTrue(Mover.store(elements, 2, Sges.word(LOCAL + 0x100, 30), remote, version, 0));
    for (int i = 0; i < 64; i++) {
      assertEquals(i < 30 ? 7 : 0, theirs.get(ValueLayout.JAVA_BYTE, i), "byte " + i);
    }
  }

  @Test
  @DisplayName("an element of no bytes needs no key")
  void nothing() {
    long[] words = new long[2 * Sges.WORDS];
    Sges.set(words, 0, LOCAL + 0x100, 0, 0);
    Sges.set(words, Sges.WORDS, LOCAL, 0, 16);
    elements.elements(words, 0, 2);
    assertTrue(Mover.store(elements, 16, remote, admitted(Access.REMOTE_WRITE, 16), 0));
    untouched(theirs, 16, 0);
  }

  @Test
  @DisplayName("R-08: a local key that has refused is not asked again; its number may be another's")
  void numberGivenAgain() {
    long[] words = new long[Sges.WORDS];
    Sges.set(words, 0, LOCAL, 0, 16);
    elements.elements(words, 0, 1);
    long version = admitted(Access.REMOTE_WRITE | Access.REMOTE_READ, 16);
    BooleanSupplier store = () -> Mover.store(elements, 16, remote, version, 0);
    BooleanSupplier fetch = () -> Mover.fetch(remote, version, 0, 16, elements);
    for (BooleanSupplier way : List.of(store, fetch)) {
      assertTrue(way.getAsBoolean());
      Key old = lkeys.find(LOCAL);
      old.revoke();
      lkeys.remove(old);
      lkeys.put(open(LOCAL, ours));
      assertFalse(way.getAsBoolean(), "by the key that is kept");
      assertTrue(way.getAsBoolean(), "by the key that has the number now");
    }
  }

  private static Key inPieces(int number, MemorySegment memory, int cut) {
    Key key = new Key(number, DOMAIN, memory, true);
    MemorySegment[] two = {memory.asSlice(0, cut), memory.asSlice(cut)};
    key.open(key.begin(false), number, two, new long[] {0, cut, memory.byteSize()}, RIGHTS);
    return key;
  }

  @Test
  @DisplayName("an element without a key, or that its key refuses, moves nothing, either way")
  void refused() {
    long[] words = new long[Sges.WORDS];
    for (int lkey : new int[] {LOCAL + 0x100, LOCAL + 1}) {
      Sges.set(words, 0, lkey, 0, 16);
      elements.elements(words, 0, 1);
      assertFalse(Mover.store(elements, 16, remote, admitted(Access.REMOTE_WRITE, 16), 0));
      assertFalse(Mover.fetch(remote, admitted(Access.REMOTE_READ, 16), 0, 16, elements));
    }
    Sges.set(words, 0, LOCAL, 0, 16);
    long version = admitted(Access.REMOTE_READ, 16);
    remote.revoke();
    assertFalse(Mover.fetch(remote, version, 0, 16, elements), "closed meanwhile");
    untouched(theirs, 0, 0);
    untouched(ours, 0, 7);
  }
}
