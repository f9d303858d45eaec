package ib.ulp.ipoib.tap;

import ib.ulp.ipoib.link.Link;
import ib.ulp.ipoib.link.Outgoing;
import ib.ulp.ipoib.link.Statistics.Count;
import ib.ulp.ipoib.wire.Checksum;
import ib.ulp.ipoib.wire.IpPacket;
import ib.ulp.ipoib.wire.LinkAddress;
import ib.ulp.ipoib.wire.Octets;
import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;

/**
 * Does the work that the kernel leaves to the device: checksums, and cutting of long TCP packets
 * and of batched UDP datagrams (D9). Used on the loop's thread only.
 */
final class Segmenter {
  static final int GSO_NONE = 0;
  static final int GSO_TCPV4 = 1;
  static final int GSO_TCPV6 = 4;
  static final int GSO_UDP = 5; // VIRTIO_NET_HDR_GSO_UDP_L4, for IPv4 and IPv6
  private static final int GSO_ECN = 0x80;
  private static final int NEEDS_CSUM = 1;
  private static final int TCP_HEADER = 20;
  private static final int TCP_SUM = 16;
  private static final int UDP_HEADER = 8;
  private static final int UDP_SUM = 6;
  private static final int FIN_PSH = 0x09;
  private static final int CWR = 0x80;

  private final Link link;
  private final MemorySegment headers;
  private final Outgoing packet = new Outgoing();

  Segmenter(Link link, MemorySegment headers) {
    this.link = link;
    this.headers = headers;
  }

  /** Completes the checksum of a frame that is not to be cut, if the kernel has left it open. */
  void complete(MemorySegment s, IpPacket ip) {
    if ((Octets.u8(s, 0) & NEEDS_CSUM) == 0 || Octets.u8(s, 1) != GSO_NONE) {
      return;
    }
    long start = Ethernet.VNET + (long) Ethernet.u16(s, 6);
    long field = start + Ethernet.u16(s, 8);
    long end = ip.payloadAt() + ip.payloadLength();
    if (start >= Ethernet.PACKET && field + 2 <= end) {
      int sum =
          Checksum.fold(
              Checksum.sum(s, start, end - start, 0)); // the field contains the pseudo header's sum
      Octets.u16(s, field, sum == 0 ? 0xffff : sum);
    }
  }

  /** {@return whether the kernel has left the TCP checksum open of a packet not to be cut} */
  boolean isOpen(MemorySegment s, IpPacket ip) {
    return (Octets.u8(s, 0) & NEEDS_CSUM) != 0
        && Octets.u8(s, 1) == GSO_NONE
        && ip.protocol() == IpPacket.TCP
        && ip.payloadLength() >= TCP_HEADER
        && Ethernet.VNET + Ethernet.u16(s, 6) == ip.payloadAt()
        && Ethernet.u16(s, 8) == TCP_SUM;
  }

  /**
   * Sends a TCP packet that the device cuts, or whose receiver accepts it whole. The kernel has
   * left its checksum open.
   *
   * @return false when the caller must use {@link #cut}, or the packet is malformed
   */
  boolean offload(MemorySegment s, IpPacket ip, int type, LinkAddress to) {
    boolean open = isOpen(s, ip);
    int transport = open ? tcp(s, ip) : transport(s, ip);
    int headers = (int) (ip.payloadAt() - Ethernet.PACKET) + transport;
    int data = ip.payloadLength() - transport;
    int mss = open ? data : Ethernet.u16(s, 4);
    boolean tcp = transport != 0 && ip.protocol() == IpPacket.TCP && mss != 0 && data >= mss;
    boolean extended = !ip.to().isV4() && headers - transport != IpPacket.V6_HEADER;
    if (!tcp || extended) {
      return false;
    }
    packet.setLong(type, s, Ethernet.PACKET, headers, data, mss);
    boolean sent = link.longs().send(to, packet);
    if (sent && data > mss) {
      link.statistics().add(Count.GSO_FRAMES, 1);
      link.statistics().add(Count.GSO_SEGMENTS, (data + mss - 1) / mss);
    }
    return sent;
  }

