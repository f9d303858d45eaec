package ib.engine.sim;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;

/** The contents of messages: slices of one stretch of noise, so that any byte can be checked. */
final class Pattern {
  static final int SIZE = 1 << 21;
  private static final MemorySegment NOISE = noise();

  private Pattern() {}

  private static MemorySegment noise() {
    byte[] bytes = new byte[SIZE];
    new SplittableRandom(0x1b).nextBytes(bytes);
    return MemorySegment.ofArray(bytes);
  }

  static int offset(SplittableRandom random, int length) {
    return random.nextInt(SIZE - length);
  }

  /** The first eight bytes of a slice. */
  static long word(int offset) {
    return NOISE.get(ValueLayout.JAVA_LONG_UNALIGNED, offset);
  }

  /** Writes a slice. */
  static void write(MemorySegment to, long at, int offset, int length) {
    MemorySegment.copy(NOISE, offset, to, at, length);
  }

  /** Where the bytes differ, -1 for nowhere. */
  static long mismatch(MemorySegment in, long at, int offset, int length) {
    return MemorySegment.mismatch(in, at, at + length, NOISE, offset, offset + (long) length);
  }

  /** A message that tells itself which one it is: the first eight bytes. */
  static void write(MemorySegment to, long at, Request r) {
    write(to, at, r.offset, r.length);
    if (r.headed) {
      to.set(ValueLayout.JAVA_LONG_UNALIGNED, at, r.tag);
    }
  }

  static long mismatch(MemorySegment in, long at, Request r) {
    int skip = r.headed ? Long.BYTES : 0;
    if (r.headed && in.get(ValueLayout.JAVA_LONG_UNALIGNED, at) != r.tag) {
      return 0;
    }
    return mismatch(in, at + skip, r.offset + skip, r.length - skip);
  }
}
