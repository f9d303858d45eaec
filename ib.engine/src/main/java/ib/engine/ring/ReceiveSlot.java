package ib.engine.ring;

import ib.engine.mr.Sges;

/**
 * The words of a receive request at {@code b} of their array: in a ring, or in a copy. Data path.
 *
 * <pre>
 * 0 index + 1 when published | 1 wrId | 2 ... elements, two words each; those not used have no bytes
 * </pre>
 */
public final class ReceiveSlot {
  static final int WR_ID = 1;
  static final int SGES = 2;

  private ReceiveSlot() {}

  /** {@return the number of words of a slot of so many elements} */
  static int words(int sgeMost) {
    return SGES + Sges.WORDS * sgeMost;
  }

  /**
   * {@return the work request id}
   *
   * @param w the words
   * @param b where the slot begins
   */
  public static long wrId(long[] w, int b) {
    return w[b + WR_ID];
  }

  /**
   * {@return where the first element begins}
   *
   * @param b where the slot begins
   */
  public static int sges(int b) {
    return b + SGES;
  }
}
