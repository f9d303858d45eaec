package ib.engine.wire;

import ib.core.wire.Bth;
import ib.core.wire.DropReason;
import ib.core.wire.EthernetHeader;
import ib.core.wire.Grh;
import ib.core.wire.Icrc;
import ib.core.wire.Ipv4Header;
import ib.core.wire.UdpHeader;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Packets as RoCEv2 carries them (IBA annex A17): Ethernet, IPv4 or IPv6, UDP, then BTH and what
 * follows, payload, padding, ICRC. For sockets there is {@link DatagramCodec}. Allocates nothing
 * once made; for one thread at a time.
 */
public final class RoceCodec {
  private static final long IPV4_MAPPED = 0xffffL << 32;
  private static final int ETHERNET = EthernetHeader.BYTES;

  private final EthernetHeader ethernet = new EthernetHeader();
  private final Ipv4Header ipv4 = new Ipv4Header();
  private final Grh ipv6 = new Grh(); // the same layout
  private final UdpHeader udp = new UdpHeader();
  private final TransportCodec transport;

  /** Makes a codec. */
  public RoceCodec() {
    this(false);
  }

  /**
   * Makes a codec.
   *
   * @param flushTwice whether the ICRC of a FLUSH covers its headers twice, as Linux rdma_rxe 6.12
   *     has it
   */
  public RoceCodec(boolean flushTwice) {
    transport = new TransportCodec(flushTwice);
  }

  /**
   * Whether a packet goes by IPv4: its destination GID is an IPv4 address.
   *
   * @param p the packet
   * @return {@code IPV4} or {@code IPV6}
   */
  public static Icrc.Network network(Packet p) {
    boolean mapped = p.dgidHigh == 0 && p.dgidLow >>> 32 == 0xffff;
    return mapped ? Icrc.Network.IPV4 : Icrc.Network.IPV6;
  }

  // ---- frames ----

  /**
   * Writes a frame, without its check sequence.
   *
   * @param p the packet
   * @param frame what the packet does not say
   * @param to where to; alive
   * @param at offset of its first byte
   * @return its length, or {@link LinkCodec#NO_ROOM}, {@link LinkCodec#NOT_A_PACKET} or {@link
   *     LinkCodec#PAYLOAD_GONE}; then what lies there is undefined
   */
  public int encode(Packet p, RoceFrame frame, MemorySegment to, long at) {
    int length = TransportCodec.length(p);
    if (length < 0) {
      return length;
    }
    Icrc.Network network = network(p);
    int before = ETHERNET + network.bytes();
    if (at < 0 || at > to.byteSize() - before - length) {
      return LinkCodec.NO_ROOM;
    }
    ethernet.wrap(to, at);
    ethernet.destination(frame.destinationMac);
    ethernet.source(frame.sourceMac);
    boolean four = network == Icrc.Network.IPV4;
    ethernet.etherType(four ? EthernetHeader.IPV4 : EthernetHeader.IPV6);
    long ip = at + ETHERNET;
    if (four) {
      writeIpv4(p, frame, to, ip);
    } else {
      writeIpv6(p, to, ip);
    }
    udp.wrap(to, ip + network.bytes() - UdpHeader.BYTES);
    udp.sourcePort(frame.sourcePort);
    udp.destinationPort(UdpHeader.ROCE);
    udp.checksum(frame.udpChecksum);
    int written = encodeDatagram(p, network, to, ip);
    if (four) {
      ipv4.checksum(ipv4.expectedChecksum());
    }
    return written < 0 ? written : before + written;
  }

  private void writeIpv4(Packet p, RoceFrame frame, MemorySegment to, long at) {
    ipv4.wrap(to, at);
    ipv4.versionAndLength(Ipv4Header.PLAIN);
    ipv4.typeOfService(p.trafficClass);
    ipv4.identification(frame.identification);
    ipv4.fragment(frame.dontFragment ? Ipv4Header.DONT_FRAGMENT : 0);
    ipv4.timeToLive(p.hopLimit);
    ipv4.protocol(UdpHeader.PROTOCOL);
    ipv4.source((int) p.sgidLow);
    ipv4.destination((int) p.dgidLow);
  }

