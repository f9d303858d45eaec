package ib.core.wire;

/** Immediate data (IBA vol. 1 section 9.3.6): 4 bytes. See {@link Header} for how it is used. */
public final class ImmDt extends Header {
  /** Length in bytes. */
  public static final int BYTES = 4;

  /** Makes a view of nothing yet. */
  public ImmDt() {
    super(BYTES);
  }

  /** {@return the 32 bits as the consumer gave them, in network order} */
  public int immediate() {
    return u32(0);
  }

  /**
   * Sets it.
   *
   * @param value the 32 bits as the consumer gave them, in network order
   */
  public void immediate(int value) {
    u32(0, value);
  }
}
