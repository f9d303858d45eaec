package ib.core.wire;

/** UDP header (RFC 768): 8 bytes. See {@link Header} for how it is used. */
public final class UdpHeader extends Header {
  /** Length in bytes. */
  public static final int BYTES = 8;

  /** The port of RoCEv2 (IBA annex A17.3.1). */
  public static final int ROCE = 4791;

  /** The protocol number of UDP in IP headers. */
  public static final int PROTOCOL = 17;

  /** Makes a view of nothing yet. */
  public UdpHeader() {
    super(BYTES);
  }

  /** {@return the source port, 16 bits; of RoCEv2 any, it spreads flows} */
  public int sourcePort() {
    return u16(0);
  }

  /**
   * Sets it.
   *
   * @param value the source port, 16 bits; of RoCEv2 any, it spreads flows
   */
  public void sourcePort(int value) {
    u16(0, value);
  }

  /** {@return the destination port, 16 bits: {@link #ROCE}} */
  public int destinationPort() {
    return u16(2);
  }

  /**
   * Sets it.
   *
   * @param value the destination port, 16 bits: {@link #ROCE}
   */
  public void destinationPort(int value) {
    u16(2, value);
  }

  /** {@return the length of the datagram with this header, 16 bits} */
  public int length() {
    return u16(4);
  }

  /**
   * Sets it.
   *
   * @param value the length of the datagram with this header, 16 bits
   */
  public void length(int value) {
    u16(4, value);
  }

  /** {@return the checksum, 16 bits, 0 for none; the ICRC makes up for it} */
  public int checksum() {
    return u16(6);
  }

  /**
   * Sets it.
   *
   * @param value the checksum, 16 bits, 0 for none; the ICRC makes up for it
   */
  public void checksum(int value) {
    u16(6, value);
  }
}
