package ib.ulp.ipoib.wire;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** A view of an IPv4 or IPv6 packet, reused for each packet; and a writer of IP headers. */
public final class IpPacket {
  public static final int ICMP = 1;
  public static final int IGMP = 2;
  public static final int TCP = 6;
  public static final int UDP = 17;
  public static final int ICMPV6 = 58;
  public static final int V4_HEADER = 20;
  public static final int V6_HEADER = 40;

  /** The smallest MTU in bytes with which a link can carry IPv6 (RFC 8200 section 5). */
  public static final int MIN_V6_MTU = 1280;

  private static final int HOP_BY_HOP = 0;

  private Ip from = Ip.v4(0);
  private Ip to = Ip.v4(0);
  private int protocol;
  private int hopLimit;
  private long payloadAt;
  private int payloadLength;

  /**
   * Reads a packet's headers. Never throws, whatever the bytes are.
   *
   * @return false when the packet is malformed, or an IPv4 fragment
   */
  public boolean read(MemorySegment s, long at, int length) {
    if (length < V4_HEADER) {
      return false;
    }
    return switch (Octets.u8(s, at) >> 4) {
      case 4 -> readV4(s, at, length);
      case 6 -> length >= V6_HEADER && readV6(s, at, length);
      default -> false;
    };
  }

  /** {@return the destination of a packet, also of a fragment; null when it is too short} */
  public static @Nullable Ip destination(MemorySegment s, long at, int length) {
    int version = length < V4_HEADER ? 0 : Octets.u8(s, at) >> 4;
    if (version == 4) {
      return Ip.v4(Octets.u32(s, at + 16));
    }
    return version == 6 && length >= V6_HEADER ? Octets.ip(s, at + 24) : null;
  }

  private boolean readV4(MemorySegment s, long at, int length) {
    int header = (Octets.u8(s, at) & 0xf) * 4;
    int total = Octets.u16(s, at + 2);
    boolean good =
        header >= V4_HEADER
            && total >= header
            && total <= length
            && (Octets.u16(s, at + 6) & 0x3fff) == 0
            && Checksum.fold(Checksum.sum(s, at, header, 0)) == 0;
    if (good) {
      hopLimit = Octets.u8(s, at + 8);
      protocol = Octets.u8(s, at + 9);
      from = Ip.v4(Octets.u32(s, at + 12));
      to = Ip.v4(Octets.u32(s, at + 16));
      payloadAt = at + header;
      payloadLength = total - header;
    }
    return good;
  }

  private boolean readV6(MemorySegment s, long at, int length) {
    payloadLength = Octets.u16(s, at + 4);
    protocol = Octets.u8(s, at + 6);
    hopLimit = Octets.u8(s, at + 7);
    from = Octets.ip(s, at + 8);
    to = Octets.ip(s, at + 24);
    payloadAt = at + V6_HEADER;
    if (payloadLength > length - V6_HEADER) {
      return false;
    }
    if (protocol == HOP_BY_HOP
        && payloadLength >= 8) { // MLD has such a header (RFC 3810 section 5)
      int option = 8 * (Octets.u8(s, payloadAt + 1) + 1);
      if (option > payloadLength) {
        return false;
      }
      protocol = Octets.u8(s, payloadAt);
      payloadAt += option;
      payloadLength -= option;
    }
    return true;
  }

  /**
   * Writes an IP header.
   *
   * @param payload bytes after the header
   * @return length of the header
   */
  public static int write(
      MemorySegment s, long at, Ip from, Ip to, int protocol, int payload, int hopLimit) {
    if (from.isV4()) {
      Octets.u16(s, at, 0x4500);
      Octets.u16(s, at + 2, V4_HEADER + payload);
      Octets.u32(s, at + 4, 0x4000); // no identification, Don't Fragment set (RFC 6864)
      Octets.u8(s, at + 8, hopLimit);
      Octets.u8(s, at + 9, protocol);
      Octets.u16(s, at + 10, 0);
      Octets.u32(s, at + 12, from.v4());
      Octets.u32(s, at + 16, to.v4());
      Octets.u16(s, at + 10, Checksum.fold(Checksum.sum(s, at, V4_HEADER, 0)));
      return V4_HEADER;
    }
    Octets.u32(s, at, 6 << 28);
    Octets.u16(s, at + 4, payload);
    Octets.u8(s, at + 6, protocol);
    Octets.u8(s, at + 7, hopLimit);
    Octets.ip(s, at + 8, from);
    Octets.ip(s, at + 24, to);
    return V6_HEADER;
  }

  /** {@return the EtherType of packets to an address} */
  public static int type(Ip ip) {
    return ip.isV4() ? Encapsulation.IPV4 : Encapsulation.IPV6;
  }

  /**
   * {@return whether the checksum over pseudo header and payload is correct; for ICMPv6, UDP and
   * TCP}
   */
  public boolean checksumHolds(MemorySegment s) {
    long pseudo = Checksum.pseudo(from, to, protocol, payloadLength);
    return Checksum.fold(Checksum.sum(s, payloadAt, payloadLength, pseudo)) == 0;
  }

  public Ip from() {
    return from;
  }

  public Ip to() {
    return to;
  }

  public int protocol() {
    return protocol;
  }

  public int hopLimit() {
    return hopLimit;
  }

  public long payloadAt() {
    return payloadAt;
  }

  public int payloadLength() {
    return payloadLength;
  }
}