  private void writeIpv6(Packet p, MemorySegment to, long at) {
    ipv6.wrap(to, at);
    ipv6.ipVer(6);
    ipv6.trafficClass(p.trafficClass);
    ipv6.flowLabel(p.flowLabel);
    ipv6.nxtHdr(UdpHeader.PROTOCOL);
    ipv6.hopLmt(p.hopLimit);
    ipv6.sgidHigh(p.sgidHigh);
    ipv6.sgidLow(p.sgidLow);
    ipv6.dgidHigh(p.dgidHigh);
    ipv6.dgidLow(p.dgidLow);
  }

  /**
   * Reads a frame: a pure total function of the bytes. Nothing is changed when it is dropped.
   *
   * @param from the memory; alive
   * @param at offset of the Ethernet header
   * @param length bytes without the check sequence; trailing bytes after the IP datagram are
   *     allowed
   * @param into filled when the packet is good; its payload then refers to the memory
   * @param frame filled when the packet is good
   * @return why it is dropped, or null when it is good
   */
  public @Nullable DropReason decode(
      MemorySegment from, long at, int length, Packet into, RoceFrame frame) {
    if (at < 0 || length < ETHERNET || at > from.byteSize() - length) {
      return DropReason.SHORT;
    }
    ethernet.wrap(from, at);
    Icrc.Network network;
    switch (ethernet.etherType()) {
      case EthernetHeader.IPV4 -> network = Icrc.Network.IPV4;
      case EthernetHeader.IPV6 -> network = Icrc.Network.IPV6;
      default -> {
        return DropReason.NOT_ROCE;
      }
    }
    long ip = at + ETHERNET;
    int room = length - ETHERNET;
    if (room < network.bytes()) {
      return DropReason.SHORT;
    }
    boolean four = network == Icrc.Network.IPV4;
    DropReason reason = four ? checkIpv4(from, ip, room) : checkIpv6(from, ip, room);
    if (reason != null) {
      return reason;
    }
    int datagram = (four ? ipv4.totalLength() : ipv6.payLen() + Grh.BYTES) - network.bytes();
    udp.wrap(from, ip + network.bytes() - UdpHeader.BYTES);
    if (udp.destinationPort() != UdpHeader.ROCE) {
      return DropReason.NOT_ROCE;
    }
    if (udp.length() != datagram + UdpHeader.BYTES) {
      return DropReason.LENGTH;
    }
    reason = decodeDatagram(network, from, ip, datagram, into);
    if (reason != null) {
      return reason;
    }
    fill(four, into, frame);
    return null;
  }

  private @Nullable DropReason checkIpv4(MemorySegment from, long at, int room) {
    ipv4.wrap(from, at);
    if (ipv4.protocol() != UdpHeader.PROTOCOL) {
      return DropReason.NOT_ROCE;
    }
    if (ipv4.versionAndLength() != Ipv4Header.PLAIN
        || (ipv4.fragment() & ~Ipv4Header.DONT_FRAGMENT) != 0
        || !ipv4.intact()) {
      return DropReason.IP;
    }
    boolean fits = ipv4.totalLength() <= room && ipv4.totalLength() >= Icrc.Network.IPV4.bytes();
    return fits ? null : DropReason.LENGTH;
  }

  private @Nullable DropReason checkIpv6(MemorySegment from, long at, int room) {
    ipv6.wrap(from, at);
    if (ipv6.ipVer() != 6) {
      return DropReason.IP;
    }
    if (ipv6.nxtHdr() != UdpHeader.PROTOCOL) {
      return DropReason.NOT_ROCE;
    }
    boolean fits = ipv6.payLen() <= room - Grh.BYTES && ipv6.payLen() >= UdpHeader.BYTES;
    return fits ? null : DropReason.LENGTH;
  }

