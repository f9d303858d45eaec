package ib.engine.wire;

import ib.core.wire.Aeth;
import ib.core.wire.AtomicAckEth;
import ib.core.wire.AtomicEth;
import ib.core.wire.Bth;
import ib.core.wire.BthOpcode;
import ib.core.wire.Deth;
import ib.core.wire.DropReason;
import ib.core.wire.ExtendedHeader;
import ib.core.wire.Feth;
import ib.core.wire.Header;
import ib.core.wire.Icrc;
import ib.core.wire.Ieth;
import ib.core.wire.ImmDt;
import ib.core.wire.PayloadRule;
import ib.core.wire.Reth;
import ib.engine.mr.Copier;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The common part of both media: BTH, the headers after it, payload, padding and ICRC (IBA vol. 1
 * chapter 9). Allocates nothing once made; for one thread at a time.
 */
final class TransportCodec {
  private static final int FLUSH_BYTES = Bth.BYTES + Feth.BYTES + Reth.BYTES;

  private final Bth bth = new Bth();
  private final Deth deth = new Deth();
  private final Feth feth = new Feth();
  private final Reth reth = new Reth();
  private final AtomicEth atomicEth = new AtomicEth();
  private final Aeth aeth = new Aeth();
  private final AtomicAckEth atomicAckEth = new AtomicAckEth();
  private final ImmDt immDt = new ImmDt();
  private final Ieth ieth = new Ieth();
  private final Icrc icrc = new Icrc();
  private final boolean flushTwice;
  private final MemorySegment doubled = MemorySegment.ofArray(new byte[2 * FLUSH_BYTES]);

  TransportCodec() {
    this(false);
  }

  TransportCodec(boolean flushTwice) {
    this.flushTwice = flushTwice;
  }

  /** {@return bytes from BTH through ICRC, or {@link LinkCodec#NOT_A_PACKET}} */
  static int length(Packet p) {
    BthOpcode opcode = BthOpcode.of(p.opcode);
    int payload = p.payload.length();
    if (opcode == null || payload > PayloadRule.MAX_MTU) {
      return LinkCodec.NOT_A_PACKET;
    }
    return opcode.headerBytes() + (payload + 3 & ~3) + Icrc.BYTES;
  }

  // ---- bytes from a packet ----

  /** Writes BTH through padding; the length was asked before, and fits. */
  int write(Packet p, MemorySegment to, long at) {
    BthOpcode opcode = BthOpcode.of(p.opcode);
    if (opcode == null) {
      return LinkCodec.NOT_A_PACKET;
    }
    int payload = p.payload.length();
    int pad = -payload & 3;
    bth.wrap(to, at);
    bth.set(
        p.opcode,
        p.solicited,
        p.migReq,
        pad,
        p.pkey,
        p.fecn,
        p.becn,
        p.destQpn,
        p.ackRequest,
        p.psn);
    long end =
        opcode.headerBytes() == Bth.BYTES
            ? at + Bth.BYTES
            : writeExtended(opcode, p, to, at + Bth.BYTES);
    if (Copier.toSegment(p.payload, to, end) != Copier.OK) {
      return LinkCodec.PAYLOAD_GONE;
    }
    end += payload;
    for (int i = 0; i < pad; i++) {
      to.set(ValueLayout.JAVA_BYTE, end + i, (byte) 0);
    }
    return (int) (end + pad - at);
  }

