package ib.ulp.ipoib.tap;

import ib.ulp.ipoib.link.Drop;
import ib.ulp.ipoib.link.Frame;
import ib.ulp.ipoib.wire.Checksum;
import ib.ulp.ipoib.wire.Encapsulation;
import ib.ulp.ipoib.wire.IpPacket;
import ib.ulp.ipoib.wire.Octets;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;

/**
 * Writes coalesced TCP segments (D9), or a packet that the sender's kernel has neither summed nor
 * cut, to the kernel as one packet, without a copy. The device has checked the checksums of
 * segments; the kernel computes new ones if it sends the packet on. Used on the loop's thread only.
 */
final class LongFrame {
  private final Kernel kernel;
  private final Consumer<Drop> drops;
  private final MemorySegment head;
  private final Pieces pieces;
  private final IpPacket ip = new IpPacket();

  LongFrame(Kernel kernel, Consumer<Drop> drops, Arena arena) {
    this.kernel = kernel;
    this.drops = drops;
    head = arena.allocate(Ethernet.PACKET, 8);
    pieces = new Pieces(arena, Frame.MAX_PIECES + 1);
  }

  /**
   * Writes a frame whose {@link Frame#mss} is above 0; changes its headers in the receive buffer.
   */
  void give(Frame frame, long mac, long from) {
    MemorySegment s = frame.segment();
    int headers = frame.headers();
    boolean four = frame.type() == Encapsulation.IPV4;
    if (four) {
      Octets.u16(s, frame.at() + 2, frame.length());
      Octets.u16(s, frame.at() + 10, 0);
      long sum = Checksum.sum(s, frame.at(), (Octets.u8(s, frame.at()) & 0xf) * 4L, 0);
      Octets.u16(s, frame.at() + 10, Checksum.fold(sum));
    } else {
      Octets.u16(s, frame.at() + 4, frame.length() - IpPacket.V6_HEADER);
    }
    if (!ip.read(s, frame.at(), frame.length()) || ip.to().isV4() != four) {
      drops.accept(Drop.RX_MALFORMED);
      return;
    }
    long tcp = ip.payloadAt();
    int ipHeader = (int) (tcp - frame.at());
    long sum = Checksum.pseudo(ip.from(), ip.to(), IpPacket.TCP, ip.payloadLength());
    Octets.u16(s, tcp + 16, ~Checksum.fold(sum));
    Inward.head(head, mac, from, frame.type());
    Coalescer.offload(head, four, Ethernet.HEADER + headers, frame.mss(), ipHeader);
    if (frame.length() - headers <= frame.mss()) {
      Octets.u8(head, 1, Segmenter.GSO_NONE); // the kernel need not cut it, only sum it
      Ethernet.u16(head, 4, 0);
    }
    write(frame);
  }

  private void write(Frame frame) {
    int skipped = kernel.ethernet() ? 0 : Ethernet.unframe(head);
    pieces.start(head, skipped, Ethernet.PACKET - skipped);
    for (int i = 0; i < frame.pieces(); i++) {
      pieces.add(frame.segment(), frame.pieceAt(i), frame.pieceLength(i));
    }
    if (!pieces.give(kernel, kernel.queueOf(frame.segment(), ip))) {
      drops.accept(Drop.RX_FULL);
    }
  }
}
