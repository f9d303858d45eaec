package ib.ulp.ipoib.tap;

import ib.ulp.ipoib.wire.Checksum;
import ib.ulp.ipoib.wire.IpPacket;
import ib.ulp.ipoib.wire.LinkAddress;
import ib.ulp.ipoib.wire.Octets;
import java.lang.foreign.MemorySegment;

/**
 * Rewrites DHCP between Ethernet's form and that of this link: hardware type 32, no hardware
 * address, a client identifier, an answer by broadcast (RFC 4390 section 2, W12).
 */
final class Dhcp {
  private static final int SERVER = 67;
  private static final int CLIENT = 68;
  private static final int UDP = 8;
  private static final int FIXED = 240; // bytes before the options, with the cookie
  private static final int COOKIE = 0x63825363;
  private static final int REQUEST = 1;
  private static final int INFINIBAND = 32;
  private static final int BROADCAST = 0x8000;
  private static final int IDENTIFIER = 61;
  private static final int END = 255;
  private static final int ADDED = 19;

  private Dhcp() {}

  /** {@return whether a packet is a DHCP message} */
  static boolean is(MemorySegment s, IpPacket packet) {
    long at = packet.payloadAt();
    if (packet.protocol() != IpPacket.UDP
        || !packet.to().isV4()
        || packet.payloadLength() < UDP + FIXED
        || Octets.u16(s, at + 4) != packet.payloadLength()) {
      return false;
    }
    int to = Octets.u16(s, at + 2);
    return (to == SERVER || to == CLIENT) && Octets.u32(s, at + UDP + 236) == COOKIE;
  }

  /**
   * Writes a DHCP packet of the kernel in the form of this link.
   *
   * @param own link address whose GUID identifies the client, if the packet has no client
   *     identifier
   * @return length of the written packet
   */
  static int outward(
      MemorySegment s, IpPacket packet, long from, MemorySegment to, LinkAddress own) {
    int header = (int) (packet.payloadAt() - from);
    int length = header + packet.payloadLength();
    MemorySegment.copy(s, from, to, 0, length);
    long bootp = (long) header + UDP;
    Octets.u16(to, bootp + 1, INFINIBAND << 8); // htype 32, hlen 0
    clear(to, bootp);
    if (Octets.u8(to, bootp) == REQUEST) {
      if (Octets.u32(to, bootp + 12) == 0) { // ciaddr 0: the client is not renewing
        Octets.u16(to, bootp + 10, Octets.u16(to, bootp + 10) | BROADCAST);
      }
      length = identified(to, bootp, length, own);
    }
    return finish(to, packet, header, length);
  }

  /**
   * Writes a DHCP packet of the link in Ethernet's form.
   *
   * @param mac address of the kernel's device in an answer, of the client in a request
   */
  static int inward(MemorySegment s, IpPacket packet, long from, MemorySegment to, long mac) {
    int header = (int) (packet.payloadAt() - from);
    int length = header + packet.payloadLength();
    MemorySegment.copy(s, from, to, 0, length);
    long bootp = (long) header + UDP;
    Octets.u16(to, bootp + 1, 1 << 8 | 6); // htype 1, hlen 6
    clear(to, bootp);
    Octets.u48(to, bootp + 28, mac);
    return finish(to, packet, header, length);
  }

  static boolean isRequest(MemorySegment s, IpPacket packet) {
    return Octets.u8(s, packet.payloadAt() + UDP) == REQUEST;
  }

  /** Clears the 16 bytes of chaddr. */
  private static void clear(MemorySegment to, long bootp) {
    Octets.u64(to, bootp + 28, 0);
    Octets.u64(to, bootp + 36, 0);
  }

  /**
   * Adds a client identifier of RFC 4361, unless there is one: 255, an IAID, and a DUID with the
   * GUID.
   */
  private static int identified(MemorySegment to, long bootp, int length, LinkAddress own) {
    long at = bootp + FIXED;
    while (at < length && Octets.u8(to, at) != END) {
      int option = Octets.u8(to, at);
      if (option == IDENTIFIER) {
        return length;
      }
      at += option == 0 ? 1 : 2 + (at + 1 < length ? Octets.u8(to, at + 1) : 0);
    }
    if (at >= length || at + ADDED + 1 > to.byteSize()) {
      return length; // no end option or no space: the packet is sent unchanged
    }
    Octets.u16(to, at, IDENTIFIER << 8 | (ADDED - 2));
    Octets.u8(to, at + 2, 255);
    Octets.u32(to, at + 3, (int) own.gid().low());
    Octets.u32(to, at + 7, 3 << 16 | INFINIBAND); // DUID-LL (RFC 8415 section 11.4)
    Octets.u64(to, at + 11, own.gid().low());
    Octets.u8(to, at + ADDED, END);
    return (int) Math.max(length, at + ADDED + 1);
  }

  private static int finish(MemorySegment to, IpPacket packet, int header, int length) {
    int udp = length - header;
    Octets.u16(to, 2, length);
    Octets.u16(to, 10, 0);
    Octets.u16(to, 10, Checksum.fold(Checksum.sum(to, 0, header, 0)));
    Octets.u16(to, header + 4, udp);
    Octets.u16(to, header + 6, 0);
    long pseudo = Checksum.pseudo(packet.from(), packet.to(), IpPacket.UDP, udp);
    int sum = Checksum.fold(Checksum.sum(to, header, udp, pseudo));
    Octets.u16(to, header + 6, sum == 0 ? 0xffff : sum);
    return length;
  }
}
