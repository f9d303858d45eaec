package ib.ulp.ipoib.tap;

import ib.core.verbs.Gid;
import ib.ulp.ipoib.link.Drop;
import ib.ulp.ipoib.link.Frame;
import ib.ulp.ipoib.link.Link;
import ib.ulp.ipoib.link.Outgoing;
import ib.ulp.ipoib.wire.AddressOption;
import ib.ulp.ipoib.wire.Arp;
import ib.ulp.ipoib.wire.Encapsulation;
import ib.ulp.ipoib.wire.Ip;
import ib.ulp.ipoib.wire.IpPacket;
import ib.ulp.ipoib.wire.LinkAddress;
import ib.ulp.ipoib.wire.Octets;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Translates packets of the link to Ethernet frames and writes them to the kernel. Used on the
 * loop's thread only.
 */
final class Inward {
  private final Kernel kernel;
  private final Link link;
  private final MacTable table;
  private final MemorySegment scratch;
  private final Pieces pieces;
  private final Coalescer coalescer;
  private final LongFrame longFrame;
  private final IpPacket ip = new IpPacket();
  private final IpPacket answered = new IpPacket();
  private LinkAddress own = new LinkAddress(0, 0, Gid.ZERO);
  private final Senders senders;
  private final String name;
  private long mac;

  Inward(Kernel kernel, String name, Link link, MacTable table, Arena arena) {
    this.name = name;
    this.kernel = kernel;
    this.link = link;
    this.table = table;
    senders = new Senders(table);
    scratch = arena.allocate(Ethernet.LONGEST, 8);
    pieces = new Pieces(arena, 2);
    coalescer = new Coalescer(kernel, link, arena);
    longFrame = new LongFrame(kernel, link::drop, arena);
  }

  /**
   * Sets the link address. The Ethernet address is derived from the first one and does not change,
   * also not when the device is plugged again (B2).
   */
  void own(LinkAddress address) {
    own = address;
    if (mac == 0) {
      mac = MacTable.own(address.gid(), name);
    }
  }

  /** {@return the Ethernet address of the kernel's device} */
  long mac() {
    return mac;
  }

  /** Writes a packet of coalesced segments to the kernel. */
  void together(Frame frame) {
    coalescer.flush();
    longFrame.give(frame, mac, senders.of(frame));
  }

  void frame(Frame frame) {
    MemorySegment s = frame.segment();
    switch (frame.type()) {
      case Encapsulation.ARP -> arp(frame);
      case Encapsulation.IPV4, Encapsulation.IPV6 -> {
        if (!ip.read(s, frame.at(), frame.length())) {
          plain(frame, mac, 0); // a fragment or malformed: handed to the kernel unchanged
        } else if (frame.type() == Encapsulation.IPV6 && Discovery.is(s, ip)) {
          discovery(frame);
        } else if (frame.type() == Encapsulation.IPV4 && Dhcp.is(s, ip)) {
          boolean request = Dhcp.isRequest(s, ip);
          long client = request ? table.meet(senders.end(frame)) : mac;
          int length = Dhcp.inward(s, ip, frame.at(), packetSpace(), client);
          write(destination(frame), senders.of(frame), frame.type(), length);
        } else if (frame.cast() != Frame.Cast.UNICAST
            || !coalescer.take(frame, ip, mac, senders.of(frame))) {
          coalescer.flush();
          plain(frame, destination(frame), kernel.queueOf(s, ip));
        }
      }
      default -> link.drop(Drop.RX_TYPE);
    }
  }

  private long destination(Frame frame) {
    return switch (frame.cast()) {
      case UNICAST -> mac;
      case BROADCAST -> Ethernet.BROADCAST;
      case MULTICAST -> ip.to().isMulticast() ? Ethernet.of(ip.to()) : Ethernet.BROADCAST;
    };
  }

  private MemorySegment packetSpace() {
    return scratch.asSlice(Ethernet.PACKET);
  }