  /**
   * Cuts a long TCP packet, or batched UDP datagrams, into segments of the size that the kernel has
   * set.
   *
   * @param to takes each segment before the next one overwrites it
   * @return false when the packet is malformed; no segment was sent then
   */
  boolean cut(MemorySegment s, IpPacket ip, int type, Consumer<Outgoing> to) {
    int mss = Ethernet.u16(s, 4);
    int ipHeader = (int) (ip.payloadAt() - Ethernet.PACKET);
    int transport = transport(s, ip);
    if (transport == 0 || mss == 0 || ipHeader + transport + mss > link.state().mtu()) {
      return false;
    }
    int header = ipHeader + transport;
    int data = ip.payloadLength() - transport;
    long from = ip.payloadAt() + transport;
    int id = Octets.u16(s, Ethernet.PACKET + 4);
    int field = ipHeader + (ip.protocol() == IpPacket.TCP ? TCP_SUM : UDP_SUM);
    MemorySegment.copy(s, Ethernet.PACKET, headers, 0, header);
    link.statistics().add(Count.GSO_FRAMES, 1);
    for (int at = 0, i = 0; at < data; at += mss, i++) {
      int length = Math.min(mss, data - at);
      if (ip.protocol() == IpPacket.TCP) {
        segment(s, ip.payloadAt(), ipHeader, at, at + length == data);
      } else {
        Octets.u16(headers, ipHeader + 4L, UDP_HEADER + length);
      }
      address(ip, ipHeader, transport + length, id + i);
      Octets.u16(headers, field, 0);
      long sum = Checksum.pseudo(ip.from(), ip.to(), ip.protocol(), (long) transport + length);
      sum = Checksum.sum(headers, ipHeader, transport, sum);
      int folded = Checksum.fold(Checksum.sum(s, from + at, length, sum));
      Octets.u16(headers, field, folded == 0 && field == ipHeader + UDP_SUM ? 0xffff : folded);
      to.accept(packet.set(type, headers, 0, header).body(s, from + at, length));
      link.statistics().add(Count.GSO_SEGMENTS, 1);
    }
    return true;
  }

  /**
   * {@return bytes of the TCP or UDP header; 0 when the packet is not of the protocol that its
   * virtio_net_hdr says}
   */
  private static int transport(MemorySegment s, IpPacket ip) {
    int kind = Octets.u8(s, 1) & ~GSO_ECN;
    int least = kind == GSO_UDP ? UDP_HEADER : TCP_HEADER;
    int protocol = kind == GSO_UDP ? IpPacket.UDP : IpPacket.TCP;
    boolean known = kind == GSO_TCPV4 || kind == GSO_TCPV6 || kind == GSO_UDP;
    if (!known || ip.protocol() != protocol || ip.payloadLength() < least) {
      return 0;
    }
    return kind == GSO_UDP ? UDP_HEADER : tcp(s, ip);
  }

  /** {@return bytes of the TCP header; 0 when the packet is not so long} */
  private static int tcp(MemorySegment s, IpPacket ip) {
    int length = (Octets.u8(s, ip.payloadAt() + 12) >> 4) * 4;
    return length >= TCP_HEADER && length <= ip.payloadLength() ? length : 0;
  }

  /** Writes the sequence number and flags of one TCP segment. */
  private void segment(MemorySegment s, long tcp, int ipHeader, int at, boolean last) {
    int flags = Octets.u8(s, tcp + 13);
    int bits = last ? flags : flags & ~FIN_PSH;
    Octets.u8(headers, ipHeader + 13L, at == 0 ? bits : bits & ~CWR);
    Octets.u32(headers, ipHeader + 4L, Octets.u32(s, tcp + 4) + at);
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