  private long writeExtended(BthOpcode opcode, Packet p, MemorySegment to, long at) {
    long next = at;
    if (opcode.has(ExtendedHeader.DETH)) {
      next = begin(deth, to, next);
      deth.clear();
      deth.qkey(p.qkey);
      deth.srcQp(p.sourceQpn);
    }
    if (opcode.has(ExtendedHeader.FETH)) {
      next = begin(feth, to, next);
      feth.word(p.feth);
    }
    if (opcode.has(ExtendedHeader.RETH)) {
      next = begin(reth, to, next);
      reth.va(p.remoteAddress);
      reth.rkey(p.rkey);
      reth.dmaLen(p.dmaLength);
    }
    if (opcode.has(ExtendedHeader.ATOMIC_ETH)) {
      next = begin(atomicEth, to, next);
      atomicEth.va(p.remoteAddress);
      atomicEth.rkey(p.rkey);
      atomicEth.swapAdd(p.swapAdd);
      atomicEth.compare(p.compare);
    }
    if (opcode.has(ExtendedHeader.AETH)) {
      next = begin(aeth, to, next);
      aeth.syndrome(p.syndrome);
      aeth.msn(p.msn);
    }
    if (opcode.has(ExtendedHeader.ATOMIC_ACK_ETH)) {
      next = begin(atomicAckEth, to, next);
      atomicAckEth.origRemData(p.swapAdd);
    }
    if (opcode.has(ExtendedHeader.IMM_DT)) {
      next = begin(immDt, to, next);
      immDt.immediate(p.immData);
    }
    if (opcode.has(ExtendedHeader.IETH)) {
      next = begin(ieth, to, next);
      ieth.rkey(p.rkey);
    }
    return next;
  }

  /** {@return the offset behind the header} The caller must clear the bits that no field covers. */
  private static long begin(Header header, MemorySegment to, long at) {
    header.wrap(to, at);
    return at + header.size();
  }

  /**
   * Writes the ICRC after the length bytes from BTH on: a wrong one when bits were flipped. The
   * headers before BTH lie in the same memory.
   */
  void seal(Packet p, Icrc.Network network, MemorySegment to, long headersAt, long at, int length) {
    int value = calculated(network, to, headersAt, at, length);
    Icrc.store(to, at + length, p.damaged ? ~value : value);
  }

  /** Writes the ICRC of a datagram, in the same way. */
  void seal(Packet p, DatagramIcrc of, MemorySegment to, ByteBuffer view, long at, int length) {
    int value = of.of(to, view, at, length, twice(to, at) == length);
    Icrc.store(to, at + length, p.damaged ? ~value : value);
  }

  // ---- a packet from bytes ----

  /**
   * Judges BTH and the lengths (IBA 9.6.1.1, 9.7.4.1.6).
   *
   * @param from the memory, which has the bytes
   * @param at offset of BTH
   * @param length bytes from BTH through ICRC
   * @return why it is dropped, or null
   */
  @Nullable DropReason check(MemorySegment from, long at, int length) {
    if (length < Bth.BYTES + Icrc.BYTES) {
      return DropReason.SHORT;
    }
    bth.wrap(from, at);
    if (bth.tver() != 0) {
      return DropReason.TVER;
    }
    BthOpcode opcode = BthOpcode.of(bth.opcode());
    if (opcode == null) {
      return DropReason.OPCODE;
    }
    int rest = length - opcode.headerBytes() - Icrc.BYTES;
    if (rest < 0) {
      return DropReason.SHORT;
    }
    int pad = bth.padCnt();
    if (pad > rest) {
      return DropReason.PAD;
    }
    boolean fits = (rest & 3) == 0 && opcode.payload().possible(rest - pad);
    return fits ? null : DropReason.LENGTH;
  }

  /** Whether the ICRC of a packet that passed the check is right. */
  boolean sealed(Icrc.Network network, MemorySegment from, long headersAt, long at, int length) {
    int covered = length - Icrc.BYTES;
    return calculated(network, from, headersAt, at, covered) == Icrc.load(from, at + covered);
  }

  /** The ICRC of a datagram that passed the check, exclusive or the right one. */
  int difference(DatagramIcrc of, MemorySegment from, ByteBuffer view, long at, int length) {
    int covered = length - Icrc.BYTES;
    return of.of(from, view, at, covered, twice(from, at) == covered)
        ^ Icrc.load(from, at + covered);
  }

