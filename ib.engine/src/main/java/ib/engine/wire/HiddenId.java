package ib.engine.wire;

import ib.core.wire.Icrc;

/**
 * The identification of an IPv4 header that a socket does not show, found from the ICRC, which
 * covers it (IBA annex A17.3.3). A CRC is affine: what the ICRC of a packet differs by from that of
 * the same packet with identification 0 and "don't fragment" is the difference of those four header
 * bytes, multiplied by as many powers of x as bits follow. That factor depends on the length only,
 * so it is divided out. The lower half of what comes out is the identification, and the upper half
 * must be 0: a packet that is damaged passes with a probability of 2^-16.
 */
public final class HiddenId {
  /** The ICRC is wrong for every identification. */
  public static final int UNSOLVED = -1;

  /** The ICRC is right for a packet that may be fragmented; RoCEv2 does not send such packets. */
  public static final int FRAGMENTABLE = -2;

  private static final int POLYNOMIAL = 0xEDB88320;
  private static final int AFTER_ID = 16 + 8; // identification through addresses, and UDP
  private static final int MAX_LENGTH = 4096 + 256;
  private static final int MAY_FRAGMENT = 0x0040; // the flag's byte comes first
  private static final int[] SHIFT = shifts();

  private HiddenId() {}

  /** Reflected powers of x, one for each number of 32-bit words: x to the power of -32 i. */
  private static int[] shifts() {
    int[] table = new int[(AFTER_ID + MAX_LENGTH) / 4 + 1];
    int power = 0x80000000; // 1
    for (int i = 0; i < table.length; i++) {
      table[i] = power;
      for (int bit = 0; bit < 32; bit++) {
        power = power < 0 ? (power ^ POLYNOMIAL) << 1 | 1 : power << 1;
      }
    }
    return table;
  }

  /**
   * Finds the identification.
   *
   * @param difference the ICRC of the packet, exclusive or the one calculated with identification 0
   *     and "don't fragment"
   * @param length bytes from BTH through ICRC
   * @return 0 to 65535, or {@link #UNSOLVED} or {@link #FRAGMENTABLE}
   */
  public static int solve(int difference, int length) {
    int follow = AFTER_ID + length - Icrc.BYTES;
    if ((follow & 3) != 0 || follow < 0 || follow >>> 2 >= SHIFT.length) {
      return UNSOLVED;
    }
    int bytes = product(difference, SHIFT[follow >>> 2]);
    int id = (bytes & 0xff) << 8 | bytes >>> 8 & 0xff;
    return switch (bytes >>> 16) {
      case 0 -> id;
      case MAY_FRAGMENT -> FRAGMENTABLE;
      default -> UNSOLVED;
    };
  }

  /** The product of two reflected polynomials modulo that of the CRC. */
  private static int product(int a, int b) {
    int sum = 0;
    int term = b;
    for (int bit = 31; bit >= 0; bit--) {
      sum ^= term & -(a >>> bit & 1);
      term = term >>> 1 ^ POLYNOMIAL & -(term & 1);
    }
    return sum;
  }
}
