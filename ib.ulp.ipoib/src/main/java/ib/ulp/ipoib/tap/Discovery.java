package ib.ulp.ipoib.tap;

import ib.ulp.ipoib.wire.AddressOption;
import ib.ulp.ipoib.wire.Checksum;
import ib.ulp.ipoib.wire.IpPacket;
import ib.ulp.ipoib.wire.LinkAddress;
import ib.ulp.ipoib.wire.Octets;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Rewrites the link-layer address options of neighbour discovery: 8 bytes on Ethernet, 24 here (RFC
 * 4861 section 4.6.1, RFC 4391 section 9.3).
 */
final class Discovery {
  private static final int ROUTER_SOLICITATION = 133;
  private static final int REDIRECT = 137;

  /** ICMPv6 type of a neighbour solicitation. */
  static final int SOLICITATION = 135;

  /** ICMPv6 type of a neighbour advertisement. */
  static final int ADVERTISEMENT = 136;

  /** Bytes of a solicitation or advertisement before its options. */
  static final int NEIGHBOUR = 24;

  private static final int ETHERNET_OPTION = 8;

  private Discovery() {}

  /** {@return the offset of the options in a message; -1 for another type of message} */
  private static int options(int type) {
    return switch (type) {
      case ROUTER_SOLICITATION -> 8;
      case 134 -> 16;
      case SOLICITATION, ADVERTISEMENT -> NEIGHBOUR;
      case REDIRECT -> 40;
      default -> -1;
    };
  }

  /**
   * Whose addresses a link and Ethernet translate into one another.
   *
   * @param table Ethernet addresses of link addresses
   * @param own link address of this side
   * @param ownMac Ethernet address of this side
   */
  record Side(MacTable table, LinkAddress own, long ownMac) {
    private long mac(LinkAddress there) {
      return there.plain().equals(own.plain()) ? ownMac : table.learn(there);
    }

    private @Nullable LinkAddress end(long mac) {
      return mac == ownMac ? own : table.end(mac);
    }
  }

  /** {@return whether a packet has options that must be rewritten} */
  static boolean is(MemorySegment s, IpPacket packet) {
    return packet.protocol() == IpPacket.ICMPV6
        && packet.payloadLength() >= 8
        && packet.hopLimit() == 255
        && options(Octets.u8(s, packet.payloadAt())) >= 0
        && options(Octets.u8(s, packet.payloadAt())) <= packet.payloadLength();
  }

  /**
   * Writes a packet with rewritten options.
   *
   * @param packet a message for which {@link #is} is true, with a correct checksum
   * @param from offset of the packet
   * @param outward true: from Ethernet to this link; false: from this link to Ethernet
   * @param side the addresses to write
   * @return length of the written packet; -1 when the options are malformed
   */
  static int rewrite(
      MemorySegment s, IpPacket packet, long from, MemorySegment to, boolean outward, Side side) {
    int head = (int) (packet.payloadAt() - from) + options(Octets.u8(s, packet.payloadAt()));
    MemorySegment.copy(s, from, to, 0, head);
    long option = from + head;
    long end = packet.payloadAt() + packet.payloadLength();
    long at = head;
    while (option + 8 <= end) {
      int bytes = 8 * Octets.u8(s, option + 1);
      int type = Octets.u8(s, option);
      if (bytes == 0 || option + bytes > end) {
        return -1; // RFC 4861 section 4.6
      }
      boolean address = type == AddressOption.SOURCE || type == AddressOption.TARGET;
      if (!address) {
        MemorySegment.copy(s, option, to, at, bytes);
        at += bytes;
      } else if (outward) {
        at += outward(s, option, bytes, to, at, side);
      } else if (bytes == AddressOption.BYTES) {
        LinkAddress there = LinkAddress.read(s, option + 4);
        Octets.u16(to, at, type << 8 | 1);
        Octets.u48(to, at + 2, side.mac(there));
        at += ETHERNET_OPTION;
      }
      option += bytes;
    }
    int header = (int) (packet.payloadAt() - from);
    int length = (int) at - header;
    Octets.u16(to, 4, length + header - IpPacket.V6_HEADER);
    Octets.u16(to, header + 2, 0);
    long pseudo = Checksum.pseudo(packet.from(), packet.to(), IpPacket.ICMPV6, length);
    Octets.u16(to, header + 2, Checksum.fold(Checksum.sum(to, header, length, pseudo)));
    return (int) at;
  }

  /** Writes an option with a link address; leaves it out if the Ethernet address is unknown. */
  private static int outward(
      MemorySegment s, long option, int bytes, MemorySegment to, long at, Side side) {
    long mac = bytes == ETHERNET_OPTION ? Octets.u48(s, option + 2) : 0;
    LinkAddress end = side.end(mac);
    if (end == null) {
      return 0;
    }
    AddressOption.write(to, at, Octets.u8(s, option), end);
    return AddressOption.BYTES;
  }
}
