package ib.engine.mr;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.Access;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;

/** RFC 1071 beside a sum that takes one byte after the other. */
class ChecksumTest {
  private static final int KEY = 0x100;
  private static final int DOMAIN = 1;

  private final Payload payload = new Payload();

  /** The checksum of bytes, as section 1 of the RFC defines it. */
  private static int plain(byte[] b, int from, int to) {
    int sum = 0;
    for (int i = from; i < to; i++) {
      sum += (b[i] & 0xff) << ((i - from) % 2 == 0 ? 8 : 0);
      sum = (sum & 0xffff) + (sum >> 16);
    }
    return ~sum & 0xffff;
  }

  private static byte[] random(Random random, int bytes) {
    byte[] b = new byte[bytes];
    random.nextBytes(b);
    return b;
  }

  private static Key open(MemorySegment memory, boolean posted) {
    Key key = new Key(KEY, DOMAIN, memory, posted);
    MemorySegment[] one = {memory};
    key.open(key.begin(false), KEY, one, new long[] {0, memory.byteSize()}, Access.LOCAL_WRITE);
    return key;
  }

  private static long admitted(Key key) {
    return key.admit(KEY, DOMAIN, key, 0, 0, key.length());
  }

  @Test
  @DisplayName("RFC 1071 section 3: the example's sum is ddf2")
  void example() {
    byte[] b = {9, 9, 0, 1, (byte) 0xf2, 3, (byte) 0xf4, (byte) 0xf5, (byte) 0xf6, (byte) 0xf7, 9};
    assertEquals(0x2ddf0, Checksum.sum(b, 2, 8));
    assertEquals(~0xddf2 & 0xffff, Checksum.fold(Checksum.sum(b, 2, 8)));
  }

  @Test
  @DisplayName("RFC 1071 section 1: carries are added until there is none")
  void carries() {
    assertEquals(0xffff, Checksum.fold(0));
    assertEquals(0, Checksum.fold(0xffff));
    assertEquals(0xfffe, Checksum.fold(0x1_0000), "one carry");
    assertEquals(0xfffe, Checksum.fold(0x1_0000_0000L), "out of 32 bits");
    assertEquals(0xfffe, Checksum.fold(0x1_ffff), "a carry that makes another one");
    assertEquals(0xffff - 6, Checksum.fold(0x3_0002_0001L), "3 + 2 + 1");
    assertEquals(0xffff - 7, Checksum.fold(0x4_0002_0001L), "4 + 2 + 1");
  }

  @RepeatedTest(150)
  @DisplayName("RFC 1071 section 2: headers and pieces of any length, cut anywhere, odd as well")
  void pieces(RepetitionInfo repetition) {
    Random random = new Random(repetition.getCurrentRepetition());
    int header = 2 * random.nextInt(4);
    byte[] b = random(random, header + random.nextInt(70));
    MemorySegment source = MemorySegment.ofArray(b);
    payload.add(source, 0, 1); // before the first that counts
    for (int at = header; at < b.length; ) {
      int n = 1 + random.nextInt(b.length - at);
      payload.add(source, at, n);
      at += n;
    }
    long sum = Checksum.sum(b, 0, header) + Checksum.sum(payload, 1);
    assertEquals(plain(b, 0, b.length), Checksum.fold(sum), b.length + " bytes");
  }

  @Test
  @DisplayName("RFC 1071: 64 KiB of ones, whose carries are the most there can be")
  void ones() {
    MemorySegment ones = MemorySegment.ofArray(new byte[1 << 16]);
    ones.fill((byte) -1);
    payload.add(ones, 0, 1 << 16);
    assertEquals(0, Checksum.fold(Checksum.sum(payload, 0)));
  }

  @Test
  @DisplayName("D6: registered memory is read while its key is live; each read is counted and ends")
  void registered() {
    byte[] b = random(new Random(1), 21);
    Key key = open(MemorySegment.ofArray(b), true);
    assertTrue(Copier.refer(key, admitted(key), 0, b.length, payload));
    assertEquals(plain(b, 0, b.length), Checksum.fold(Checksum.sum(payload, 0)));
    assertTrue(key.idle());
    key.revoke();
    assertEquals(-1, Checksum.sum(payload, 0), "revoked");
    assertTrue(key.idle());
  }

  @Test
  @DisplayName("D6: memory whose arena was closed has no checksum")
  void closed() {
    Arena arena = Arena.ofShared();
    Key key = open(arena.allocate(9), false);
    assertTrue(Copier.refer(key, admitted(key), 0, 9, payload));
    arena.close();
    assertEquals(-1, Checksum.sum(payload, 0));
  }

  @Test
  @DisplayName("D6: a piece of zeros ends nothing, a piece that cannot be read all of it")
  void amongOthers() {
    byte[] b = {0, 0, 0, 0, 0x12, 0x34};
    MemorySegment source = MemorySegment.ofArray(b);
    payload.add(source, 0, 4);
    payload.add(source, 4, 2);
    assertEquals(0x1234, Checksum.sum(payload, 0));
    Key key = open(source, false);
    payload.clear();
    assertTrue(Copier.refer(key, admitted(key), 0, b.length, payload));
    payload.add(source, 4, 2);
    key.revoke();
    assertEquals(-1, Checksum.sum(payload, 0));
  }
}
