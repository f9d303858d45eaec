package ib.driver.rxe.udp;

import ib.core.wire.Grh;
import ib.core.wire.Icrc;
import ib.core.wire.Ipv4Header;
import ib.core.wire.UdpHeader;
import ib.engine.wire.Packet;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Rebuilds the IP header of a received datagram, which the system has removed, for UD receive
 * buffers. For one thread at a time.
 */
final class IpHeaders {
  private final MemorySegment bytes = MemorySegment.ofArray(new byte[Icrc.Network.IPV6.bytes()]);
  private final Ipv4Header ipv4 = new Ipv4Header();
  private final Grh ipv6 = new Grh(); // the same layout
  private final UdpHeader udp = new UdpHeader();

  /**
   * Writes IP and UDP headers without their length fields.
   *
   * @param p the packet, with both its GIDs and its UDP source port
   * @param network IPv4 or IPv6
   * @param port UDP port that received the datagram
   */
  void write(Packet p, Icrc.Network network, int port) {
    if (network == Icrc.Network.IPV4) {
      ipv4.wrap(bytes, 0);
      ipv4.clear();
      ipv4.versionAndLength(Ipv4Header.PLAIN);
      ipv4.fragment(Ipv4Header.DONT_FRAGMENT);
      ipv4.protocol(UdpHeader.PROTOCOL);
      ipv4.source((int) p.sgidLow);
      ipv4.destination((int) p.dgidLow);
    } else {
      ipv6.wrap(bytes, 0);
      ipv6.clear();
      ipv6.ipVer(6);
      ipv6.nxtHdr(UdpHeader.PROTOCOL);
      ipv6.sgidHigh(p.sgidHigh);
      ipv6.sgidLow(p.sgidLow);
      ipv6.dgidHigh(p.dgidHigh);
      ipv6.dgidLow(p.dgidLow);
    }
    udp.wrap(bytes, network.bytes() - UdpHeader.BYTES);
    udp.clear();
    udp.sourcePort(p.sourcePort);
    udp.destinationPort(port);
  }

  /** Sets the length fields for a datagram. */
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
   * Completes the 40 bytes at the start of a UD receive buffer (IBA annex A17.4.5.1): the IPv6
   * header, or 20 zero bytes and the IPv4 header.
   *
   * @param p the packet, with its received traffic class, flow label and hop limit
   * @param network IPv4 or IPv6
   * @param to destination of the 40 bytes
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
