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

  @RepeatedTest(100)
  @DisplayName("D5: a part of elements is referred to, in order, however they and segments are cut")
  void gathers(RepetitionInfo repetition) {
    Random random = new Random(repetition.getCurrentRepetition());
    MemorySegment source = numbered(BYTES);
    int[] cuts = cut(random, BYTES);
    MemorySegment[] segments = new MemorySegment[cuts.length];
    for (int i = 0, at = 0; i < cuts.length; at += cuts[i++]) {
      segments[i] = source.asSlice(at, cuts[i]);
    }
    lkeys.put(open(LOCAL, segments));
    int at = 0;
    for (int n : cut(random, BYTES)) {
      element(LOCAL, at, n);
      at += n;
    }
    int from = random.nextInt(BYTES);
    int bytes = random.nextInt(BYTES - from + 1);
    assertTrue(Copier.gather(elements(), from, bytes, Access.LOCAL_WRITE, payload));
    assertEquals(bytes, payload.length());
    MemorySegment target = MemorySegment.ofArray(new byte[BYTES]);
    assertEquals(Copier.OK, Copier.toSegment(payload, target, from));
    byte[] expected = new byte[BYTES];
    for (int i = from; i < from + bytes; i++) {
      expected[i] = (byte) (i + 1);
    }
    assertArrayEquals(expected, joined(target));
  }

  @Test
  @DisplayName("D6: elements are refused by a missing key, right or byte, and by a closed arena")
  void gatherRefused() {
    Arena arena = Arena.ofShared();
    lkeys.put(open(LOCAL, arena.allocate(BYTES)));
    element(LOCAL, 0, BYTES);
    assertTrue(Copier.gather(elements(), 0, BYTES, RIGHTS, null));
    assertFalse(Copier.gather(elements(), 0, BYTES, Access.REMOTE_READ, null), "no such right");
    assertFalse(Copier.gather(elements(), 0, BYTES + 1, RIGHTS, null), "behind the last element");
    arena.close();
    assertFalse(Copier.gather(elements(), 0, BYTES, RIGHTS, payload), "closed");
    assertEquals(0, payload.length());
    element(LOCAL + 0x100, 0, 1);
    assertFalse(Copier.gather(elements(), BYTES, 1, RIGHTS, null), "no such key");
  }

  @Test
  @DisplayName("R-08: copies through keys that posted requests close are counted, and end")
  void counted() {
    MemorySegment source = numbered(BYTES);
    MemorySegment target = MemorySegment.ofArray(new byte[BYTES]);
    Key from = counted(0x300, source);
    Key to = counted(0x400, target);
    long version = admitted(to, BYTES);
    assertTrue(Copier.refer(from, admitted(from, BYTES), 0, BYTES, payload));
    assertEquals(Copier.OK, Copier.toRegion(payload, to, version, 0));
    assertArrayEquals(joined(source), joined(target));
    target.fill((byte) 0);
    assertEquals(Copier.OK, Copier.toSegment(payload, target, 0));
    assertArrayEquals(joined(source), joined(target));
    assertTrue(from.idle() && to.idle());
    from.revoke();
    assertEquals(Copier.SOURCE, Copier.toRegion(payload, to, version, 0));
    assertEquals(Copier.SOURCE, Copier.toSegment(payload, target, 0));
    assertTrue(from.idle() && to.idle(), "also of one that is not done");
  }

  private Key counted(int number, MemorySegment memory) {
    Key key = new Key(number, DOMAIN, this, true);
    MemorySegment[] one = {memory};
    key.open(key.begin(false), number, one, new long[] {0, BYTES}, RIGHTS);
    return key;
  }

  @Test
  @DisplayName("D6: inline data: all of the segment, and no byte before or behind it")
  void inline() {
    MemorySegment target = MemorySegment.ofArray(new byte[BYTES]);
    MemorySegment source = numbered(8);
    assertTrue(Copier.inline(source, 0, target, 0, 8));
    assertEquals(8, target.get(ValueLayout.JAVA_BYTE, 7));
    assertTrue(Copier.inline(source, 8, target, 0, 0), "nothing, at its end");
    assertFalse(Copier.inline(source, 1, target, 0, 8));
    assertFalse(Copier.inline(source, -1, target, 0, 4));
    assertFalse(Copier.inline(source, 4, target, 0, -1));
    Arena arena = Arena.ofShared();
    MemorySegment gone = arena.allocate(8);
    arena.close();
    assertFalse(Copier.inline(gone, 0, target, 0, 8));
  }

  @Test
  @DisplayName("D6: a receive whose element has no key, or one that refuses, takes no byte")
  void receiveRefused() {
    payload.add(numbered(BYTES), 0, 8);
    element(LOCAL, 0, 8);
    assertEquals(Copier.TARGET, Copier.toSges(payload, elements(), 0), "no such key");
    MemorySegment memory = MemorySegment.ofArray(new byte[BYTES]);
    Key key = new Key(LOCAL, DOMAIN, this);
    MemorySegment[] one = {memory};
    key.open(key.begin(false), LOCAL, one, new long[] {0, BYTES}, Access.REMOTE_READ);
    lkeys.put(key);
    assertEquals(Copier.TARGET, Copier.toSges(payload, elements(), 0), "no right");
    assertArrayEquals(new byte[BYTES], joined(memory));
  }

  @Test
  @DisplayName("D6: what lies before the part that is asked for is not looked at")
  void before() {
    Key gone = open(0x300, numbered(8));
    long version = gone.admit(0x300, DOMAIN, gone, 0, 0, 8);
    assertTrue(Copier.refer(gone, version, 0, 8, payload));
    gone.revoke();
    payload.add(numbered(8), 0, 8);
    MemorySegment memory = MemorySegment.ofArray(new byte[BYTES]);
    lkeys.put(open(LOCAL, memory));
    element(LOCAL + 0x100, 0, 8); // no such key
    element(LOCAL, 0, 8);
    assertEquals(Copier.OK, Copier.toSges(payload, 8, 8, elements(), 8));
    assertEquals(8, memory.get(ValueLayout.JAVA_BYTE, 7));
    assertTrue(Copier.gather(elements(), 8, 8, RIGHTS, null));
    assertFalse(Copier.gather(elements(), 7, 8, RIGHTS, null));
    assertEquals(Copier.SOURCE, Copier.toSges(payload, 7, 8, elements(), 8));
  }

  @Test
  @DisplayName("D6: inline data of another thread's arena cannot be read")
  void confined() throws InterruptedException {
    MemorySegment target = MemorySegment.ofArray(new byte[8]);
    boolean[] taken = {true};
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment mine = arena.allocate(8);
      Thread other =
          Thread.ofPlatform().start(() -> taken[0] = Copier.inline(mine, 0, target, 0, 8));
      other.join();
      assertTrue(Copier.inline(mine, 0, target, 0, 8));
    }
    assertFalse(taken[0]);
  }
}
