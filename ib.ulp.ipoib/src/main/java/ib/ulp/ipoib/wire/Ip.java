package ib.ulp.ipoib.wire;

import ib.core.verbs.Gid;
import java.net.InetAddress;

/**
 * An IPv4 or IPv6 address. An IPv4 address is kept in its mapped form, ::ffff:a.b.c.d (RFC 4291
 * section 2.5.5.2).
 *
 * @param high the first eight bytes
 * @param low the last eight bytes
 */
public record Ip(long high, long low) {
  private static final long MAPPED = 0xffffL << 32;

  /** ff02::1, all nodes of the link. */
  public static final Ip ALL_NODES = new Ip(0xff02L << 48, 1);

  /** ff02::2, all routers of the link. */
  public static final Ip ALL_ROUTERS = new Ip(0xff02L << 48, 2);

  /** 224.0.0.1, all systems of the link. */
  public static final Ip ALL_SYSTEMS = v4(0xe0000001);

  public static Ip v4(int address) {
    return new Ip(0, MAPPED | address & 0xffff_ffffL);
  }

  /** {@return the address of a literal} Does not query a name service. */
  public static Ip parse(String text) {
    return of(InetAddress.ofLiteral(text));
  }

  public static Ip of(InetAddress address) {
    byte[] bytes = address.getAddress();
    if (bytes.length == 4) {
      return v4(
          (bytes[0] & 0xff) << 24
              | (bytes[1] & 0xff) << 16
              | (bytes[2] & 0xff) << 8
              | bytes[3] & 0xff);
    }
    Gid words = Gid.of(bytes);
    return new Ip(words.high(), words.low());
  }

  /** {@return the address in fe80::/64 with an interface identifier (RFC 4291 section 2.5.6)} */
  public static Ip linkLocal(long interfaceId) {
    return new Ip(0xfe80L << 48, interfaceId);
  }

  public boolean isV4() {
    return high == 0 && low >>> 32 == 0xffff;
  }

  /** {@return the four bytes of an IPv4 address} */
  public int v4() {
    return (int) low;
  }

  public boolean isMulticast() {
    return isV4() ? (low >>> 28 & 0xf) == 0xe : high >>> 56 == 0xff;
  }

  public boolean isLinkLocal() {
    return isV4() ? (low >>> 16 & 0xffff) == 0xa9fe : high >>> 54 == 0xfe80L >>> 6;
  }

  public boolean isZero() {
    return isV4() ? v4() == 0 : (high | low) == 0;
  }

  /** {@return the solicited-node group of this address (RFC 4291 section 2.7.1)} */
  public Ip solicitedNode() {
    return new Ip(0xff02L << 48, 0x1_ff00_0000L | low & 0xff_ffff);
  }

  /** {@return whether both addresses have the same IP version and prefix} */
  public boolean sameNet(Ip other, int prefix) {
    int bits = isV4() ? 96 + prefix : prefix;
    return isV4() == other.isV4()
        && first(high ^ other.high, bits)
        && first(low ^ other.low, bits - 64);
  }

  private static boolean first(long difference, int bits) {
    return bits <= 0 || difference >>> 64 - Math.min(64, bits) == 0;
  }

  /**
   * {@return this IPv4 address with all bits after the prefix set, which is the broadcast address
   * of its net}
   */
  public Ip netBroadcast(int prefix) {
    return v4(v4() | (prefix == 32 ? 0 : -1 >>> prefix));
  }

  @Override
  public String toString() {
    return isV4()
        ? (v4() >>> 24) + "." + (v4() >>> 16 & 255) + "." + (v4() >>> 8 & 255) + "." + (v4() & 255)
        : new Gid(high, low).toString();
  }
}
