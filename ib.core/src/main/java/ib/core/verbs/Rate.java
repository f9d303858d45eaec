package ib.core.verbs;

/**
 * The rate of a link, a path or a group: the codes of {@code ibv_rate} (IBA vol. 1 table 224),
 * which are not in the order of the rates, and those of width and speed, whose product a rate is.
 */
public final class Rate {
  private static final long GIGABIT = 1_000_000_000L;
  private static final int RATE_2_5 = 2;
  private static final int[] GIGABITS = {
    0, 0, 2, 10, 30, 5, 20, 40, 60, 80, 120, 14, 56, 112, 168, 25, 100, 200, 300, 28, 50, 400, 600,
    800, 1200
  };

  private Rate() {}

  /**
   * {@return bits per second of a code; 0 for an unknown one}
   *
   * @param code as in {@code ibv_rate}, from 2
   */
  @AnyContext
  public static long bitsPerSecond(int code) {
    if (code == RATE_2_5) {
      return 5 * GIGABIT / 2;
    }
    return code < 0 || code >= GIGABITS.length ? 0 : GIGABITS[code] * GIGABIT;
  }

  /**
   * {@return the code of the fastest rate that is not faster; that of 2.5 Gb/s when all are}
   *
   * @param bitsPerSecond of a link
   */
  @AnyContext
  public static int of(long bitsPerSecond) {
    int found = RATE_2_5;
    for (int code = RATE_2_5; code < GIGABITS.length; code++) {
      long rate = bitsPerSecond(code);
      found = rate <= bitsPerSecond && rate > bitsPerSecond(found) ? code : found;
    }
    return found;
  }

  /**
   * {@return the number of lanes; 0 for an unknown code}
   *
   * @param width as {@link PortAttr#activeWidth}
   */
  @AnyContext
  public static int lanes(int width) {
    return switch (width) {
      case 1 -> 1;
      case 2 -> 4;
      case 4 -> 8;
      case 8 -> 12;
      case 16 -> 2;
      default -> 0;
    };
  }

  /**
   * {@return bits per second of one lane, as {@code ibv_rate} counts them; 0 for an unknown code}
   *
   * @param speed as {@link PortAttr#activeSpeed}
   */
  @AnyContext
  public static long ofLane(int speed) {
    return switch (speed) {
      case 1 -> bitsPerSecond(RATE_2_5);
      case 2 -> 5 * GIGABIT;
      case 4, 8 -> 10 * GIGABIT;
      case 16 -> 14 * GIGABIT;
      case 32 -> 25 * GIGABIT;
      case 64 -> 50 * GIGABIT;
      case 128 -> 100 * GIGABIT;
      case 256 -> 200 * GIGABIT;
      default -> 0;
    };
  }
}
