package ib.core.wire;

/**
 * Atomic acknowledge extended transport header (IBA vol. 1 section 9.3.5.3): 8 bytes. See {@link
 * Header} for how it is used.
 */
public final class AtomicAckEth extends Header {
  /** Length in bytes. */
  public static final int BYTES = 8;

  /** Makes a view of nothing yet. */
  public AtomicAckEth() {
    super(BYTES);
  }

  /** {@return the value before the operation} */
  public long origRemData() {
    return u64(0);
  }

  /**
   * Sets it.
   *
   * @param value the value before the operation
   */
  public void origRemData(long value) {
    u64(0, value);
  }
}
