package ib.core.wire;

/**
 * A directed route subnet management datagram (IBA vol. 1 section 14.2.1.2): all 256 bytes, the
 * common header included; {@link MadHeader} reads that part. See {@link Header} for how it is used.
 */
public final class DrSmpHeader extends Header {
  /** Length in bytes. */
  public static final int BYTES = 256;

  /** Offset of the attribute's 64 bytes. */
  public static final int DATA = 64;

  /** Most hops of a route. */
  public static final int HOPS_MOST = 63;

  /** Makes a view of nothing yet. */
  public DrSmpHeader() {
    super(BYTES);
  }

  /** {@return the D bit: true on the way back} */
  public boolean direction() {
    return bits(4, 7, 1) != 0;
  }

  /**
   * Sets it.
   *
   * @param value the D bit: true on the way back
   */
  public void direction(boolean value) {
    bits(4, 7, 1, value ? 1 : 0);
  }

  /** {@return the status, 15 bits, without the D bit} */
  public int status() {
    return u16(4) & 0x7fff;
  }

  /**
   * Sets it.
   *
   * @param value the status, 15 bits, without the D bit
   */
  public void status(int value) {
    u16(4, u16(4) & 0x8000 | value & 0x7fff);
  }

  /** {@return the hop pointer} */
  public int hopPointer() {
    return u8(6);
  }

  /**
   * Sets it.
   *
   * @param value the hop pointer
   */
  public void hopPointer(int value) {
    u8(6, value);
  }

  /** {@return the hop count} */
  public int hopCount() {
    return u8(7);
  }

  /**
   * Sets it.
   *
   * @param value the hop count
   */
  public void hopCount(int value) {
    u8(7, value);
  }

  /** {@return the M_Key} */
  public long mkey() {
    return u64(24);
  }

  /**
   * Sets it.
   *
   * @param value the M_Key
   */
  public void mkey(long value) {
    u64(24, value);
  }

  /** {@return DrSLID, permissive when the route begins here} */
  public int drSlid() {
    return u16(32);
  }

  /**
   * Sets it.
   *
   * @param value DrSLID, permissive when the route begins here
   */
  public void drSlid(int value) {
    u16(32, value);
  }

  /** {@return DrDLID, permissive when the route ends at its end} */
  public int drDlid() {
    return u16(34);
  }

  /**
   * Sets it.
   *
   * @param value DrDLID, permissive when the route ends at its end
   */
  public void drDlid(int value) {
    u16(34, value);
  }

  /**
   * A port of the way out.
   *
   * @param hop 1 to 63
   * @return the port to leave hop - 1 by
   */
  public int initialPath(int hop) {
    return u8(128 + hop);
  }

  /**
   * Sets it.
   *
   * @param hop 1 to 63
   * @param port the port to leave hop - 1 by
   */
  public void initialPath(int hop, int port) {
    u8(128 + hop, port);
  }

  /**
   * A port of the way back.
   *
   * @param hop 1 to 63
   * @return the port that the datagram entered by
   */
  public int returnPath(int hop) {
    return u8(192 + hop);
  }

  /**
   * Sets it.
   *
   * @param hop 1 to 63
   * @param port the port that the datagram entered by
   */
  public void returnPath(int hop, int port) {
    u8(192 + hop, port);
  }
}
