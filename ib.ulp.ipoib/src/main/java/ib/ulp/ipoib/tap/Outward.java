package ib.ulp.ipoib.tap;

import ib.core.verbs.Gid;
import ib.ulp.ipoib.link.Drop;
import ib.ulp.ipoib.link.Link;
import ib.ulp.ipoib.link.Outgoing;
import ib.ulp.ipoib.wire.Arp;
import ib.ulp.ipoib.wire.Encapsulation;
import ib.ulp.ipoib.wire.Groups;
import ib.ulp.ipoib.wire.Ip;
import ib.ulp.ipoib.wire.IpPacket;
import ib.ulp.ipoib.wire.LinkAddress;
import ib.ulp.ipoib.wire.Octets;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * Translates Ethernet frames of the kernel and sends them on the link. Used on the loop's thread
 * only.
 */
final class Outward {
  private static final LinkAddress NOBODY = new LinkAddress(0, 0, Gid.ZERO);

  private final Link link;
  private final MacTable table;
  private final Inward back;
  private final BiConsumer<Ip, Boolean> reports;
  private final Consumer<Ip> spoken;
  private final MemorySegment scratch;
  private final Segmenter segmenter;
  private final IpPacket ip = new IpPacket();
  private final Outgoing packet = new Outgoing();
  private LinkAddress own = NOBODY;

  Outward(
      Link link,
      MacTable table,
      Inward back,
      BiConsumer<Ip, Boolean> reports,
      Consumer<Ip> spoken,
      Arena arena) {
    this.link = link;
    this.table = table;
    this.back = back;
    this.reports = reports;
    this.spoken = spoken;
    scratch = arena.allocate(Ethernet.LONGEST, 8);
    segmenter = new Segmenter(link, scratch);
  }

  void own(LinkAddress address) {
    own = address;
  }

  /** Sends a frame, with its virtio_net_hdr. */
  void frame(MemorySegment s, int length) {
    int bytes = length - Ethernet.PACKET;
    if (bytes < 0) {
      link.drop(Drop.TX_MALFORMED);
      return;
    }
    long to = Octets.u48(s, Ethernet.TO);
    int type = Octets.u16(s, Ethernet.TYPE);
    switch (type) {
      case Encapsulation.ARP -> arp(s, bytes, to);
      case Encapsulation.IPV4, Encapsulation.IPV6 -> ip(s, bytes, to, type);
      default ->
          send(to, Ip.v4(0), packet.set(type, s, Ethernet.PACKET, bytes)); // W1: the link drops it
    }
  }

  private void arp(MemorySegment s, int bytes, long to) {
    long at = Ethernet.PACKET;
    boolean good =
        bytes >= Ethernet.ARP_BYTES
            && Octets.u16(s, at) == 1
            && Octets.u16(s, at + 2) == Encapsulation.IPV4
            && Octets.u16(s, at + 4) == 0x0604;
    if (!good) {
      link.drop(Drop.TX_MALFORMED);
      return;
    }
    Ip sender = Ip.v4(Octets.u32(s, at + 14));
    LinkAddress target = table.end(Octets.u48(s, at + 18));
    if (!sender.isZero()) {
      spoken.accept(sender);
    }
    new Arp(
            Octets.u16(s, at + 6),
            own,
            sender.v4(),
            target == null ? Arp.UNKNOWN : target,
            Octets.u32(s, at + 24))
        .write(scratch, 0);
    send(to, Ip.v4(-1), packet.set(Encapsulation.ARP, scratch, 0, Arp.BYTES));
  }

  private void ip(MemorySegment s, int bytes, long to, int type) {
    boolean whole = ip.read(s, Ethernet.PACKET, bytes);
    if (!whole) {
      fragment(s, bytes, to, type);
      return;
    }
    if (segmenter.isOpen(s, ip)) {
      LinkAddress end = table.end(to);
      if (end != null && segmenter.offload(s, ip, type, end)) {
        return;
      }
    }
    segmenter.complete(s, ip);
    if (Ethernet.isGroup(to)) {
      Reports.read(s, ip, reports);
    }
    if (Octets.u8(s, 1) != Segmenter.GSO_NONE) {
      segments(s, to, type);
      return;
    }
    int length = bytes;
    MemorySegment from = s;
    long at = Ethernet.PACKET;
    if (type == Encapsulation.IPV6 && Discovery.is(s, ip)) {
      advertised(s);
      length =
          Discovery.rewrite(s, ip, at, scratch, true, new Discovery.Side(table, own, back.mac()));
      from = scratch;
      at = 0;
      if (length < 0) {
        link.drop(Drop.TX_MALFORMED);
        return;
      }
    } else if (type == Encapsulation.IPV4 && Dhcp.is(s, ip)) {
      length = Dhcp.outward(s, ip, at, scratch, own);
      from = scratch;
      at = 0;
    } else if (length > link.state().mtu()) {
      link.drop(Drop.TX_TOO_LONG);
      back.tooBig(s, ip, at, link.state().mtu()); // I10
      return;
    }
    send(to, ip.to(), packet.set(type, from, at, length));
  }

  /** Reports the kernel's own address in a neighbour advertisement. */
  private void advertised(MemorySegment s) {
    int type = Octets.u8(s, ip.payloadAt());
    if (type == 136) {
      spoken.accept(Octets.ip(s, ip.payloadAt() + 8));
    }
  }

  /** Sends fragments and malformed packets unchanged. */
  private void fragment(MemorySegment s, int bytes, long to, int type) {
    Ip group = IpPacket.destination(s, Ethernet.PACKET, bytes);
    send(to, group == null ? Ip.v4(-1) : group, packet.set(type, s, Ethernet.PACKET, bytes));
  }

  private void segments(MemorySegment s, long to, int type) {
    LinkAddress end = table.end(to);
    if (end == null) {
      link.drop(Drop.TX_UNREACHABLE);
    } else if (!segmenter.offload(s, ip, type, end)
        && !segmenter.cut(s, ip, type, piece -> link.unicast(end, piece))) {
      link.drop(Drop.TX_MALFORMED);
    }
  }

  private void send(long mac, Ip to, Outgoing out) {
    if (mac == Ethernet.BROADCAST || Ethernet.isGroup(mac) && !to.isMulticast()) {
      link.broadcast(out);
    } else if (Ethernet.isGroup(mac)) {
      link.multicast(Groups.of(to, link.state().broadcast()), out);
    } else {
      LinkAddress end = table.end(mac);
      if (end == null) {
        link.drop(Drop.TX_UNREACHABLE);
      } else {
        link.unicast(end, out);
      }
    }
  }
}
