package ib.engine.mr;

import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.Set;
import java.util.function.IntPredicate;
import java.util.random.RandomGenerator;

/**
 * Unguessable numbers that are not soon used again (D9): random, and after use in quarantine behind
 * the last {@value #QUARANTINE} others. Control path, one thread at a time.
 */
public final class Numbers {
  private static final int QUARANTINE = 16_384;
  private static final int TRIES = 1_000_000;

  private final RandomGenerator random;
  private final int mask;
  private final int least;
  private final ArrayDeque<Integer> order = new ArrayDeque<>();
  private final Set<Integer> quarantined = new HashSet<>();

  /**
   * Makes a source of numbers.
   *
   * @param random where they come from
   * @param bits their width, 1 to 32
   * @param least the smallest one given, at least 1
   */
  public Numbers(RandomGenerator random, int bits, int least) {
    this.random = random;
    this.mask = bits == 32 ? -1 : (1 << bits) - 1;
    this.least = least;
  }

  /**
   * A number that is free.
   *
   * @param used whether a number is in use
   * @return the number, unsigned
   */
  public synchronized int next(IntPredicate used) {
    for (int i = 0; i < TRIES; i++) {
      int n = random.nextInt() & mask;
      if (Integer.compareUnsigned(n, least) >= 0
          && n != mask // 0xffffff is the multicast queue pair, 0xffffffff nobody's key
          && !quarantined.contains(n)
          && !used.test(n)) {
        return n;
      }
    }
    throw new IllegalStateException("no free number in " + TRIES + " tries");
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
   * @param n the number
   */
  public synchronized void retire(int n) {
    quarantined.add(n);
    order.addLast(n);
    if (order.size() > QUARANTINE) {
      Integer oldest = order.removeFirst();
      quarantined.remove(oldest);
    }
  }
}