  private void fill(boolean four, Packet p, RoceFrame frame) {
    frame.destinationMac = ethernet.destination();
    frame.sourceMac = ethernet.source();
    frame.sourcePort = udp.sourcePort();
    frame.udpChecksum = udp.checksum();
    frame.identification = four ? ipv4.identification() : 0;
    frame.dontFragment = !four || ipv4.fragment() != 0;
    p.slid = 0;
    p.dlid = 0;
    p.sl = 0;
    p.global = true;
    p.trafficClass = four ? ipv4.typeOfService() : ipv6.trafficClass();
    p.flowLabel = four ? 0 : ipv6.flowLabel();
    p.hopLimit = four ? ipv4.timeToLive() : ipv6.hopLmt();
    p.sgidHigh = four ? 0 : ipv6.sgidHigh();
    p.sgidLow = four ? mapped(ipv4.source()) : ipv6.sgidLow();
    p.dgidHigh = four ? 0 : ipv6.dgidHigh();
    p.dgidLow = four ? mapped(ipv4.destination()) : ipv6.dgidLow();
  }

  private static long mapped(int address) {
    return IPV4_MAPPED | address & 0xffffffffL;
  }

  // ---- what follows UDP ----

  /**
   * Writes what follows UDP. The ICRC covers the IP and UDP headers as they will be on the wire, so
   * they are given: the lengths in them are set here, the IPv4 checksum is not looked at.
   *
   * @param p the packet
   * @param network the kind of the headers
   * @param to where to, with IP header and UDP header; alive
   * @param ip offset of the IP header; BTH follows the UDP header
   * @return bytes from BTH through ICRC, or {@link LinkCodec#NO_ROOM}, {@link
   *     LinkCodec#NOT_A_PACKET} or {@link LinkCodec#PAYLOAD_GONE}; then what lies there is
   *     undefined
   */
  public int encodeDatagram(Packet p, Icrc.Network network, MemorySegment to, long ip) {
    long at = ip + network.bytes();
    int length = TransportCodec.length(p);
    if (length < 0) {
      return length;
    }
    if (ip < 0 || at > to.byteSize() - length) {
      return LinkCodec.NO_ROOM;
    }
    if (network == Icrc.Network.IPV4) {
      ipv4.wrap(to, ip);
      ipv4.totalLength(network.bytes() + length);
    } else {
      ipv6.wrap(to, ip);
      ipv6.payLen(UdpHeader.BYTES + length);
    }
    udp.wrap(to, at - UdpHeader.BYTES);
    udp.length(UdpHeader.BYTES + length);
    int written = transport.write(p, to, at);
    if (written < 0) {
      return written;
    }
    transport.seal(p, network, to, ip, at, written);
    return length;
  }

  /**
   * Reads what follows UDP: a pure total function of the bytes. Nothing is changed when it is
   * dropped. The addresses of the packet are left to the caller, who knows them.
   *
   * @param network the kind of the headers
   * @param from the memory, with IP header and UDP header as they were on the wire; alive
   * @param ip offset of the IP header; BTH follows the UDP header
   * @param length bytes from BTH through ICRC
   * @param into filled when the packet is good; its payload then refers to the memory
   * @return why it is dropped, or null when it is good
   */
  public @Nullable DropReason decodeDatagram(
      Icrc.Network network, MemorySegment from, long ip, int length, Packet into) {
    long at = ip + network.bytes();
    if (ip < 0 || length < Bth.BYTES + Icrc.BYTES || at > from.byteSize() - length) {
      return DropReason.SHORT;
    }
    DropReason reason = transport.check(from, at, length);
    if (reason != null) {
      return reason;
    }
    if (!transport.sealed(network, from, ip, at, length)) {
      return DropReason.ICRC;
    }
    transport.read(from, at, length, into);
    return null;
  }
}
