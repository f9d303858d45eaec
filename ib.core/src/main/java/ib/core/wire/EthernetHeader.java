package ib.core.wire;

/**
 * Ethernet header without a VLAN tag (IEEE 802.3): 14 bytes. See {@link Header} for how it is used.
 */
public final class EthernetHeader extends Header {
  /** Length in bytes. */
  public static final int BYTES = 14;

  /** Ethertype of IPv4. */
  public static final int IPV4 = 0x0800;

  /** Ethertype of IPv6. */
  public static final int IPV6 = 0x86dd;

  /** Makes a view of nothing yet. */
  public EthernetHeader() {
    super(BYTES);
  }

  /** {@return the destination address, 48 bits} */
  public long destination() {
    return (long) u16(0) << 32 | u32(2) & 0xffffffffL;
  }

  /**
   * Sets it.
   *
   * @param value the destination address, 48 bits
   */
  public void destination(long value) {
    u16(0, (int) (value >>> 32));
    u32(2, (int) value);
  }

  /** {@return the source address, 48 bits} */
  public long source() {
    return (long) u16(6) << 32 | u32(8) & 0xffffffffL;
  }

  /**
   * Sets it.
   *
   * @param value the source address, 48 bits
   */
  public void source(long value) {
    u16(6, (int) (value >>> 32));
    u32(8, (int) value);
  }

  /** {@return the type of what follows: {@link #IPV4} or {@link #IPV6}, 16 bits} */
  public int etherType() {
    return u16(12);
  }

  /**
   * Sets it.
   *
   * @param value the type of what follows: {@link #IPV4} or {@link #IPV6}, 16 bits
   */
  public void etherType(int value) {
    u16(12, value);
  }
}
