package ib.ulp.ipoib.tap;

import ib.ulp.ipoib.wire.Ip;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The layout of a frame of a TAP device: a virtio_net_hdr, Ethernet addresses, an EtherType, the
 * packet.
 */
final class Ethernet {
  /** Length of the virtio_net_hdr. */
  static final int VNET = 10;

  /** Offset of the destination address, where the frame begins. */
  static final int TO = VNET;

  static final int FROM = VNET + 6;
  static final int TYPE = VNET + 12;

  /** Length of the Ethernet header. */
  static final int HEADER = 14;

  /** Offset of the packet. */
  static final int PACKET = VNET + HEADER;

  static final int LONGEST = PACKET + 65_536;
  static final long BROADCAST = 0xffff_ffff_ffffL;
  static final int ARP_BYTES = 28;

  /** Source address of packets whose sender is unknown; IP does not use it. */
  static final long SOMEBODY = 0x0200_0000_0001L;

  private Ethernet() {}

  /** {@return a field of the virtio_net_hdr, in the machine's byte order} */
  static int u16(MemorySegment s, long at) {
    return s.get(ValueLayout.JAVA_SHORT_UNALIGNED, at) & 0xffff;
  }

  static void u16(MemorySegment s, long at, int value) {
    s.set(ValueLayout.JAVA_SHORT_UNALIGNED, at, (short) value);
  }

  /**
   * Turns a packet of a TUN device into a frame. The packet's virtio_net_hdr is directly before the
   * packet, and its offsets count from there.
   */
  static void frame(MemorySegment s) {
    MemorySegment.copy(s, HEADER, s, 0, VNET);
    shift(s, 0, HEADER);
  }

  /**
   * Turns a frame into a packet for a TUN device. {@return how many bytes to leave out before it}
   */
  static int unframe(MemorySegment s) {
    MemorySegment.copy(s, 0, s, HEADER, VNET);
    shift(s, HEADER, -HEADER);
    return HEADER;
  }

  /** Moves the two offsets of the virtio_net_hdr: end of the headers and start of the checksum. */
  private static void shift(MemorySegment s, long at, int by) {
    for (long field = at + 2; field <= at + 6; field += 4) {
      int value = u16(s, field);
      u16(s, field, value == 0 ? 0 : value + by);
    }
  }

  static boolean isGroup(long mac) {
    return (mac >>> 40 & 1) != 0;
  }

  /** {@return the Ethernet address of an IP group (RFC 1112 section 6.4, RFC 2464 section 7)} */
  static long of(Ip group) {
    return group.isV4()
        ? 0x0100_5e00_0000L | group.v4() & 0x7f_ffff
        : 0x3333_0000_0000L | group.low() & 0xffff_ffffL;
  }
}
