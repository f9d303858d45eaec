package ib.engine.capture;

import ib.core.spi.PacketCapture.Filter;
import ib.core.wire.BthOpcode;
import ib.core.wire.Icrc;
import ib.core.wire.MadHeader;
import ib.core.wire.Vcrc;
import ib.engine.wire.LinkCodec;
import ib.engine.wire.Packet;
import ib.engine.wire.PacketObserver;
import ib.engine.wire.RoceCodec;
import ib.engine.wire.RoceFrame;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * The copy of one packet. Its phase contains the index of the claim, so that a thread with an
 * outdated claim can tell.
 */
final class CapturedPacket implements PacketObserver {
  static final int BYTES = 4352; // the longest packet: 4096 bytes and all headers
  private static final int GSI_QPN = 1;
  private static final int FREE = 0;
  private static final int CLAIMED = 1;
  private static final int FILLED = 2; // the packet waits for its verdict
  private static final int READY = 3;
  private static final VarHandle PHASE;

  static {
    try {
      PHASE = MethodHandles.lookup().findVarHandle(CapturedPacket.class, "phase", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  final MemorySegment bytes;
  private final LinkCodec link = new LinkCodec();
  private final RoceCodec roce = new RoceCodec();
  private final RoceFrame frame = new RoceFrame();
  private volatile long phase;

  // written by the claiming thread before the phase READY, read by the writer thread afterwards
  int length;
  int port;
  boolean incoming;
  long timeNs;
  int opcode;
  int psn;
  int sourceQpn;
  int queue; // the device's own queue pair, which sends the packet or is sent it
  int madAt; // offset of a datagram to QP1, or 0
  boolean badIcrc;
  @Nullable String fault;
  @Nullable String dropped;
  boolean carried; // whether the packet was on a RoCE wire; then the fields below are set
  int sourcePort;
  int identification;
  int trafficClass;
  int flowLabel;
  int hopLimit;
  int icrc;

  CapturedPacket(MemorySegment bytes, long index) {
    this.bytes = bytes;
    this.phase = phase(index, FREE);
  }

  private static long phase(long index, int value) {
    return index << 2 | value;
  }

  boolean free(long index) {
    return phase == phase(index, FREE);
  }

  boolean filled(long index) {
    return phase == phase(index, FILLED);
  }

  boolean ready(long index) {
    return phase == phase(index, READY);
  }

  void claim(long index) {
    phase = phase(index, CLAIMED);
  }

  /** Hands the slot to the writer. {@return false if that was done before} */
  boolean finish(long index) {
    return PHASE.compareAndSet(this, phase(index, FILLED), phase(index, READY));
  }

  void release(long nextIndex) {
    phase = phase(nextIndex, FREE);
  }

  static boolean wanted(Filter f, Packet p, int port) {
    return (f.port() == 0 || f.port() == port)
        && (f.qpn() < 0 || f.qpn() == p.destQpn || f.qpn() == p.sourceQpn)
        && (f.opcode() < 0 || f.opcode() == p.opcode);
  }

  /**
   * Copies a packet. {@return false if the packet cannot be on a wire, such as a direct one (D5)}
   */
  boolean fill(long index, Packet p, int portNumber, boolean in, boolean ethernet, long now) {
    boolean several = p.psnCount > 1 && p.opcode != BthOpcode.RC_RDMA_READ_REQUEST.value();
    int n = several ? 0 : encode(p, ethernet);
    length = Math.max(0, n);
    port = portNumber;
    incoming = in;
    timeNs = now;
    opcode = p.opcode;
    psn = p.psn;
    sourceQpn = p.sourceQpn;
    queue = in ? p.destQpn : p.sourceQpn;
    madAt = isGsi(p) && n > 0 ? n - trailer(ethernet) - MadHeader.MAD_BYTES : 0;
    badIcrc = p.damaged;
    fault = null;
    dropped = null;
    note(p);
    phase = phase(index, FILLED);
    return n > 0;
  }

  private static boolean isGsi(Packet p) {
    return p.destQpn == GSI_QPN
        && p.opcode == BthOpcode.UD_SEND_ONLY.value()
        && p.payload.length() == MadHeader.MAD_BYTES;
  }

  /** {@return bytes behind the payload} */
  private static int trailer(boolean ethernet) {
    return ethernet ? Icrc.BYTES : Icrc.BYTES + Vcrc.BYTES;
  }

  private int encode(Packet p, boolean ethernet) {
    return ethernet ? roce.encode(p, frame, bytes, 0) : link.encode(p, bytes, 0);
  }

  @Override
  public void disturbed(long token, String how) {
    if (filled(token)) {
      fault = how;
    }
  }

  @Override
  public void released(long token, Packet packet) {
    if (filled(token)) {
      dropped = packet.dropped;
      if (incoming) {
        finish(token); // a sent packet is finished by its sender, when transmit() returns
      } else {
        note(packet);
      }
    }
  }

  /** Takes over how the RoCE wire has sent the packet. */
  private void note(Packet p) {
    carried = p.sourcePort != 0;
    sourcePort = p.sourcePort;
    identification = p.identification;
    trafficClass = p.trafficClass;
    flowLabel = p.flowLabel;
    hopLimit = p.hopLimit;
    icrc = p.icrc;
  }
}
