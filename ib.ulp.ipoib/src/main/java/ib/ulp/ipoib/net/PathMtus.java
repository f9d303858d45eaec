package ib.ulp.ipoib.net;

import ib.ulp.ipoib.link.Outgoing;
import ib.ulp.ipoib.wire.Ip;
import ib.ulp.ipoib.wire.IpPacket;
import ib.ulp.ipoib.wire.Octets;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;

/**
 * The path MTU of destinations, until the link changes (RFC 1191, RFC 8201; I10). Used on the
 * loop's thread only.
 */
final class PathMtus {
  private static final int MAX_MTU = 0xffff;
  private static final int NO_ECHO = -1;

  /**
   * A packet that was too long.
   *
   * @param echo identifier and sequence number of an echo request; -1 for any other packet
   */
  record Dropped(Ip to, int echo) {}

  private final Map<Ip, Integer> known = new HashMap<>();

  int of(Ip to) {
    return known.getOrDefault(to, MAX_MTU);
  }

  void clear() {
    known.clear();
  }

  /**
   * Learns the path MTU from a dropped packet. {@return destination and echo number of the packet}
   */
  Dropped learn(Outgoing out, int mtu) {
    MemorySegment bytes = MemorySegment.ofArray(new byte[out.length()]);
    out.copyPacket(bytes, 0);
    IpPacket packet = new IpPacket();
    if (!packet.read(bytes, 0, out.length())) {
      return new Dropped(Ip.v4(0), NO_ECHO); // a fragment
    }
    known.put(packet.to(), mtu);
    boolean icmp = packet.protocol() == IpPacket.ICMP || packet.protocol() == IpPacket.ICMPV6;
    return new Dropped(packet.to(), icmp ? Octets.u32(bytes, packet.payloadAt() + 4) : NO_ECHO);
  }
}