  private void arp(Frame frame) {
    Arp arp = Arp.read(frame.segment(), frame.at(), frame.length());
    if (arp == null) {
      link.drop(Drop.RX_MALFORMED);
      return;
    }
    long sender = table.learn(arp.sender());
    senders.heard(arp.sender(), frame);
    boolean forUs = arp.target().plain().equals(own.plain());
    long at = Ethernet.PACKET;
    Octets.u16(scratch, at, 1);
    Octets.u16(scratch, at + 2, Encapsulation.IPV4);
    Octets.u16(scratch, at + 4, 0x0604);
    Octets.u16(scratch, at + 6, arp.operation());
    Octets.u48(scratch, at + 8, sender);
    Octets.u32(scratch, at + 14, arp.senderIp());
    Octets.u48(scratch, at + 18, forUs ? mac : 0);
    Octets.u32(scratch, at + 24, arp.targetIp());
    long to = frame.cast() == Frame.Cast.UNICAST ? mac : Ethernet.BROADCAST;
    head(scratch, to, sender, Encapsulation.ARP);
    give(Ethernet.PACKET + Ethernet.ARP_BYTES);
  }

  private void discovery(Frame frame) {
    if (!ip.checksumHolds(frame.segment())) {
      link.drop(Drop.RX_CHECKSUM);
      return;
    }
    int length =
        Discovery.rewrite(
            frame.segment(),
            ip,
            frame.at(),
            packetSpace(),
            false,
            new Discovery.Side(table, own, mac));
    if (length < 0) {
      link.drop(Drop.RX_MALFORMED);
    } else {
      introduced(frame);
      write(destination(frame), senders.of(frame), Encapsulation.IPV6, length);
    }
  }

  /** Learns the sender's link address from a solicitation or advertisement. */
  private void introduced(Frame frame) {
    int type = Octets.u8(frame.segment(), ip.payloadAt());
    if (type != Discovery.SOLICITATION && type != Discovery.ADVERTISEMENT) {
      return;
    }
    int kind = type == Discovery.SOLICITATION ? AddressOption.SOURCE : AddressOption.TARGET;
    long options = ip.payloadAt() + Discovery.NEIGHBOUR;
    long last = ip.payloadAt() + ip.payloadLength();
    LinkAddress end = AddressOption.find(frame.segment(), options, last, kind);
    if (end != null && end.qpn() == frame.sourceQpn()) {
      senders.heard(end, frame);
    }
  }

  private void write(long to, long from, int type, int length) {
    head(scratch, to, from, type);
    give(Ethernet.PACKET + length);
  }

  private void give(int length) {
    if (!kernel.write(0, scratch, length)) {
      link.drop(Drop.RX_FULL);
    }
  }

  static void head(MemorySegment s, long to, long from, int type) {
    Octets.u64(s, 0, 0); // virtio_net_hdr: the packet is whole and has its checksums
    Octets.u16(s, 8, 0);
    Octets.u48(s, Ethernet.TO, to);
    Octets.u48(s, Ethernet.FROM, from);
    Octets.u16(s, Ethernet.TYPE, type);
  }

  /** Writes a packet to the kernel from its receive buffer, without a copy. */
  private void plain(Frame frame, long to, int queue) {
    head(scratch, to, senders.of(frame), frame.type());
    pieces.start(scratch, 0, Ethernet.PACKET).add(frame.segment(), frame.at(), frame.length());
    if (!pieces.give(kernel, queue)) {
      link.drop(Drop.RX_FULL);
    }
  }

  void flush() {
    coalescer.flush();
  }

  /** Answers a packet of the kernel that is too long for the link, with an ICMP error. */
  void tooBig(MemorySegment s, IpPacket packet, long from, int mtu) {
    int length = TooBig.write(s, packet, from, scratch, Ethernet.PACKET, mtu);
    write(mac, Ethernet.SOMEBODY, IpPacket.type(packet.to()), length);
  }

  /** Answers a packet that is too long for its neighbour, with an ICMP error. */
  void tooBig(Outgoing packet, int mtu) {
    MemorySegment bytes = MemorySegment.ofArray(new byte[packet.length()]);
    packet.copyPacket(bytes, 0);
    if (answered.read(bytes, 0, packet.length())) {
      tooBig(bytes, answered, 0, mtu);
    }
  }

  /** Sends IGMP and MLD queries to the kernel, which answers with the groups it has joined. */
  void queries() {
    int length = Reports.queryV4(scratch, Ethernet.PACKET);
    write(Ethernet.of(Ip.ALL_SYSTEMS), Ethernet.SOMEBODY, Encapsulation.IPV4, length);
    length = Reports.queryV6(scratch, Ethernet.PACKET);
    write(Ethernet.of(Ip.ALL_NODES), Ethernet.SOMEBODY, Encapsulation.IPV6, length);
  }
}
