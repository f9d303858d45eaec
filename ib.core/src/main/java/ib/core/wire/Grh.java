package ib.core.wire;

/**
 * Global route header (IBA vol. 1 section 8.3; the layout of an IPv6 header): 40 bytes. See {@link
 * Header} for how it is used.
 */
public final class Grh extends Header {
  /** Length in bytes. */
  public static final int BYTES = 40;

  /** NxtHdr: an IBA transport header. */
  public static final int NEXT_HEADER_IBA = 0x1b;

  /** Makes a view of nothing yet. */
  public Grh() {
    super(BYTES);
  }

  /** {@return the IP version, 6} */
  public int ipVer() {
    return u32(0) >>> 28;
  }

  /**
   * Sets it.
   *
   * @param value the IP version, 6
   */
  public void ipVer(int value) {
    u32(0, u32(0) & 0x0fffffff | value << 28);
  }

  /** {@return the traffic class, 8 bits} */
  public int trafficClass() {
    return u32(0) >>> 20 & 0xff;
  }

  /**
   * Sets it.
   *
   * @param value the traffic class, 8 bits
   */
  public void trafficClass(int value) {
    u32(0, u32(0) & 0xf00fffff | (value & 0xff) << 20);
  }

  /** {@return the flow label, 20 bits} */
  public int flowLabel() {
    return u32(0) & 0xfffff;
  }

  /**
   * Sets it.
   *
   * @param value the flow label, 20 bits
   */
  public void flowLabel(int value) {
    u32(0, u32(0) & 0xfff00000 | value & 0xfffff);
  }

  /** {@return the number of bytes that follow this header, ICRC included, 16 bits} */
  public int payLen() {
    return u16(4);
  }

  /**
   * Sets it.
   *
   * @param value the number of bytes that follow this header, ICRC included, 16 bits
   */
  public void payLen(int value) {
    u16(4, value);
  }

  /** {@return the next header: {@link #NEXT_HEADER_IBA}} */
  public int nxtHdr() {
    return u8(6);
  }

  /**
   * Sets it.
   *
   * @param value the next header: {@link #NEXT_HEADER_IBA}
   */
  public void nxtHdr(int value) {
    u8(6, value);
  }

  /** {@return the hop limit, 8 bits} */
  public int hopLmt() {
    return u8(7);
  }

  /**
   * Sets it.
   *
   * @param value the hop limit, 8 bits
   */
  public void hopLmt(int value) {
    u8(7, value);
  }

  /** {@return the upper half of the source GID} */
  public long sgidHigh() {
    return u64(8);
  }

  /**
   * Sets it.
   *
   * @param value the upper half of the source GID
   */
  public void sgidHigh(long value) {
    u64(8, value);
  }

  /** {@return the lower half of the source GID} */
  public long sgidLow() {
    return u64(16);
  }

  /**
   * Sets it.
   *
   * @param value the lower half of the source GID
   */
  public void sgidLow(long value) {
    u64(16, value);
  }

  /** {@return the upper half of the destination GID} */
  public long dgidHigh() {
    return u64(24);
  }

  /**
   * Sets it.
   *
   * @param value the upper half of the destination GID
   */
  public void dgidHigh(long value) {
    u64(24, value);
  }

  /** {@return the lower half of the destination GID} */
  public long dgidLow() {
    return u64(32);
  }

  /**
   * Sets it.
   *
   * @param value the lower half of the destination GID
   */
  public void dgidLow(long value) {
    u64(32, value);
  }
}
