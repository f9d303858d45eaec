package ib.core.wire;

/** IPv4 header without options (RFC 791): 20 bytes. See {@link Header} for how it is used. */
public final class Ipv4Header extends Header {
  /** Length in bytes. */
  public static final int BYTES = 20;

  /** Version 4, five words. */
  public static final int PLAIN = 0x45;

  /** The flag that forbids fragmentation. */
  public static final int DONT_FRAGMENT = 0x4000;

  /** Makes a view of nothing yet. */
  public Ipv4Header() {
    super(BYTES);
  }

  /** {@return the version and the header length in units of 4 bytes: {@link #PLAIN}} */
  public int versionAndLength() {
    return u8(0);
  }

  /**
   * Sets it.
   *
   * @param value the version and the header length in units of 4 bytes: {@link #PLAIN}
   */
  public void versionAndLength(int value) {
    u8(0, value);
  }

  /** {@return the type of service, 8 bits} */
  public int typeOfService() {
    return u8(1);
  }

  /**
   * Sets it.
   *
   * @param value the type of service, 8 bits
   */
  public void typeOfService(int value) {
    u8(1, value);
  }

  /** {@return the length of the datagram with this header, 16 bits} */
  public int totalLength() {
    return u16(2);
  }

  /**
   * Sets it.
   *
   * @param value the length of the datagram with this header, 16 bits
   */
  public void totalLength(int value) {
    u16(2, value);
  }

  /** {@return the identification, 16 bits} */
  public int identification() {
    return u16(4);
  }

  /**
   * Sets it.
   *
   * @param value the identification, 16 bits
   */
  public void identification(int value) {
    u16(4, value);
  }

  /** {@return flags and fragment offset, 16 bits: {@link #DONT_FRAGMENT} or 0 when whole} */
  public int fragment() {
    return u16(6);
  }

  /**
   * Sets it.
   *
   * @param value flags and fragment offset, 16 bits: {@link #DONT_FRAGMENT} or 0 when whole
   */
  public void fragment(int value) {
    u16(6, value);
  }

  /** {@return the time to live, 8 bits} */
  public int timeToLive() {
    return u8(8);
  }

  /**
   * Sets it.
   *
   * @param value the time to live, 8 bits
   */
  public void timeToLive(int value) {
    u8(8, value);
  }

  /** {@return the protocol of what follows: {@link UdpHeader#PROTOCOL}} */
  public int protocol() {
    return u8(9);
  }

  /**
   * Sets it.
   *
   * @param value the protocol of what follows: {@link UdpHeader#PROTOCOL}
   */
  public void protocol(int value) {
    u8(9, value);
  }

  /** {@return the header checksum, 16 bits} */
  public int checksum() {
    return u16(10);
  }

  /**
   * Sets it.
   *
   * @param value the header checksum, 16 bits
   */
  public void checksum(int value) {
    u16(10, value);
  }

  /** {@return the source address} */
  public int source() {
    return u32(12);
  }

  /**
   * Sets it.
   *
   * @param value the source address
   */
  public void source(int value) {
    u32(12, value);
  }

  /** {@return the destination address} */
  public int destination() {
    return u32(16);
  }

  /**
   * Sets it.
   *
   * @param value the destination address
   */
  public void destination(int value) {
    u32(16, value);
  }

  /** {@return what the header checksum must be, whatever it is now} */
  public int expectedChecksum() {
    return ~sum(u16(0) + u16(2) + u16(4) + u16(6) + u16(8) + u16(12) + u16(14) + u16(16) + u16(18))
        & 0xffff;
  }

  /** {@return whether the header checksum is right; there are two ways to write zero} */
  public boolean intact() {
    return sum(checksum() + (~expectedChecksum() & 0xffff)) == 0xffff;
  }

  private static int sum(int words) {
    int once = (words & 0xffff) + (words >>> 16);
    return (once & 0xffff) + (once >>> 16);
  }
}
