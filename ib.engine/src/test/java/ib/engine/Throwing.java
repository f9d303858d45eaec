package ib.engine;

import java.util.SplittableRandom;

/**
 * A place before every call of the engine's, where an exception can be thrown; see {@link
 * ThrownTest}.
 */
public final class Throwing {
  /** The error that is thrown, which no code expects. */
  public static final class Thrown extends Error {
    private static final long serialVersionUID = 1L;

    Thrown(long at) {
      super("planted at call " + at, null, false, true);
    }
  }

  private record Lack(int oneOf, SplittableRandom random) {}

  private static final ThreadLocal<Lack> LACK = new ThreadLocal<>();

  /** The last error thrown, for a failure's text. */
  static Thrown last;

  private static long passed;
  private static long first = Long.MAX_VALUE;
  private static long after = Long.MAX_VALUE;

  private Throwing() {}

  /** From here on a number of calls throw: those from one number to before another. */
  static void from(long call, long end) {
    passed = 0;
    last = null;
    first = call;
    after = end;
  }

  /** Nothing is thrown any more; returns how many calls there were. */
  static long stop() {
    first = Long.MAX_VALUE;
    return passed;
  }

  /** From here on there is no memory for one in so many allocations of this thread; 0: for all. */
  static void lacking(int oneOf, long seed) {
    LACK.remove();
    if (oneOf > 0) {
      LACK.set(new Lack(oneOf, new SplittableRandom(seed)));
    }
  }

  /** Planted before each allocation. */
  public static void allocate() {
    Lack lack = LACK.get();
    if (lack != null && lack.random.nextInt(lack.oneOf) == 0) {
      throw new OutOfMemoryError("planted");
    }
  }

  /** Planted before each call. */
  public static void point() {
    long n = ++passed;
    if (n >= first && n < after) {
      last = new Thrown(n);
      throw last;
    }
  }
}
