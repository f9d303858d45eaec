package ib.engine.fault;

import java.util.concurrent.atomic.AtomicLong;

/** A seeded random source, SplitMix64, with one atomic addition per number. Any thread may call. */
final class Chance {
  private static final long GOLDEN = 0x9E3779B97F4A7C15L;

  private final AtomicLong state;

  Chance(long seed) {
    state = new AtomicLong(seed);
  }

  void seed(long seed) {
    state.set(seed);
  }

  long next() {
    long z = state.getAndAdd(GOLDEN);
    z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
    return z ^ (z >>> 31);
  }

  /** {@return 0 to bound - 1; the bias is negligible for small bounds} */
  long below(long bound) {
    return Long.remainderUnsigned(next(), bound);
  }
}
