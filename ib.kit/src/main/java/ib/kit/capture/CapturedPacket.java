package ib.kit.capture;

import ib.core.wire.Aeth;
import ib.core.wire.Bth;
import ib.core.wire.BthOpcode;
import ib.core.wire.Deth;
import ib.core.wire.EthernetHeader;
import ib.core.wire.ExtendedHeader;
import ib.core.wire.Grh;
import ib.core.wire.Ipv4Header;
import ib.core.wire.Lrh;
import ib.core.wire.UdpHeader;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * A packet of a capture.
 *
 * @param timeNs when, in nanoseconds since 1970
 * @param incoming whether it was received, not sent
 * @param queue number of the device's own queue pair, which sent the packet or was sent it; for a
 *     packet to a multicast group, which names no queue pair, what the packet has; -1 when the
 *     stream does not tell
 * @param ethernet whether it begins with an Ethernet header, not with an LRH
 * @param bytes the packet
 * @param comment what the driver says about it, for example {@code ICRC ok}
 */
public record CapturedPacket(
    long timeNs,
    boolean incoming,
    int queue,
    boolean ethernet,
    MemorySegment bytes,
    String comment) {
  private static final int IPV6_BYTES = 40;

  /** {@return the base transport header; nothing when the packet is too short for one} */
  public Optional<Bth> bth() {
    long at = transportOffset();
    if (bytes.byteSize() < at + Bth.BYTES) {
      return Optional.empty();
    }
    Bth bth = new Bth();
    bth.wrap(bytes, at);
    return Optional.of(bth);
  }

  /** {@return the acknowledge header; nothing when the packet has none} */
  public Optional<Aeth> aeth() {
    long at = transportOffset() + Bth.BYTES; // where there is one, it is the first extended header
    if (!begins(ExtendedHeader.AETH, at + Aeth.BYTES)) {
      return Optional.empty();
    }
    Aeth aeth = new Aeth();
    aeth.wrap(bytes, at);
    return Optional.of(aeth);
  }

  /** {@return the datagram header; nothing when the packet has none} */
  public Optional<Deth> deth() {
    long at = transportOffset() + Bth.BYTES; // where there is one, it is the first extended header
    if (!begins(ExtendedHeader.DETH, at + Deth.BYTES)) {
      return Optional.empty();
    }
    Deth deth = new Deth();
    deth.wrap(bytes, at);
    return Optional.of(deth);
  }

  /** {@return whether the packet's opcode has a header, and the packet is long enough for it} */
  private boolean begins(ExtendedHeader header, long end) {
    BthOpcode opcode = bth().map(bth -> BthOpcode.of(bth.opcode())).orElse(null);
    return opcode != null && opcode.has(header) && bytes.byteSize() >= end;
  }

  /** {@return the local route header; nothing on Ethernet, or when the packet is too short} */
  public Optional<Lrh> lrh() {
    if (ethernet || bytes.byteSize() < Lrh.BYTES) {
      return Optional.empty();
    }
    Lrh lrh = new Lrh();
    lrh.wrap(bytes, 0);
    return Optional.of(lrh);
  }

  /** {@return where the base transport header begins, if the packet is long enough} */
  long transportOffset() {
    return ethernet ? behindUdp() : behindNetwork();
  }

  /** {@return where the ICRC begins, which follows the payload and its padding} */
  long icrcOffset() {
    long end = lrh().map(l -> (long) l.pktLen() * Integer.BYTES).orElse(bytes.byteSize());
    return Math.min(end, bytes.byteSize()) - Integer.BYTES;
  }

  private long behindNetwork() {
    if (bytes.byteSize() < Lrh.BYTES) {
      return Lrh.BYTES;
    }
    Lrh lrh = new Lrh();
    lrh.wrap(bytes, 0);
    return lrh.lnh() == Lrh.LNH_GLOBAL ? Lrh.BYTES + Grh.BYTES : Lrh.BYTES;
  }

  private long behindUdp() {
    if (bytes.byteSize() < EthernetHeader.BYTES) {
      return EthernetHeader.BYTES;
    }
    EthernetHeader header = new EthernetHeader();
    header.wrap(bytes, 0);
    int ip = header.etherType() == EthernetHeader.IPV6 ? IPV6_BYTES : Ipv4Header.BYTES;
    return (long) EthernetHeader.BYTES + ip + UdpHeader.BYTES;
  }
}
