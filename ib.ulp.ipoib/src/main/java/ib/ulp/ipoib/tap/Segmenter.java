package ib.ulp.ipoib.tap;

import ib.ulp.ipoib.link.Link;
import ib.ulp.ipoib.link.Outgoing;
import ib.ulp.ipoib.link.Statistics.Count;
import ib.ulp.ipoib.wire.Checksum;
import ib.ulp.ipoib.wire.IpPacket;
import ib.ulp.ipoib.wire.Octets;
import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;

/**
 * Does what the kernel has left to the device: checksums, and cutting of long TCP segments (D9).
 */
final class Segmenter {
  static final int GSO_NONE = 0;
  static final int GSO_TCPV4 = 1;
  static final int GSO_TCPV6 = 4;
  private static final int GSO_ECN = 0x80;
  private static final int NEEDS_CSUM = 1;
  private static final int TCP_HEADER = 20;
  private static final int FIN_PSH = 0x09;
  private static final int CWR = 0x80;

  private final Link link;
  private final MemorySegment headers;
  private final Outgoing packet = new Outgoing();

  Segmenter(Link link, MemorySegment headers) {
    this.link = link;
    this.headers = headers;
  }

  /** Completes the checksum of a frame that is not to be cut. */
  void complete(MemorySegment s, IpPacket ip) {
    if ((Octets.u8(s, 0) & NEEDS_CSUM) == 0 || Octets.u8(s, 1) != GSO_NONE) {
      return;
    }
    long start = Ethernet.VNET + (long) Ethernet.u16(s, 6);
    long field = start + Ethernet.u16(s, 8);
    long end = ip.payloadAt() + ip.payloadLength();
    if (start >= Ethernet.PACKET && field + 2 <= end) {
      int sum =
          Checksum.fold(Checksum.sum(s, start, end - start, 0)); // the pseudo header's is there
      Octets.u16(s, field, sum == 0 ? 0xffff : sum);
    }
  }

  /**
   * Sends a long TCP segment in pieces of the size that the kernel wants.
   *
   * @param to takes the pieces; each is overwritten by the next
   * @return false when it is malformed
   */
  boolean cut(MemorySegment s, IpPacket ip, int type, Consumer<Outgoing> to) {
    int kind = Octets.u8(s, 1) & ~GSO_ECN;
    int mss = Ethernet.u16(s, 4);
    long tcp = ip.payloadAt();
    int ipHeader = (int) (tcp - Ethernet.PACKET);
    int tcpHeader = ip.payloadLength() < TCP_HEADER ? 0 : (Octets.u8(s, tcp + 12) >> 4) * 4;
    boolean good =
        (kind == GSO_TCPV4 || kind == GSO_TCPV6)
            && ip.protocol() == IpPacket.TCP
            && mss > 0
            && tcpHeader >= TCP_HEADER
            && tcpHeader <= ip.payloadLength()
            && ipHeader + tcpHeader + mss <= link.state().mtu();
    if (!good) {
      return false;
    }
    int header = ipHeader + tcpHeader;
    int data = ip.payloadLength() - tcpHeader;
    int flags = Octets.u8(s, tcp + 13);
    int sequence = Octets.u32(s, tcp + 4);
    int id = Octets.u16(s, Ethernet.PACKET + 4);
    MemorySegment.copy(s, Ethernet.PACKET, headers, 0, header);
    link.statistics().add(Count.GSO_FRAMES, 1);
    for (int at = 0, i = 0; at < data; at += mss, i++) {
      int length = Math.min(mss, data - at);
      boolean last = at + length == data;
      int bits = last ? flags : flags & ~FIN_PSH;
      Octets.u8(headers, ipHeader + 13L, at == 0 ? bits : bits & ~CWR);
      Octets.u32(headers, ipHeader + 4L, sequence + at);
      address(ip, ipHeader, tcpHeader + length, id + i);
      Octets.u16(headers, ipHeader + 16L, 0);
      long sum = Checksum.pseudo(ip.from(), ip.to(), IpPacket.TCP, (long) tcpHeader + length);
      sum = Checksum.sum(headers, ipHeader, tcpHeader, sum);
      sum = Checksum.sum(s, tcp + tcpHeader + at, length, sum);
      Octets.u16(headers, ipHeader + 16L, Checksum.fold(sum));
      to.accept(packet.set(type, headers, 0, header, s, tcp + tcpHeader + at, length));
      link.statistics().add(Count.GSO_SEGMENTS, 1);
    }
    return true;
  }

  private void address(IpPacket ip, int ipHeader, int payload, int id) {
    if (ip.to().isV4()) {
      Octets.u16(headers, 2, ipHeader + payload);
      Octets.u16(headers, 4, id);
      Octets.u16(headers, 10, 0);
      Octets.u16(headers, 10, Checksum.fold(Checksum.sum(headers, 0, ipHeader, 0)));
    } else {
      Octets.u16(headers, 4, ipHeader - IpPacket.V6_HEADER + payload);
    }
  }
}
