package ib.engine.qp;

import ib.core.verbs.QpState;
import ib.core.verbs.SendFlags;
import ib.core.wire.Psn;
import ib.engine.ring.SendRing;
import ib.engine.ring.SendWqe;
import ib.engine.wire.Packet;
import org.jspecify.annotations.Nullable;

/**
 * Which requests of a connection ask for an acknowledgement; the specification leaves that to the
 * requester (IBA 9.7.5.1.2). An acknowledgement costs both ends as much as a request. An unsignaled
 * request therefore does not ask for one, unless many before it did not ask. Only the thread that
 * holds the queue pair's claim may call these methods.
 */
final class AckRequests {
  private static final int MAX_PACKETS = 32; // a PSN that is a multiple of it asks as well
  private static final int MAX_SILENT = 16; // requests in a row that do not ask

  private final QpCore qp;
  private int end; // all before it will be acknowledged, as far as we know
  private int silent; // requests since one asked

  AckRequests(QpCore qp) {
    this.qp = qp;
  }

  void psn(int first) {
    end = first;
    silent = 0;
  }

  /**
   * Decides for a packet.
   *
   * @param p the packet
   * @param psn its sequence number
   * @param ended the request that it is the last of, or null
   * @param ring the request's ring
   * @return whether it asks
   */
  boolean asks(Packet p, int psn, @Nullable SendWqe ended, SendRing ring) {
    return (psn & (MAX_PACKETS - 1)) == 0 || (ended != null && (p.repeated || asks(ended, ring)));
  }

  private boolean asks(SendWqe w, SendRing ring) {
    return qp.signalAll
        || (w.flags & SendFlags.SIGNALED) != 0
        || ++silent >= Math.min(MAX_SILENT, ring.capacity() / 4)
        || qp.path.ackTimeoutNs == 0 // nothing would make us ask late
        || qp.state != QpState.RTS;
  }

  /** Notes that an acknowledgement of all packets before a PSN was requested, or has arrived. */
  void asked(int psn) {
    if (!underWay()) {
      qp.completer.asked();
    }
    end = Psn.diff(psn, end) > 0 ? psn : end;
    silent = 0;
  }

  /** {@return whether an acknowledgement is to come, as far as we know} */
  boolean underWay() {
    return Psn.diff(end, qp.completer.una()) > 0;
  }
}
