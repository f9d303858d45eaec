package ib.core.wire;

/**
 * Datagram extended transport header (IBA vol. 1 section 9.3.2): 8 bytes. See {@link Header} for
 * how it is used.
 */
public final class Deth extends Header {
  /** Length in bytes. */
  public static final int BYTES = 8;

  /** Makes a view of nothing yet. */
  public Deth() {
    super(BYTES);
  }

  /** {@return the Q_Key} */
  public int qkey() {
    return u32(0);
  }

  /**
   * Sets it.
   *
   * @param value the Q_Key
   */
  public void qkey(int value) {
    u32(0, value);
  }

  /** {@return the source queue pair, 24 bits} */
  public int srcQp() {
    return u24(5);
  }

  /**
   * Sets it.
   *
   * @param value the source queue pair, 24 bits
   */
  public void srcQp(int value) {
    u24(5, value);
  }
}
