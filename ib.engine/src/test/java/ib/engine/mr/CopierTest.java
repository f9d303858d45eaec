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
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;

/** Payloads of several pieces, keys of several segments, and memory that goes. */
class CopierTest {
  private static final int LOCAL = 0x100;
  private static final int DOMAIN = 1;
  private static final int RIGHTS = Access.LOCAL_WRITE;
  private static final int BYTES = 64;

  private final KeyTable lkeys = new KeyTable();
  private final LastKeys keys = new LastKeys(lkeys, new KeyTable(), DOMAIN);
  private final Payload payload = new Payload();
  private final long[] words = new long[Sges.WORDS * BYTES];
  private int count;

  /** A key of segments that follow each other from address 0 on. */
  private Key open(int number, MemorySegment... segments) {
    Key key = new Key(number, DOMAIN, this);
    long[] at = new long[segments.length + 1];
    for (int i = 0; i < segments.length; i++) {
      at[i + 1] = at[i] + segments[i].byteSize();
    }
    key.open(key.begin(false), number, segments, at, RIGHTS);
    return key;
  }

  private static long admitted(Key key, long bytes) {
    return key.admit(key.number(), DOMAIN, key, 0, 0, bytes);
  }

  private static MemorySegment numbered(int bytes) {
    MemorySegment s = MemorySegment.ofArray(new byte[bytes]);
    for (int i = 0; i < bytes; i++) {
      s.set(ValueLayout.JAVA_BYTE, i, (byte) (i + 1));
    }
    return s;
  }

  private void element(int lkey, long address, int bytes) {
    Sges.set(words, Sges.WORDS * count++, lkey, address, bytes);
  }

  private LastKeys elements() {
    return keys.elements(words, 0, count);
  }

  /** Cuts a number of bytes into lengths of at least 1. */
  private static int[] cut(Random random, int bytes) {
    int[] lengths = new int[bytes];
    int n = 0;
    for (int left = bytes; left > 0; left -= lengths[n++]) {
      lengths[n] = 1 + random.nextInt(left);
    }
    return Arrays.copyOf(lengths, n);
  }

  @RepeatedTest(200)
  @DisplayName("D6: each byte comes to its place, however pieces, elements and segments are cut")
  void cuts(RepetitionInfo repetition) {
    Random random = new Random(repetition.getCurrentRepetition());
    MemorySegment source = numbered(BYTES);
    int at = 0;
    for (int n : cut(random, BYTES)) {
      payload.add(source, at, n);
      at += n;
    }
    MemorySegment[] segments =
        Arrays.stream(cut(random, BYTES))
            .mapToObj(n -> MemorySegment.ofArray(new byte[n]))
            .toArray(MemorySegment[]::new);
    lkeys.put(open(LOCAL, segments));
    at = 0;
    for (int n : cut(random, BYTES)) {
      element(LOCAL, at, n);
      at += n;
    }
    int from = random.nextInt(BYTES);
    int offset = random.nextInt(BYTES);
    int bytes = random.nextInt(BYTES - Math.max(from, offset) + 1);
    assertEquals(Copier.OK, Copier.toSges(payload, from, bytes, elements(), offset));
    byte[] expected = new byte[BYTES];
    for (int i = 0; i < bytes; i++) {
      expected[offset + i] = (byte) (from + i + 1);
    }
    assertArrayEquals(expected, joined(segments));
  }

  @Test
  @DisplayName("D6: no byte is copied behind the last element, whatever words stand there")
  void noMoreElements() {
    MemorySegment memory = MemorySegment.ofArray(new byte[BYTES]);
    lkeys.put(open(LOCAL, memory));
    element(LOCAL, 0, 8);
    element(LOCAL, 8, 8);
    count = 1;
    payload.add(numbered(BYTES), 0, 16);
    assertEquals(Copier.TARGET, Copier.toSges(payload, elements(), 0));
    assertFalse(Copier.gather(elements(), 0, 16, 0, null));
    assertEquals(0, memory.get(ValueLayout.JAVA_BYTE, 8));
  }

  private static byte[] joined(MemorySegment... segments) {
    byte[] all = new byte[BYTES];
    int at = 0;
    for (MemorySegment s : segments) {
      for (byte b : s.toArray(ValueLayout.JAVA_BYTE)) {
        all[at++] = b;
      }
    }
    return all;
  }

  @Test
  @DisplayName("D6: a payload whose key was revoked is an error of its sender; no byte is copied")
  void revokedSource() {
    MemorySegment source = numbered(BYTES);
    Key of = open(0x300, source);
    assertTrue(Copier.refer(of, admitted(of, BYTES), 0, BYTES, payload));
    MemorySegment target = MemorySegment.ofArray(new byte[BYTES]);
    Key key = open(LOCAL, target);
    long version = admitted(key, BYTES);
    of.revoke();
    assertEquals(Copier.SOURCE, Copier.toRegion(payload, key, version, 0));
    assertArrayEquals(new byte[BYTES], joined(target));
    assertFalse(Copier.refer(of, version, 0, BYTES, new Payload()));
  }

  @Test
  @DisplayName("D6: a target whose key was revoked, or that is read-only, is an error of its owner")
  void target() {
    payload.add(numbered(BYTES), 0, BYTES);
    Key readOnly = open(LOCAL, MemorySegment.ofArray(new byte[BYTES]).asReadOnly());
    assertEquals(Copier.TARGET, Copier.toRegion(payload, readOnly, admitted(readOnly, BYTES), 0));
    MemorySegment memory = MemorySegment.ofArray(new byte[BYTES]);
    Key key = open(LOCAL, memory);
    long version = admitted(key, BYTES);
    key.revoke();
    assertEquals(Copier.TARGET, Copier.toRegion(payload, key, version, 0));
    assertArrayEquals(new byte[BYTES], joined(memory));
    element(LOCAL, 0, BYTES); // no such key
    assertEquals(Copier.TARGET, Copier.toSges(payload, elements(), 0));
  }

  @Test
  @DisplayName("D6: of two arenas, the result names the side whose arena was closed")
  void closedArenas() {
    Arena arena = Arena.ofShared();
    MemorySegment gone = arena.allocate(BYTES);
    Key key = open(LOCAL, gone);
    long version = admitted(key, BYTES);
    Key alive = open(0x300, MemorySegment.ofArray(new byte[BYTES]));
    Payload fromGone = new Payload();
    assertTrue(Copier.refer(key, version, 0, BYTES, fromGone));
    payload.add(numbered(BYTES), 0, BYTES);
    arena.close();
    assertEquals(Copier.TARGET, Copier.toRegion(payload, key, version, 0));
    assertEquals(Copier.SOURCE, Copier.toRegion(fromGone, alive, admitted(alive, BYTES), 0));
    assertEquals(Copier.SOURCE, Copier.toSegment(fromGone, numbered(BYTES), 0));
  }
}
