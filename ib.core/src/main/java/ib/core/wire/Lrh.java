package ib.core.wire;

/** Local route header (IBA vol. 1 section 7.7): 8 bytes. See {@link Header} for how it is used. */
public final class Lrh extends Header {
  /** Length in bytes. */
  public static final int BYTES = 8;

  /** LNH: BTH follows. */
  public static final int LNH_LOCAL = 2;

  /** LNH: GRH follows, then BTH. */
  public static final int LNH_GLOBAL = 3;

  /** Makes a view of nothing yet. */
  public Lrh() {
    super(BYTES);
  }

  /** {@return the virtual lane, 0 to 15} */
  public int vl() {
    return bits(0, 4, 4);
  }

  /**
   * Sets it.
   *
   * @param value the virtual lane, 0 to 15
   */
  public void vl(int value) {
    bits(0, 4, 4, value);
  }

  /** {@return the link version, 0} */
  public int lver() {
    return bits(0, 0, 4);
  }

  /**
   * Sets it.
   *
   * @param value the link version, 0
   */
  public void lver(int value) {
    bits(0, 0, 4, value);
  }

  /** {@return the service level, 0 to 15} */
  public int sl() {
    return bits(1, 4, 4);
  }

  /**
   * Sets it.
   *
   * @param value the service level, 0 to 15
   */
  public void sl(int value) {
    bits(1, 4, 4, value);
  }

  /** {@return what follows: {@link #LNH_LOCAL}, {@link #LNH_GLOBAL}, or a raw packet} */
  public int lnh() {
    return bits(1, 0, 2);
  }

  /**
   * Sets it.
   *
   * @param value what follows: {@link #LNH_LOCAL}, {@link #LNH_GLOBAL}, or a raw packet
   */
  public void lnh(int value) {
    bits(1, 0, 2, value);
  }

  /** {@return the destination LID, 16 bits} */
  public int dlid() {
    return u16(2);
  }

  /**
   * Sets it.
   *
   * @param value the destination LID, 16 bits
   */
  public void dlid(int value) {
    u16(2, value);
  }

  /** {@return the length from this header through the ICRC in units of 4 bytes, 11 bits} */
  public int pktLen() {
    return u16(4) & 0x7ff;
  }

  /**
   * Sets it.
   *
   * @param value the length from this header through the ICRC in units of 4 bytes, 11 bits
   */
  public void pktLen(int value) {
    u16(4, u16(4) & 0xf800 | value & 0x7ff);
  }

  /** {@return the source LID, 16 bits} */
  public int slid() {
    return u16(6);
  }

  /**
   * Sets it.
   *
   * @param value the source LID, 16 bits
   */
  public void slid(int value) {
    u16(6, value);
  }
}
