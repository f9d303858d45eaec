package ib.engine.mr;

import java.util.Arrays;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Unguessable numbers that are not soon used again (D9, reliability.md V1-V5). Every bit of a
 * number is random. Its upper 24 bits, the index, belong to it alone while it is in use and until
 * so many numbers as the quarantine says have been given after its end. Control path.
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
  private int given; // in this epoch

  /**
   * Makes a source of numbers.
   *
   * @param random where they come from; unguessable numbers need a secure one
   * @param bits their width, 24 to 32
   * @param least the smallest one given, at least 1
   * @param quarantine how many numbers are given before one comes again, a multiple of 16
   */
  public Numbers(RandomGenerator random, int bits, int least, int quarantine) {
    this.random = random;
    this.mask = -1 >>> (32 - bits);
    this.least = least;
    this.shift = bits - INDEX_BITS;
    this.epochLength = quarantine / EPOCHS;
  }

  /**
   * A number that is free; give it back with {@link #retire}.
   *
   * @return the number, unsigned
   */
  public synchronized int next() {
    for (int i = 0; i < TRIES; i++) {
      int n = random.nextInt() & mask;
      if (Integer.compareUnsigned(n, least) >= 0
          && n != mask // 0xffffff is the multicast queue pair, 0xffffffff nobody's key
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

  /** Opens what was retired {@value #EPOCHS} epochs ago. */
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
   * A random address.
   *
   * @return 62 bits, a multiple of 4096
   */
  public synchronized long address() {
    return random.nextLong() >>> 2 & -4096L;
  }

  /**
   * Gives a number back, into quarantine.
   *
   * @param n the number, which {@link #next} gave and which nobody uses any more
   */
  public synchronized void retire(int n) {
    int count = retiredCount[epoch]++;
    if (count == retired[epoch].length) {
      retired[epoch] = Arrays.copyOf(retired[epoch], 2 * count);
    }
    retired[epoch][count] = n >>> shift;
  }
}
