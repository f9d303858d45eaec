package ib.core.wire;

/**
 * Atomic extended transport header (IBA vol. 1 section 9.3.4): 28 bytes. See {@link Header} for how
 * it is used.
 */
public final class AtomicEth extends Header {
  /** Length in bytes. */
  public static final int BYTES = 28;

  /** Makes a view of nothing yet. */
  public AtomicEth() {
    super(BYTES);
  }

  /** {@return the virtual address, a multiple of 8} */
  public long va() {
    return u64(0);
  }

  /**
   * Sets it.
   *
   * @param value the virtual address, a multiple of 8
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

  /** {@return what to store, or to add} */
  public long swapAdd() {
    return u64(12);
  }

  /**
   * Sets it.
   *
   * @param value what to store, or to add
   */
  public void swapAdd(long value) {
    u64(12, value);
  }

  /** {@return what to compare with, 0 for an addition} */
  public long compare() {
    return u64(20);
  }

  /**
   * Sets it.
   *
   * @param value what to compare with, 0 for an addition
   */
  public void compare(long value) {
    u64(20, value);
  }
}
