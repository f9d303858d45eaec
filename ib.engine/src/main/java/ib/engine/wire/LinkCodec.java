package ib.engine.wire;

import ib.core.wire.Bth;
import ib.core.wire.DropReason;
import ib.core.wire.Grh;
import ib.core.wire.Icrc;
import ib.core.wire.Lrh;
import ib.core.wire.Vcrc;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Packets as an InfiniBand link carries them (IBA vol. 1 section 6.1): LRH, GRH, BTH and what
 * follows, payload, padding, ICRC, VCRC. Allocates nothing once made; for one thread at a time.
 */
public final class LinkCodec {
  /** The packet does not fit into the memory. */
  public static final int NO_ROOM = -1;

  /** The packet has an unknown opcode, or stands for several packets (D5). */
  public static final int NOT_A_PACKET = -2;

  /** The memory of the payload has been closed. */
  public static final int PAYLOAD_GONE = -3;

  private static final int VL_MANAGEMENT = 15;
  private static final int MIN_BYTES = Lrh.BYTES + Bth.BYTES + Icrc.BYTES + Vcrc.BYTES;

  private final Lrh lrh = new Lrh();
  private final Grh grh = new Grh();
  private final TransportCodec transport = new TransportCodec();

  /** Makes a codec. */
  public LinkCodec() {}

  /**
   * Writes a packet.
   *
   * @param p the packet
   * @param to where to; alive
   * @param at offset of its first byte
   * @return its length, or {@link #NO_ROOM}, {@link #NOT_A_PACKET} or {@link #PAYLOAD_GONE}; then
   *     what lies there is undefined
   */
  public int encode(Packet p, MemorySegment to, long at) {
    int length = TransportCodec.length(p);
    if (length < 0) {
      return length;
    }
    int before = Lrh.BYTES + (p.global ? Grh.BYTES : 0);
    if (at < 0 || at > to.byteSize() - before - length - Vcrc.BYTES) {
      return NO_ROOM;
    }
    lrh.wrap(to, at);
    lrh.clear();
    lrh.vl(p.destQpn == 0 ? VL_MANAGEMENT : 0); // IBA 9.6.1.5.1, 14.2.2: SMPs have their own lane
    lrh.sl(p.sl);
    lrh.lnh(p.global ? Lrh.LNH_GLOBAL : Lrh.LNH_LOCAL);
    lrh.dlid(p.dlid);
    lrh.slid(p.slid);
    lrh.pktLen(before + length >>> 2);
    if (p.global) {
      writeGrh(p, length, to, at + Lrh.BYTES);
    }
    int written = transport.write(p, to, at + before);
    if (written < 0) {
      return written;
    }
    transport.seal(p, network(p.global), to, at, at + before, written);
    int covered = before + length;
    Vcrc.store(to, at + covered, Vcrc.of(to, at, covered));
    return covered + Vcrc.BYTES;
  }

  private void writeGrh(Packet p, int length, MemorySegment to, long at) {
    grh.wrap(to, at);
    grh.ipVer(6);
    grh.trafficClass(p.trafficClass);
    grh.flowLabel(p.flowLabel);
    grh.payLen(length);
    grh.nxtHdr(Grh.NEXT_HEADER_IBA);
    grh.hopLmt(p.hopLimit);
    grh.sgidHigh(p.sgidHigh);
    grh.sgidLow(p.sgidLow);
    grh.dgidHigh(p.dgidHigh);
    grh.dgidLow(p.dgidLow);
  }

  private static Icrc.Network network(boolean global) {
    return global ? Icrc.Network.GLOBAL : Icrc.Network.LOCAL;
  }

  /**
   * Reads a packet: a pure total function of the bytes. Nothing is changed when it is dropped.
   *
   * @param from the memory; alive
   * @param at offset of LRH
   * @param length bytes from LRH through VCRC
   * @param into filled when the packet is good; its payload then refers to the memory
   * @return why it is dropped, or null when it is good
   */
  public @Nullable DropReason decode(MemorySegment from, long at, int length, Packet into) {
    if (at < 0 || length < MIN_BYTES || at > from.byteSize() - length) {
      return DropReason.SHORT;
    }
    lrh.wrap(from, at);
    if (lrh.lver() != 0) {
      return DropReason.LVER;
    }
    if (lrh.lnh() < Lrh.LNH_LOCAL) {
      return DropReason.LNH;
    }
    boolean global = lrh.lnh() == Lrh.LNH_GLOBAL;
    int before = Lrh.BYTES + (global ? Grh.BYTES : 0);
    int covered = length - Vcrc.BYTES;
    int rest = covered - before;
    if (lrh.pktLen() << 2 != covered) {
      return DropReason.LENGTH;
    }
    if (rest < Bth.BYTES + Icrc.BYTES) {
      return DropReason.SHORT;
    }
    if (global) {
      grh.wrap(from, at + Lrh.BYTES);
      if (grh.ipVer() != 6 || grh.nxtHdr() != Grh.NEXT_HEADER_IBA) {
        return DropReason.GRH;
      }
      if (grh.payLen() != rest) {
        return DropReason.LENGTH;
      }
    }
    if (Vcrc.of(from, at, covered) != Vcrc.load(from, at + covered)) {
      return DropReason.VCRC;
    }
    long bth = at + before;
    DropReason reason = transport.check(from, bth, rest);
    if (reason != null) {
      return reason;
    }
    if (!transport.sealed(network(global), from, at, bth, rest)) {
      return DropReason.ICRC;
    }
    transport.read(from, bth, rest, into);
    fill(global, into);
    return null;
  }

  private void fill(boolean global, Packet p) {
    p.slid = lrh.slid();
    p.dlid = lrh.dlid();
    p.sl = lrh.sl();
    p.global = global;
    p.trafficClass = global ? grh.trafficClass() : 0;
    p.flowLabel = global ? grh.flowLabel() : 0;
    p.hopLimit = global ? grh.hopLmt() : 0;
    p.sgidHigh = global ? grh.sgidHigh() : 0;
    p.sgidLow = global ? grh.sgidLow() : 0;
    p.dgidHigh = global ? grh.dgidHigh() : 0;
    p.dgidLow = global ? grh.dgidLow() : 0;
  }
}
