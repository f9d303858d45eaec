package ib.ulp.ipoib.wire;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Locale;
import java.util.Random;

/**
 * What the checksum of 64 KiB costs, as a ratio to their copy. Both alternate, over the buffers of
 * a connection. Not a test: {@code bench/ipoib} runs it.
 */
public final class ChecksumBench {
  private static final int BYTES = 65_536;
  private static final int EACH = BYTES + 1024;
  private static final int AT = 44; // where TCP begins in a buffer
  private static final int BUFFERS = 16;
  private static final int HEADERS = 300_000;
  private static final int ROUNDS = 400;
  private static final int TIMES = 32;

  private ChecksumBench() {}

  /** {@return a line of the report} */
  public static String line() {
    try (Arena arena = Arena.ofShared()) {
      MemorySegment from = arena.allocate((long) BUFFERS * EACH, 4096);
      MemorySegment to = arena.allocate(EACH, 4096);
      Random random = new Random(1);
      for (long i = 0; i < from.byteSize(); i += 8) {
        Octets.u64(from, i, random.nextLong());
      }
      MemorySegment heap = MemorySegment.ofArray(new byte[1500]);
      long sum = 0;
      for (int i = 0; i < HEADERS; i++) { // as an interface does that also has short packets
        sum += Checksum.sum(from, AT, 20, 0) + Checksum.sum(heap, 0, 20 + i % 1400, 0);
      }
      long copied = Long.MAX_VALUE;
      long summed = Long.MAX_VALUE;
      for (int i = 0; i < ROUNDS; i++) {
        long start = System.nanoTime();
        for (int j = 0; j < TIMES; j++) {
          MemorySegment.copy(from, (long) j % BUFFERS * EACH + AT, to, 0, BYTES);
        }
        long middle = System.nanoTime();
        for (int j = 0; j < TIMES; j++) {
          sum += Checksum.sum(from, (long) j % BUFFERS * EACH + AT, BYTES, 0);
        }
        copied = Math.min(copied, middle - start);
        summed = Math.min(summed, System.nanoTime() - middle);
      }
      return String.format(
          Locale.ROOT,
          "checksum of 64 KiB: %d ns, %.2f of its copy (sum %x)%n",
          summed / TIMES,
          (double) summed / copied,
          Checksum.fold(sum));
    }
  }
}
