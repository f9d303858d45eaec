package ib.bench;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Makes what is sent, and reads all of what came. */
final class Payload {
  private Payload() {}

  static void produce(MemorySegment to, long at, int bytes, long seed) {
    for (int i = 0; i < bytes; i += Long.BYTES) {
      to.set(ValueLayout.JAVA_LONG, at + i, seed + i);
    }
  }

  static long consume(MemorySegment from, long at, int bytes) {
    long sum = 0;
    for (int i = 0; i < bytes; i += Long.BYTES) {
      sum += from.get(ValueLayout.JAVA_LONG, at + i);
    }
    return sum;
  }
}
