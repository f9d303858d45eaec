package ib.ulp.ipoib.tap;

import ib.ulp.ipoib.wire.Checksum;
import ib.ulp.ipoib.wire.Ip;
import ib.ulp.ipoib.wire.IpPacket;
import ib.ulp.ipoib.wire.Octets;
import java.lang.foreign.MemorySegment;
import java.util.function.BiConsumer;

/**
 * Finds out which groups the kernel has joined, from its reports in IGMP versions 1 to 3 and MLD
 * versions 1 and 2, which queries request (RFC 2236, 3376, 2710, 3810). Works in any network
 * namespace.
 */
final class Reports {
  private static final int IGMP_QUERY = 0x11;
  private static final int IGMP_V1_REPORT = 0x12;
  private static final int IGMP_V2_REPORT = 0x16;
  private static final int IGMP_V2_LEAVE = 0x17;
  private static final int IGMP_V3_REPORT = 0x22;
  private static final int MLD_QUERY = 130;
  private static final int MLD_REPORT = 131;
  private static final int MLD_DONE = 132;
  private static final int MLD_V2_REPORT = 143;
  private static final Ip QUERIER = Ip.linkLocal(1);

  private Reports() {}

  /**
   * Reads a report. Never throws, whatever the bytes are.
   *
   * @param packet a packet of the kernel
   * @param heard called with each group, and whether the kernel is a member
   */
  static void read(MemorySegment s, IpPacket packet, BiConsumer<Ip, Boolean> heard) {
    long at = packet.payloadAt();
    int length = packet.payloadLength();
    if (packet.protocol() == IpPacket.IGMP && length >= 8) {
      switch (Octets.u8(s, at)) {
        case IGMP_V1_REPORT, IGMP_V2_REPORT -> heard.accept(Ip.v4(Octets.u32(s, at + 4)), true);
        case IGMP_V2_LEAVE -> heard.accept(Ip.v4(Octets.u32(s, at + 4)), false);
        case IGMP_V3_REPORT -> records(s, at, length, 4, heard);
        default -> {}
      }
    } else if (packet.protocol() == IpPacket.ICMPV6 && length >= 8) {
      int type = Octets.u8(s, at);
      if (type == MLD_V2_REPORT) {
        records(s, at, length, 16, heard);
      } else if ((type == MLD_REPORT || type == MLD_DONE) && length >= 24) {
        heard.accept(Octets.ip(s, at + 8), type == MLD_REPORT);
      }
    }
  }

  /** Reads group records, which IGMPv3 and MLDv2 share (RFC 3376 4.2, RFC 3810 5.2). */
  private static void records(
      MemorySegment s, long at, int length, int width, BiConsumer<Ip, Boolean> heard) {
    int count = Octets.u16(s, at + 6);
    long record = at + 8;
    long end = at + length;
    for (int i = 0; i < count && record + 4 + width <= end; i++) {
      int type = Octets.u8(s, record);
      int sources = Octets.u16(s, record + 2);
      Ip group = width == 4 ? Ip.v4(Octets.u32(s, record + 4)) : Octets.ip(s, record + 4);
      // 1 and 3 include only the listed sources: without any, the group is left; 6 only blocks
      // sources
      boolean exclude = type == 2 || type == 4;
      if (exclude || type == 5 || sources > 0 && type != 6) {
        heard.accept(group, true);
      } else if (type != 6) {
        heard.accept(group, false);
      }
      record += 4 + width + (long) sources * width + 4L * Octets.u8(s, record + 1);
    }
  }

  /** Writes a general query of IGMPv3. {@return its length} */
  static int queryV4(MemorySegment s, long at) {
    int header = IpPacket.write(s, at, Ip.v4(0), Ip.ALL_SYSTEMS, IpPacket.IGMP, 12, 1);
    long query = at + header;
    Octets.u32(s, query, IGMP_QUERY << 24 | 1 << 16); // answered within 100 ms
    Octets.u32(s, query + 4, 0);
    Octets.u32(s, query + 8, 0x0200_0000); // robustness 2
    Octets.u16(s, query + 2, Checksum.fold(Checksum.sum(s, query, 12, 0)));
    return header + 12;
  }

  /** Writes a general query of MLDv2. {@return its length} */
  static int queryV6(MemorySegment s, long at) {
    int length = 28;
    int header = IpPacket.write(s, at, QUERIER, Ip.ALL_NODES, 0, length + 8, 1);
    Octets.u64(s, at + header, (long) IpPacket.ICMPV6 << 56 | 0x0005_0200_0001_00L); // router alert
    long query = at + header + 8;
    for (int i = 0; i < length; i += 4) {
      Octets.u32(s, query + i, 0);
    }
    Octets.u8(s, query, MLD_QUERY);
    Octets.u16(s, query + 4, 100); // answered within 100 ms
    Octets.u8(s, query + 24, 2); // robustness 2
    long pseudo = Checksum.pseudo(QUERIER, Ip.ALL_NODES, IpPacket.ICMPV6, length);
    Octets.u16(s, query + 2, Checksum.fold(Checksum.sum(s, query, length, pseudo)));
    return header + 8 + length;
  }
}
