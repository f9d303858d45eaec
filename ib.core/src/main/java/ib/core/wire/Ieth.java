package ib.core.wire;

/**
 * Invalidate extended transport header (IBA vol. 1 section 9.3.7): 4 bytes. See {@link Header} for
 * how it is used.
 */
public final class Ieth extends Header {
  /** Length in bytes. */
  public static final int BYTES = 4;

  /** Makes a view of nothing yet. */
  public Ieth() {
    super(BYTES);
  }

  /** {@return the R_Key to invalidate} */
  public int rkey() {
    return u32(0);
  }

  /**
   * Sets it.
   *
   * @param value the R_Key to invalidate
   */
  public void rkey(int value) {
    u32(0, value);
  }
}
