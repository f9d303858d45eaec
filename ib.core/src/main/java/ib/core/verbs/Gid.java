package ib.core.verbs;

import java.net.InetAddress;
import java.util.HexFormat;

/**
 * A global identifier: 16 bytes with the form of an IPv6 address. Immutable; any context.
 *
 * @param high the subnet prefix, the first eight bytes in network order
 * @param low the interface identifier, the last eight bytes in network order
 */
public record Gid(long high, long low) {
  /** All zero: an empty entry of a GID table. */
  public static final Gid ZERO = new Gid(0, 0);

  private static final long LINK_LOCAL_PREFIX = 0xfe80_0000_0000_0000L;
  private static final long IPV4_MAPPED = 0xffffL << 32;
  private static final int WORDS = 8;

  /**
   * The GID of 16 bytes.
   *
   * @param bytes exactly 16 bytes, network order
   * @return the GID
   * @throws IbInvalidException if there are not 16 bytes
   */
  public static Gid of(byte[] bytes) {
    if (bytes.length != 16) {
      throw new IbInvalidException("GID", bytes.length + " bytes", "16 bytes, network order");
    }
    return new Gid(bigEndian(bytes, 0, 8), bigEndian(bytes, 8, 16));
  }

  /**
   * The GID that stands for an address: an IPv6 address is one, an IPv4 address is mapped.
   *
   * @param address the address
   * @return the GID
   */
  public static Gid of(InetAddress address) {
    return ofAddress(address.getAddress());
  }

  private static Gid ofAddress(byte[] bytes) {
    return bytes.length == 4 ? new Gid(0, IPV4_MAPPED | bigEndian(bytes, 0, 4)) : of(bytes);
  }

  private static long bigEndian(byte[] bytes, int from, int to) {
    long v = 0;
    for (int i = from; i < to; i++) {
      v = (v << 8) | (bytes[i] & 0xffL);
    }
    return v;
  }

  /**
   * The default GID of a port: the link-local prefix and its GUID.
   *
   * @param guid the port GUID, taken as it is
   * @return fe80::/64 with that interface identifier
   */
  public static Gid linkLocal(long guid) {
    return new Gid(LINK_LOCAL_PREFIX, guid);
  }

  /**
   * Reads a GID. Asks no name service.
   *
   * @param text an IPv6 address (RFC 4291 section 2.2, without scope), or 32 hexadecimal digits
   * @return the GID
   * @throws IbInvalidException if it is neither
   */
  public static Gid parse(String text) {
    if (text.length() == 32 && text.chars().allMatch(HexFormat::isHexDigit)) {
      return new Gid(
          HexFormat.fromHexDigitsToLong(text, 0, 16), HexFormat.fromHexDigitsToLong(text, 16, 32));
    }
    if (text.indexOf(':') < 0 || !text.chars().allMatch(Gid::isAddressChar)) {
      throw notGid(text);
    }
    byte[] bytes;
    try {
      bytes = InetAddress.ofLiteral(text).getAddress();
    } catch (IllegalArgumentException e) {
      IbInvalidException refusal = notGid(text);
      refusal.initCause(e);
      throw refusal;
    }
    // a mapped address comes back as its four IPv4 bytes
    return ofAddress(bytes);
  }

  private static boolean isAddressChar(int c) {
    return c == ':' || c == '.' || HexFormat.isHexDigit(c);
  }

  private static IbInvalidException notGid(String text) {
    return new IbInvalidException(
        "GID '" + text + "'", "not an IPv6 address", "fe80::1, ::ffff:10.0.0.1 or 32 hex digits");
  }

  /** {@return the first 64 bits} */
  public long subnetPrefix() {
    return high;
  }

  /** {@return the last 64 bits} */
  public long interfaceId() {
    return low;
  }

  /**
   * Whether it names a multicast group.
   *
   * @return true when it begins with ff, or carries an IPv4 address of 224.0.0.0/4
   */
  public boolean isMulticast() {
    return high >>> 56 == 0xff || isIpv4Mapped() && (low >>> 28 & 0xf) == 0xe;
  }

  /** {@return whether it carries an IPv4 address, that is has the form ::ffff:a.b.c.d} */
  public boolean isIpv4Mapped() {
    return high == 0 && low >>> 32 == 0xffff;
  }

  /** {@return a new array of the 16 bytes, network order} */
  public byte[] toBytes() {
    byte[] bytes = new byte[16];
    for (int i = 0; i < 8; i++) {
      bytes[i] = (byte) (high >>> (56 - 8 * i));
      bytes[8 + i] = (byte) (low >>> (56 - 8 * i));
    }
    return bytes;
  }

  /** {@return 32 lower-case hexadecimal digits, as the ping-pong tools exchange GIDs} */
  public String toHex32() {
    HexFormat hex = HexFormat.of();
    return hex.toHexDigits(high) + hex.toHexDigits(low);
  }

  /** {@return the text of the IPv6 address as ibv_devinfo prints it, that is inet_ntop} */
  @Override
  public String toString() {
    if (isIpv4Mapped()) {
      return "::ffff:" + dotted();
    }
    // IPv4-compatible, as inet_ntop writes it: six zero words, the seventh is not
    if (high == 0 && low >>> 32 == 0 && low >>> 16 != 0) {
      return "::" + dotted();
    }
    int start = 0;
    int length = 0;
    for (int i = 0, run = 0; i < WORDS; i++) {
      run = word(i) == 0 ? run + 1 : 0;
      if (run > length) { // the first of the longest runs
        length = run;
        start = i - run + 1;
      }
    }
    if (length < 2) {
      return words(0, WORDS);
    }
    return words(0, start) + "::" + words(start + length, WORDS);
  }

  private int word(int i) {
    return (int) ((i < 4 ? high : low) >>> (48 - 16 * (i & 3))) & 0xffff;
  }

  private String words(int from, int to) {
    StringBuilder text = new StringBuilder();
    for (int i = from; i < to; i++) {
      if (i > from) {
        text.append(':');
      }
      text.append(Integer.toHexString(word(i)));
    }
    return text.toString();
  }

  private String dotted() {
    return (low >>> 24 & 0xff)
        + "."
        + (low >>> 16 & 0xff)
        + "."
        + (low >>> 8 & 0xff)
        + "."
        + (low & 0xff);
  }
}
