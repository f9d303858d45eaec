package ib.engine.port;

import ib.core.verbs.QpState;
import ib.core.wire.Psn;
import ib.engine.link.Guard;
import ib.engine.mr.IntTable;
import ib.engine.qp.QpCore;
import ib.engine.qp.QpPath;
import ib.engine.qp.ReceiveState;
import ib.engine.wire.Opcode;
import ib.engine.wire.Packet;
import ib.engine.wire.Route;
import org.jspecify.annotations.Nullable;

/** Which packets of a muted source are accepted: those that fit their queue pair. Data path. */
final class Admission {
  private static final int PSN_AHEAD = 1 << 16; // the largest window

  private Admission() {}

  /** Whether a packet must be dropped because its source is muted. */
  static boolean refuses(Guard guard, Packet p, IntTable<QpCore> qps) {
    int standing = guard.standing(p);
    return standing != Guard.ADMITTED
        && (standing == Guard.MUTED || !fits(p, p.destQpn > 1 ? qps.find(p.destQpn) : null));
  }

  /**
   * Whether the sender of a packet knows more than it can guess: the address of a connection's peer
   * and about its PSN, or a datagram's Q_Key. Reads fields that another thread may be changing, so
   * the answer may be wrong for a packet that arrives during the change.
   */
  private static boolean fits(Packet p, @Nullable QpCore qp) {
    if (qp == null || (p.opcode & 0xe0) != qp.service || qp.state == QpState.RESET) {
      return false;
    }
    QpPath path = qp;
    if (qp.state == QpState.INIT || !path.port().tables().pkeyFits(path.pkeyIndex, p.pkey)) {
      return false;
    }
    if (!(qp.responder instanceof ReceiveState responder)) {
      return p.qkey == path.qkey;
    }
    Route route = path.route;
    if (route == null || !route.leadsTo(p)) {
      return false;
    }
    if ((Opcode.what(p.opcode) & Opcode.RESPONSE) != 0) {
      return Psn.diff(p.psn, qp.sending.una()) >= 0 && Psn.diff(p.psn, qp.sending.psnSent()) < 0;
    }
    int behind = responder.behind(p.psn); // far when a long read is asked for again
    return behind >= -PSN_AHEAD && behind <= ReceiveState.PSN_FAR;
  }
}
