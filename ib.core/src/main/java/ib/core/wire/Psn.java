package ib.core.wire;

/**
 * Arithmetic of the 24-bit numbers of the transport, PSN and MSN, which wrap (IBA vol. 1 section
 * 9.7.1). Compare them with {@link #diff} only. Any context.
 */
public final class Psn {
  /** The largest number. */
  public static final int MAX = 0xffffff;

  private Psn() {}

  /**
   * How far one number is after another.
   *
   * @param a 24 bits
   * @param b 24 bits
   * @return -2^23 to 2^23 - 1; negative when a is before b
   */
  public static int diff(int a, int b) {
    return (a - b) << 8 >> 8;
  }

  /**
   * Goes forward, or back.
   *
   * @param psn 24 bits
   * @param n how far, any sign
   * @return 24 bits
   */
  public static int add(int psn, int n) {
    return (psn + n) & MAX;
  }
}
