package ib.core.wire;

/**
 * Header of subnet administration (IBA vol. 1 section 15.2.1.1): 20 bytes after that of RMPP. See
 * {@link Header} for how it is used.
 */
public final class SaHeader extends Header {
  /** Length in bytes. */
  public static final int BYTES = 20;

  /** Makes a view of nothing yet. */
  public SaHeader() {
    super(BYTES);
  }

  /** {@return the SM_Key, 0 of an ordinary requester} */
  public long smKey() {
    return u64(0);
  }

  /**
   * Sets it.
   *
   * @param value the SM_Key, 0 of an ordinary requester
   */
  public void smKey(long value) {
    u64(0, value);
  }

  /** {@return the distance between records of a table, in units of 8 bytes} */
  public int attributeOffset() {
    return u16(8);
  }

  /**
   * Sets it.
   *
   * @param value the distance between records of a table, in units of 8 bytes
   */
  public void attributeOffset(int value) {
    u16(8, value);
  }

  /** {@return which components of the record count} */
  public long componentMask() {
    return u64(12);
  }

  /**
   * Sets it.
   *
   * @param value which components of the record count
   */
  public void componentMask(long value) {
    u64(12, value);
  }
}
