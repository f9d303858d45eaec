package ib.core.wire;

/**
 * Acknowledge extended transport header (IBA vol. 1 section 9.3.5): 4 bytes. See {@link Header} for
 * how it is used.
 */
public final class Aeth extends Header {
  /** Length in bytes. */
  public static final int BYTES = 4;

  /** Makes a view of nothing yet. */
  public Aeth() {
    super(BYTES);
  }

  /** {@return the syndrome, 8 bits: ACK, RNR NAK or NAK, with its value} */
  public int syndrome() {
    return u8(0);
  }

  /**
   * Sets it.
   *
   * @param value the syndrome, 8 bits: ACK, RNR NAK or NAK, with its value
   */
  public void syndrome(int value) {
    u8(0, value);
  }

  /** {@return the message sequence number, 24 bits} */
  public int msn() {
    return u24(1);
  }

  /**
   * Sets it.
   *
   * @param value the message sequence number, 24 bits
   */
  public void msn(int value) {
    u24(1, value);
  }
}
