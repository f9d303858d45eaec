package ib.engine.capture;

import ib.core.spi.PacketCapture.Filter;
import ib.core.wire.BthOpcode;
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
 * The copy of one packet. Its phase carries the index of the claim, so that whoever still holds an
 * old claim finds it gone.
 */
final class Slot implements PacketObserver {
  static final int BYTES = 4352; // the longest packet: 4096 bytes and all headers
  private static final int FREE = 0;
  private static final int CLAIMED = 1;
  private static final int FILLED = 2; // waits for its verdict
  private static final int READY = 3;
  private static final VarHandle PHASE;

  static {
    try {
      PHASE = MethodHandles.lookup().findVarHandle(Slot.class, "phase", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  final MemorySegment bytes;
  private final LinkCodec link = new LinkCodec();
  private final RoceCodec roce = new RoceCodec();
  private final RoceFrame frame = new RoceFrame();
  private volatile long phase;

  // written by the claimer before it is ready, read by the writer afterwards
  int length;
  int port;
  boolean incoming;
  long timeNs;
  int opcode;
  int psn;
  int sourceQpn;
  boolean badIcrc;
  @Nullable String fault;
  @Nullable String dropped;
  boolean carried; // has been on a wire of RoCE, which is known then:
  int sourcePort;
  int identification;
  int trafficClass;
  int flowLabel;
  int hopLimit;
  int icrc;

  Slot(MemorySegment bytes, long index) {
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

  /** Hands it to the writer; false when it was already. */
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

  /** Copies a packet; false when it is not one that could be on a wire (D5). */
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
    badIcrc = p.damaged;
    fault = null;
    dropped = null;
    note(p);
    phase = phase(index, FILLED);
    return n > 0;
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
        finish(token); // what is sent is finished by the sender, when the call returns
      } else {
        note(packet);
      }
    }
  }

  /** What is known of how it was carried. */
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
