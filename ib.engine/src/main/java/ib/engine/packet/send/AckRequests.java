package ib.engine.packet.send;

import ib.core.verbs.QpState;
import ib.core.verbs.SendFlags;
import ib.core.wire.Psn;
import ib.engine.qp.QpCore;
import ib.engine.qp.SendState;
import ib.engine.wire.Packet;

/**
 * Which requests of a connection ask for an acknowledgement; the specification leaves that to the
 * requester (IBA 9.7.5.1.2). An acknowledgement costs both ends as much as a request. An unsignaled
 * request therefore does not ask for one, unless many before it did not ask. Only the thread that
 * holds the queue pair's claim may call these methods.
 */
final class AckRequests {
  private static final int MAX_PACKETS = 32; // a PSN that is a multiple of it asks as well
  private static final int MAX_SILENT = 16; // requests in a row that do not ask

  private AckRequests() {}

  /**
   * Decides for a packet.
   *
   * @param qp the queue pair
   * @param p the packet
   * @param psn its sequence number
   * @param ended the flags of the request that it is the last of, negative when it is not
   * @return whether it asks
   */
  static boolean asks(QpCore qp, Packet p, int psn, int ended) {
    return (psn & (MAX_PACKETS - 1)) == 0 || (ended >= 0 && (p.repeated || asks(qp, ended)));
  }

  private static boolean asks(QpCore qp, int flags) {
    SendState r = qp.sending;
    return qp.signalAll
        || (flags & SendFlags.SIGNALED) != 0
        || ++r.silent >= Math.min(MAX_SILENT, r.ring.capacity() / 4)
        || qp.ackTimeoutNs == 0 // nothing would make us ask late
        || qp.state != QpState.RTS;
  }

  /** Notes that an acknowledgement of all packets before a PSN was requested, or has arrived. */
  static void asked(QpCore qp, int psn) {
    if (!underWay(qp)) {
      qp.sending.asked();
    }
    SendState r = qp.sending;
    r.ackEnd = Psn.diff(psn, r.ackEnd) > 0 ? psn : r.ackEnd;
    r.silent = 0;
  }

  /** {@return whether an acknowledgement is to come, as far as we know} */
  static boolean underWay(QpCore qp) {
    return Psn.diff(qp.sending.ackEnd, qp.sending.una()) > 0;
  }
}
