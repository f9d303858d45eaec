package ib.driver.rxe.udp;

import ib.core.wire.Grh;
import ib.core.wire.Icrc;
import ib.core.wire.Ipv4Header;
import ib.core.wire.UdpHeader;
import ib.engine.wire.Packet;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The IP and UDP header that the system takes off a datagram, for receive buffers, which begin with
 * them. For one thread.
 */
final class IpHeaders {
  private final MemorySegment bytes = MemorySegment.ofArray(new byte[Icrc.Network.IPV6.bytes()]);
  private final Ipv4Header ipv4 = new Ipv4Header();
  private final Grh ipv6 = new Grh(); // the same layout
  private final UdpHeader udp = new UdpHeader();

  /**
   * Writes them for a datagram without its lengths.
   *
   * @param network which
   * @param sourceHigh upper half of the source GID
   * @param sourceLow lower half of the source GID
   * @param destHigh upper half of the destination GID
   * @param destLow lower half of the destination GID
   * @param sourcePort UDP source port
   * @param destPort UDP destination port
   */
  void write(
      Icrc.Network network,
      long sourceHigh,
      long sourceLow,
      long destHigh,
      long destLow,
      int sourcePort,
      int destPort) {
    if (network == Icrc.Network.IPV4) {
      ipv4.wrap(bytes, 0);
      ipv4.clear();
      ipv4.versionAndLength(Ipv4Header.PLAIN);
      ipv4.fragment(Ipv4Header.DONT_FRAGMENT);
      ipv4.protocol(UdpHeader.PROTOCOL);
      ipv4.source((int) sourceLow);
      ipv4.destination((int) destLow);
    } else {
      ipv6.wrap(bytes, 0);
      ipv6.clear();
      ipv6.ipVer(6);
      ipv6.nxtHdr(UdpHeader.PROTOCOL);
      ipv6.sgidHigh(sourceHigh);
      ipv6.sgidLow(sourceLow);
      ipv6.dgidHigh(destHigh);
      ipv6.dgidLow(destLow);
    }
    udp.wrap(bytes, network.bytes() - UdpHeader.BYTES);
    udp.clear();
    udp.sourcePort(sourcePort);
    udp.destinationPort(destPort);
  }

  /** Sets the length of the datagram. */
  void length(Icrc.Network network, int datagram) {
    if (network == Icrc.Network.IPV4) {
      ipv4.wrap(bytes, 0);
      ipv4.totalLength(network.bytes() + datagram);
    } else {
      ipv6.wrap(bytes, 0);
      ipv6.payLen(UdpHeader.BYTES + datagram);
    }
    udp.wrap(bytes, network.bytes() - UdpHeader.BYTES);
    udp.length(UdpHeader.BYTES + datagram);
  }

  /**
   * Completes what a datagram's receive buffer begins with (IBA annex A17.4.5.1): the IPv6 header,
   * or 20 bytes of zero and the IPv4 header.
   *
   * @param p the packet, with what was received beside it
   * @param network which
   * @param to where to
   */
  void store(Packet p, Icrc.Network network, MemorySegment to) {
    if (network == Icrc.Network.IPV4) {
      ipv4.wrap(bytes, 0);
      ipv4.identification(p.identification);
      ipv4.typeOfService(p.trafficClass);
      ipv4.timeToLive(p.hopLimit);
      ipv4.checksum(ipv4.expectedChecksum());
      to.set(ValueLayout.JAVA_LONG_UNALIGNED, 0, 0);
      to.set(ValueLayout.JAVA_LONG_UNALIGNED, 8, 0);
      to.set(ValueLayout.JAVA_INT_UNALIGNED, 16, 0);
      MemorySegment.copy(bytes, 0, to, Grh.BYTES - Ipv4Header.BYTES, Ipv4Header.BYTES);
    } else {
      ipv6.wrap(bytes, 0);
      ipv6.trafficClass(p.trafficClass);
      ipv6.flowLabel(p.flowLabel);
      ipv6.hopLmt(p.hopLimit);
      MemorySegment.copy(bytes, 0, to, 0, Grh.BYTES);
    }
  }
}
