package ib.engine.mr;

import java.util.Arrays;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Allocates unguessable numbers that are not reused soon (D9). Every bit of a number is random. Its
 * upper 24 bits, the index, are unique while the number is in use, and until a quarantine of that
 * many further numbers has passed. Any thread may call; for the control path.
 */
public final class Numbers {
  private static final int INDEX_BITS = 24;
  private static final int PAGE_SHIFT = 14;
  private static final int EPOCHS = 16;
  private static final int RETIRED_INITIAL = 16;
  private static final int TRIES = 1_000_000;

  private final RandomGenerator random;
  private final int mask;
  private final int least;
  private final int shift;
  private final int epochLength;
  private final long[] @Nullable [] closed = new long[1 << (INDEX_BITS - PAGE_SHIFT)] @Nullable [];
  private final int[][] retired = new int[EPOCHS + 1][RETIRED_INITIAL];
  private final int[] retiredCount = new int[EPOCHS + 1];
  private int epoch;
  private int given; // numbers allocated in this epoch

  /**
   * Creates an allocator.
   *
   * @param random random source, which must be secure for unguessable numbers
   * @param bits width of the numbers, 24 to 32
   * @param least smallest number, at least 1
   * @param quarantine how many numbers are allocated before a retired one is reused, a multiple of
   *     16
   */
  public Numbers(RandomGenerator random, int bits, int least, int quarantine) {
    this.random = random;
    this.mask = -1 >>> (32 - bits);
    this.least = least;
    this.shift = bits - INDEX_BITS;
    this.epochLength = quarantine / EPOCHS;
  }

  /**
   * Allocates a number; {@link #retire} releases it.
   *
   * @return the number, unsigned
   */
  public synchronized int next() {
    for (int i = 0; i < TRIES; i++) {
      int n = random.nextInt() & mask;
      if (Integer.compareUnsigned(n, least) >= 0
          && n != mask // 0xffffff is the multicast queue pair, 0xffffffff is no valid key
          && close(n >>> shift)) {
        if (++given == epochLength) {
          turn();
        }
        return n;
      }
    }
    throw new IllegalStateException("no free number in " + TRIES + " tries");
  }

  private boolean close(int index) {
    long[] page = closed[index >>> PAGE_SHIFT];
    if (page == null) {
      page = new long[1 << (PAGE_SHIFT - 6)];
      closed[index >>> PAGE_SHIFT] = page;
    }
    int word = (index & (1 << PAGE_SHIFT) - 1) >>> 6;
    long bit = 1L << index;
    boolean free = (page[word] & bit) == 0;
    page[word] |= bit;
    return free;
  }

  /** Starts an epoch: indexes retired {@value #EPOCHS} epochs ago may be used again. */
  private void turn() {
    given = 0;
    epoch = (epoch + 1) % retired.length;
    int[] list = retired[epoch];
    for (int i = 0; i < retiredCount[epoch]; i++) {
      int index = list[i];
      long[] page = closed[index >>> PAGE_SHIFT];
      if (page != null) {
        page[(index & (1 << PAGE_SHIFT) - 1) >>> 6] &= ~(1L << index);
      }
    }
    retiredCount[epoch] = 0;
  }

  /**
   * Returns a random address.
   *
   * @return 62 bits, a multiple of 4096
   */
  public synchronized long address() {
    return random.nextLong() >>> 2 & -4096L;
  }

  /**
   * Releases a number, which enters the quarantine.
   *
   * @param n a number that {@link #next} returned and that is no longer in use
   */
  public synchronized void retire(int n) {
    int count = retiredCount[epoch]++;
    if (count == retired[epoch].length) {
      retired[epoch] = Arrays.copyOf(retired[epoch], 2 * count);
    }
    retired[epoch][count] = n >>> shift;
  }
}
