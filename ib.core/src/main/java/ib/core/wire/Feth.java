package ib.core.wire;

/**
 * Flush extended transport header (IBA vol. 1 annex A19): 4 bytes. See {@link Header} for how it is
 * used.
 */
public final class Feth extends Header {
  /** Length in bytes. */
  public static final int BYTES = 4;

  /** PLT: what was written is seen by every reader. */
  public static final int GLOBAL_VISIBILITY = 1;

  /** PLT: what was written survives a loss of power. */
  public static final int PERSISTENT = 2;

  /** SEL: the address range of RETH. */
  public static final int RANGE = 0;

  /** SEL: the whole memory region. */
  public static final int REGION = 1;

  /** Makes a view of nothing yet. */
  public Feth() {
    super(BYTES);
  }

  /** {@return the placement type: {@link #GLOBAL_VISIBILITY} and {@link #PERSISTENT}} */
  public int plt() {
    return u32(0) & 0xf;
  }

  /**
   * Sets it.
   *
   * @param value the placement type: {@link #GLOBAL_VISIBILITY} and {@link #PERSISTENT}
   */
  public void plt(int value) {
    u32(0, u32(0) & ~0xf | value & 0xf);
  }

  /** {@return the selectivity: {@link #RANGE} or {@link #REGION}} */
  public int sel() {
    return u32(0) >>> 4 & 3;
  }

  /**
   * Sets it.
   *
   * @param value the selectivity: {@link #RANGE} or {@link #REGION}
   */
  public void sel(int value) {
    u32(0, u32(0) & ~0x30 | (value & 3) << 4);
  }

  /** {@return all 32 bits, as flags of a work request give them} */
  public int word() {
    return u32(0);
  }

  /**
   * Sets it.
   *
   * @param value all 32 bits, as flags of a work request give them
   */
  public void word(int value) {
    u32(0, value);
  }
}
