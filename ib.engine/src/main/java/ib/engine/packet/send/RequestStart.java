package ib.engine.packet.send;

import ib.core.verbs.Access;
import ib.core.verbs.SendFlags;
import ib.core.verbs.WcStatus;
import ib.core.wire.Psn;
import ib.engine.qp.QpCore;
import ib.engine.qp.Verb;
import ib.engine.ring.SendKind;

/**
 * Begins the requests that go to the peer: what each needs is looked at once, before it has
 * sequence numbers. Only the claim holder may call these methods.
 */
final class RequestStart {
  private static final int WINDOW_PSNS = 1 << 22;

  private RequestStart() {}

  /** Gives a request its sequence numbers, or finds that it must wait or cannot be. */
  static boolean remote(Requester r, int b, int what) {
    QpCore qp = r.qp;
    long cursor = r.cursor;
    long kind = r.slots.kind(b);
    long length = (what & Verb.FLUSH) != 0 ? 0 : r.slots.messageLength(b, kind);
    boolean answered = (what & Verb.ANSWERED) != 0;
    if ((SendKind.flags(kind) & SendFlags.FENCE) != 0 && r.readsOut > 0) {
      return false; // IBA 10.8.3.3
    }
    if (answered && r.readsOut >= qp.maxRdAtomic) {
      return r.readsOut == 0 && r.halt(cursor, WcStatus.LOC_QP_OP_ERR);
    }
    boolean single = (what & Verb.ANSWERED & ~Verb.READ) != 0;
    int psns =
        r.datagram ? LargeSend.packets(qp, r.slots, b, length) : single ? 1 : qp.packets(length);
    if (psns > WINDOW_PSNS || length > r.lengthMost || !operandFits(what, length)) {
      return r.halt(cursor, WcStatus.LOC_LEN_ERR);
    }
    int underWay = Psn.diff(r.psnNext, r.una()) + psns;
    if (underWay > WINDOW_PSNS && r.reliable) {
      return false; // an acknowledgement brings us back
    }
    boolean receives = (what & (Verb.READ | Verb.ATOMIC)) != 0;
    if (SendKind.isBroken(kind)
        || (receives && !RequestPackets.gather(qp, cursor, 0, length, Access.LOCAL_WRITE, null))) {
      return r.halt(cursor, WcStatus.LOC_PROT_ERR);
    }
    r.begin(length, psns);
    return true;
  }

  /** An atomic is of 8 bytes. */
  private static boolean operandFits(int what, long length) {
    return (what & Verb.ATOMIC) == 0 || length == Long.BYTES;
  }
}
