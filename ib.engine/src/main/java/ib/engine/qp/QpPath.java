package ib.engine.qp;

import ib.engine.cq.Member;
import ib.engine.cq.SoftCq;
import ib.engine.link.Link;
import ib.engine.wire.Opcode;
import ib.engine.wire.Packet;
import ib.engine.wire.Route;
import org.jspecify.annotations.Nullable;

/**
 * The attributes of a queue pair that are in use now. Only the thread that holds its claim reads
 * and changes them; modify claims it first.
 */
public abstract class QpPath extends Member {
  private @Nullable Link port;
  public @Nullable Route route;
  public int sl; // of the route
  int sgidIndex;
  public int sourceBits;
  public int destQpn;
  public int pkeyIndex;
  public int qkey;
  public int access;
  public int mtu = 256;
  public int mtuShift = 8;
  public long ackTimeoutNs;
  public int retryCount;
  public int rnrRetry;
  public int minRnrTimer;
  public int maxRdAtomic;

  /** Makes that of a queue pair. */
  QpPath(SoftCq sendCq, SoftCq recvCq) {
    super(sendCq, recvCq);
  }

  public final Link port() {
    Link p = port;
    if (p == null) {
      throw new IllegalStateException("no port before INIT");
    }
    return p;
  }

  public void port(Link value) {
    port = value;
  }

  /** {@return the index of its port, that of the first one before it has one} */
  public final int portIndex() {
    Link p = port;
    return p == null ? 0 : p.number() - 1;
  }

  public final void mtu(int bytes) {
    mtu = bytes;
    mtuShift = Integer.numberOfTrailingZeros(bytes);
  }

  public final void route(Route value) {
    route = value;
    sl = value.sl();
    sgidIndex = value.sgidIndex();
    sourceBits = value.pathBits();
  }

  /** Sequence numbers of a message: one for each MTU begun, at least one. */
  public final int packets(long length) {
    return length == 0 ? 1 : (int) ((length + mtu - 1) >>> mtuShift);
  }

  /**
   * FIRST and MIDDLE are full, LAST is not empty, nothing is longer than its share (IBA 9.7.4.1.6).
   */
  public final boolean lengthFits(Packet p, int what) {
    int length = p.payload.length();
    int full = p.psnCount << mtuShift;
    return switch (what & (Opcode.START | Opcode.END | Opcode.READ)) {
      case Opcode.START | Opcode.END -> length <= full;
      case Opcode.END -> length > 0 && length <= full;
      case 0, Opcode.START -> length == full;
      default -> true;
    };
  }
}