  private int calculated(
      Icrc.Network network, MemorySegment bytes, long headersAt, long at, int length) {
    if (twice(bytes, at) == 0 || length != FLUSH_BYTES) {
      return icrc.of(network, bytes, headersAt, bytes, at, length);
    }
    MemorySegment.copy(bytes, at, doubled, 0, FLUSH_BYTES); // masked where it has to be
    MemorySegment.copy(bytes, at, doubled, FLUSH_BYTES, FLUSH_BYTES); // and as it is
    return icrc.of(network, bytes, headersAt, doubled, 0, 2 * FLUSH_BYTES);
  }

  /** {@return how many bytes of a packet the ICRC covers twice} */
  int twice(MemorySegment bytes, long at) {
    return flushTwice && bytes.get(ValueLayout.JAVA_BYTE, at) == (byte) BthOpcode.RC_FLUSH.value()
        ? FLUSH_BYTES
        : 0;
  }

  /** Fills a packet from bytes that passed the check. Its payload refers to them. */
  void read(MemorySegment from, long at, int length, Packet p) {
    bth.wrap(from, at);
    BthOpcode opcode = BthOpcode.of(bth.opcode());
    if (opcode == null) {
      throw new IllegalArgumentException("not checked");
    }
    p.faulty = false;
    p.damaged = false;
    p.networkHeader = null;
    p.opcode = opcode.value();
    p.solicited = bth.solicitedEvent();
    p.migReq = bth.migReq();
    p.fecn = bth.fecn();
    p.becn = bth.becn();
    p.ackRequest = bth.ackReq();
    p.pkey = bth.pkey();
    p.destQpn = bth.destQp();
    p.psn = bth.psn();
    p.psnCount = 1;
    p.qkey = 0;
    p.sourceQpn = 0;
    if (opcode.headerBytes() != Bth.BYTES) {
      readExtended(opcode, from, at + Bth.BYTES, p);
    }
    int bytes = length - opcode.headerBytes() - Icrc.BYTES - bth.padCnt();
    p.payload.clear();
    if (bytes > 0) {
      p.payload.add(from, at + opcode.headerBytes(), bytes);
    }
  }

  private void readExtended(BthOpcode opcode, MemorySegment from, long at, Packet p) {
    long next = at;
    if (opcode.has(ExtendedHeader.DETH)) {
      deth.wrap(from, next);
      p.qkey = deth.qkey();
      p.sourceQpn = deth.srcQp();
      next += Deth.BYTES;
    }
    if (opcode.has(ExtendedHeader.FETH)) {
      feth.wrap(from, next);
      p.feth = feth.word();
      next += Feth.BYTES;
    }
    if (opcode.has(ExtendedHeader.RETH)) {
      reth.wrap(from, next);
      p.remoteAddress = reth.va();
      p.rkey = reth.rkey();
      p.dmaLength = reth.dmaLen();
      next += Reth.BYTES;
    }
    if (opcode.has(ExtendedHeader.ATOMIC_ETH)) {
      atomicEth.wrap(from, next);
      p.remoteAddress = atomicEth.va();
      p.rkey = atomicEth.rkey();
      p.swapAdd = atomicEth.swapAdd();
      p.compare = atomicEth.compare();
      next += AtomicEth.BYTES;
    }
    if (opcode.has(ExtendedHeader.AETH)) {
      aeth.wrap(from, next);
      p.syndrome = aeth.syndrome();
      p.msn = aeth.msn();
      next += Aeth.BYTES;
    }
    if (opcode.has(ExtendedHeader.ATOMIC_ACK_ETH)) {
      atomicAckEth.wrap(from, next);
      p.swapAdd = atomicAckEth.origRemData();
      next += AtomicAckEth.BYTES;
    }
    if (opcode.has(ExtendedHeader.IMM_DT)) {
      immDt.wrap(from, next);
      p.immData = immDt.immediate();
      next += ImmDt.BYTES;
    }
    if (opcode.has(ExtendedHeader.IETH)) {
      ieth.wrap(from, next);
      p.rkey = ieth.rkey();
    }
  }
}
