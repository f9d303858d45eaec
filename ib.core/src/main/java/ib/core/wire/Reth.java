package ib.core.wire;

/**
 * RDMA extended transport header (IBA vol. 1 section 9.3.3): 16 bytes. See {@link Header} for how
 * it is used.
 */
public final class Reth extends Header {
  /** Length in bytes. */
  public static final int BYTES = 16;

  /** Makes a view of nothing yet. */
  public Reth() {
    super(BYTES);
  }

  /** {@return the virtual address} */
  public long va() {
    return u64(0);
  }

  /**
   * Sets it.
   *
   * @param value the virtual address
   */
  public void va(long value) {
    u64(0, value);
  }

  /** {@return the R_Key} */
  public int rkey() {
    return u32(8);
  }

  /**
   * Sets it.
   *
   * @param value the R_Key
   */
  public void rkey(int value) {
    u32(8, value);
  }

  /** {@return the length of the whole transfer in bytes, unsigned} */
  public int dmaLen() {
    return u32(12);
  }

  /**
   * Sets it.
   *
   * @param value the length of the whole transfer in bytes, unsigned
   */
  public void dmaLen(int value) {
    u32(12, value);
  }
}
