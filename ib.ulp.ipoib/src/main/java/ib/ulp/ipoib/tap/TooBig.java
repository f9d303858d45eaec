package ib.ulp.ipoib.tap;

import ib.ulp.ipoib.wire.Checksum;
import ib.ulp.ipoib.wire.Ip;
import ib.ulp.ipoib.wire.IpPacket;
import ib.ulp.ipoib.wire.Octets;
import java.lang.foreign.MemorySegment;

/**
 * Writes the ICMP error for a packet that is too long: RFC 1191 section 4, RFC 4443 section 3.2
 * (I10).
 */
final class TooBig {
  private static final int HEADER = 8;
  private static final int QUOTED_V6 = 1280 - 40 - 8;
  private static final int UNREACHABLE_FRAGMENTATION = 0x0304;
  private static final int PACKET_TOO_BIG = 0x0200;

  private TooBig() {}

  /**
   * Writes the error.
   *
   * @param packet the packet that is too long
   * @param from offset of that packet in {@code s}
   * @param mtu the longest packet in bytes that would pass
   * @return length of the error packet
   */
  static int write(
      MemorySegment s, IpPacket packet, long from, MemorySegment to, long at, int mtu) {
    boolean four = packet.to().isV4();
    int header = (int) (packet.payloadAt() - from);
    int whole = header + packet.payloadLength();
    int quoted = Math.min(whole, four ? header + 8 : QUOTED_V6);
    Ip source = packet.to().isMulticast() ? packet.from() : packet.to();
    int protocol = four ? IpPacket.ICMP : IpPacket.ICMPV6;
    int ip = IpPacket.write(to, at, source, packet.from(), protocol, HEADER + quoted, 64);
    long icmp = at + ip;
    Octets.u16(to, icmp, four ? UNREACHABLE_FRAGMENTATION : PACKET_TOO_BIG);
    Octets.u16(to, icmp + 2, 0);
    Octets.u32(to, icmp + 4, mtu);
    MemorySegment.copy(s, from, to, icmp + HEADER, quoted);
    long pseudo =
        four ? 0 : Checksum.pseudo(source, packet.from(), protocol, (long) HEADER + quoted);
    Octets.u16(to, icmp + 2, Checksum.fold(Checksum.sum(to, icmp, HEADER + quoted, pseudo)));
    return ip + HEADER + quoted;
  }
}
