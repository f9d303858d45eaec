package ib.ulp.ipoib.tap;

import ib.ulp.ipoib.link.Drop;
import ib.ulp.ipoib.link.Frame;
import ib.ulp.ipoib.link.Link;
import ib.ulp.ipoib.link.Statistics.Count;
import ib.ulp.ipoib.wire.Checksum;
import ib.ulp.ipoib.wire.Ip;
import ib.ulp.ipoib.wire.IpPacket;
import ib.ulp.ipoib.wire.Octets;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Hands successive segments of one TCP stream to the kernel as one packet, because one write for
 * each segment would cost most of the throughput (D9). The payload is not copied: one gathering
 * write takes it from the receive buffers. Used on the loop's thread only.
 */
final class Coalescer {
  private static final int MAX_SEGMENTS = 48;
  private static final int TCP_HEADER = 20;
  private static final int PSH = 0x08;
  private static final int ACK = 0x10;
  private static final int LONGEST = 65_000;
  private static final int ALONE = LONGEST / 2; // a longer payload is not coalesced
  private static final int MAX_HEAD = Ethernet.PACKET + 128;

  private final Kernel kernel;
  private final Link link;
  private final MemorySegment head;
  private final Pieces pieces;
  private int queue;
  private Ip from = Ip.v4(0);
  private Ip to = Ip.v4(0);
  private int count;
  private int headLength;
  private int skipped; // bytes left out at the start of head, for a device without Ethernet header
  private int ipHeader;
  private int data;
  private int mss;
  private int next;
  private boolean closed;

  Coalescer(Kernel kernel, Link link, Arena arena) {
    this.kernel = kernel;
    this.link = link;
    head = arena.allocate(MAX_HEAD, 8);
    pieces = new Pieces(arena, MAX_SEGMENTS + 1);
  }

  /**
   * Adds a packet to its stream, after flushing another stream.
   *
   * @return false when the packet has no TCP payload or a wrong checksum; the caller hands it to
   *     the kernel as it is
   */
  boolean take(Frame frame, IpPacket ip, long mac, long sender) {
    MemorySegment s = frame.segment();
    long tcp = ip.payloadAt();
    int ipBytes = (int) (tcp - frame.at());
    boolean plain = ipBytes == (ip.to().isV4() ? IpPacket.V4_HEADER : IpPacket.V6_HEADER);
    if (ip.protocol() != IpPacket.TCP || !plain || ip.payloadLength() < TCP_HEADER) {
      return false;
    }
    int tcpBytes = (Octets.u8(s, tcp + 12) >> 4) * 4;
    int bytes = ip.payloadLength() - tcpBytes;
    boolean stream =
        tcpBytes >= TCP_HEADER
            && bytes > 0
            && bytes <= ALONE
            && (Octets.u8(s, tcp + 13) & ~PSH) == ACK
            && ip.checksumHolds(s);
    if (!stream) {
      return false;
    }
    if (!continues(s, ip, frame.at(), tcp, tcpBytes, bytes)) {
      flush();
      begin(frame, ip, mac, sender, ipBytes + tcpBytes);
    }
    count++;
    data += bytes;
    next = Octets.u32(s, tcp + 4) + bytes;
    boolean push = (Octets.u8(s, tcp + 13) & PSH) != 0;
    closed |= push || bytes != mss;
    if (push) {
      long flags = Ethernet.PACKET + ipHeader + 13L;
      Octets.u8(head, flags, Octets.u8(head, flags) | PSH);
    }
    pieces.add(s, tcp + tcpBytes, bytes);
    return true;
  }

  private boolean continues(
      MemorySegment s, IpPacket ip, long at, long tcp, int tcpBytes, int bytes) {
    long mine = Ethernet.PACKET + (long) ipHeader;
    boolean same =
        count > 0
            && !closed
            && count < MAX_SEGMENTS
            && data + bytes <= LONGEST
            && bytes <= mss
            && tcpBytes == headLength - mine
            && Octets.u32(s, tcp + 4) == next
            && Octets.u32(s, tcp) == Octets.u32(head, mine)
            && Octets.u32(s, tcp + 8) == Octets.u32(head, mine + 8)
            && ip.from().equals(from)
            && ip.to().equals(to)
            && Octets.u16(s, at) == Octets.u16(head, Ethernet.PACKET);
    return same
        && MemorySegment.mismatch(
                s, tcp + TCP_HEADER, tcp + tcpBytes, head, mine + TCP_HEADER, mine + tcpBytes)
            < 0;
  }

  private void begin(Frame frame, IpPacket ip, long mac, long sender, int headers) {
    from = ip.from();
    to = ip.to();
    ipHeader = (int) (ip.payloadAt() - frame.at());
    headLength = Ethernet.PACKET + headers;
    Inward.head(head, mac, sender, frame.type());
    MemorySegment.copy(frame.segment(), frame.at(), head, Ethernet.PACKET, headers);
    mss = ip.payloadLength() - (headers - ipHeader);
    queue = kernel.queueOf(frame.segment(), ip);
    skipped = kernel.ethernet() ? 0 : Ethernet.HEADER;
    pieces.start(head, skipped, headLength - skipped);
  }

  /**
   * Writes the gathered packets to the kernel. Afterwards the memory of their frames may be reused.
   */
  void flush() {
    if (count == 0) {
      return;
    }
    if (count > 1) {
      superFrame();
      link.statistics().add(Count.GRO_FRAMES, 1);
      link.statistics().add(Count.GRO_SEGMENTS, count);
    }
    if (skipped > 0) {
      Ethernet.unframe(head);
    }
    if (!pieces.give(kernel, queue)) {
      for (int i = 0; i < count; i++) {
        link.drop(Drop.RX_FULL);
      }
    }
    count = 0;
    data = 0;
    closed = false;
  }

  /**
   * Makes the first header the header of all segments, with a TCP checksum of the pseudo header
   * only.
   */
  private void superFrame() {
    long tcp = Ethernet.PACKET + (long) ipHeader;
    int length = (int) (headLength - tcp) + data;
    boolean four = to.isV4();
    offload(head, four, headLength - Ethernet.VNET, mss, ipHeader);
    if (four) {
      Octets.u16(head, Ethernet.PACKET + 2, ipHeader + length);
      Octets.u16(head, Ethernet.PACKET + 10, 0);
      long sum = Checksum.sum(head, Ethernet.PACKET, ipHeader, 0);
      Octets.u16(head, Ethernet.PACKET + 10, Checksum.fold(sum));
    } else {
      Octets.u16(head, Ethernet.PACKET + 4, length);
    }
    Octets.u16(head, tcp + 16, ~Checksum.fold(Checksum.pseudo(from, to, IpPacket.TCP, length)));
  }

  /**
   * Writes the virtio_net_hdr of coalesced segments, which makes the kernel compute their
   * checksums.
   */
  static void offload(MemorySegment head, boolean four, int headers, int mss, int ipHeader) {
    Octets.u8(head, 0, 1); // NEEDS_CSUM
    Octets.u8(head, 1, four ? Segmenter.GSO_TCPV4 : Segmenter.GSO_TCPV6);
    Ethernet.u16(head, 2, headers);
    Ethernet.u16(head, 4, mss);
    Ethernet.u16(head, 6, Ethernet.HEADER + ipHeader);
    Ethernet.u16(head, 8, 16);
  }
}
