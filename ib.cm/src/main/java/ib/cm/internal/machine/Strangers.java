package ib.cm.internal.machine;

import static ib.core.mad.cm.CmField.*;

import ib.core.mad.cm.CmKind;
import ib.core.mad.cm.CmMessage;
import ib.core.mad.cm.CmReason;
import ib.core.verbs.AhAttr;
import ib.core.verbs.GlobalRoute;

/** Answers messages without state: those that belong to no connection (CM-7). */
final class Strangers {
  private static final int OF_REQ = 0;
  private static final int OF_REP = 1;
  private static final int SIDR_NOT_SUPPORTED = 1;
  private static final int APR_INVALID_ID = 1;

  private final Self self;
  private final Out out;
  private final Counts counts;
  private final Quota quota = new Quota(Quota.ANSWERS);

  Strangers(Self self, Out out, Counts counts) {
    this.self = self;
    this.out = out;
    this.counts = counts;
  }

  /** {@return what the source of messages is limited by} */
  static Object source(AhAttr answer) {
    GlobalRoute route = answer.grh();
    return route == null ? (Object) answer.dlid() : route.dgid();
  }

  /** {@return whether two ways lead to the same port} */
  static boolean same(AhAttr a, AhAttr b) {
    return a.grh() != null && b.grh() != null
        ? a.grh().dgid().equals(b.grh().dgid())
        : a.dlid() == b.dlid();
  }

  /** {@return whether the source of a message may have one more answer} */
  boolean allows(Arrival from) {
    return quota.take(source(from.answer()), from.nowNs());
  }

  private void say(CmMessage m, Arrival from) {
    if (allows(from)) {
      out.send(m, from.answer(), from.pkeyIndex());
    } else {
      counts.dropped(Drop.RATE);
    }
  }

  /** Answers a message whose connection this port does not know. */
  void unknown(Arrival from) {
    CmMessage m = from.message();
    counts.dropped(Drop.UNKNOWN_CONNECTION);
    if (m.kind() == CmKind.DREQ) {
      say(CmMessage.of(CmKind.DREP, m.tid()).ids(m.remoteId(), m.localId()), from);
    } else if (m.kind() == CmKind.REP) {
      reject(from, CmReason.INVALID_COMM_ID, new byte[0]);
    } else if (m.kind() == CmKind.LAP) {
      CmMessage apr = CmMessage.of(CmKind.APR, m.tid()).ids(m.remoteId(), m.localId());
      say(apr.set(APR_STATUS, APR_INVALID_ID), from);
    }
  }

  /** Answers that no service of datagrams is there. */
  void noDatagramService(Arrival from) {
    CmMessage m = from.message();
    CmMessage rep = CmMessage.of(CmKind.SIDR_REP, m.tid());
    rep.set(SIDR_REP_REQUEST_ID, m.value(SIDR_REQ_REQUEST_ID));
    rep.set(SIDR_REP_SERVICE_ID, m.longValue(SIDR_REQ_SERVICE_ID));
    say(rep.set(SIDR_REP_STATUS, SIDR_NOT_SUPPORTED), from);
  }

  /** Rejects a REQ or a REP. */
  void reject(Arrival from, CmReason reason, byte[] info) {
    CmMessage m = from.message();
    boolean req = m.kind() == CmKind.REQ;
    CmMessage rej = CmMessage.of(CmKind.REJ, m.tid()).ids(req ? 0 : m.remoteId(), m.localId());
    rej.set(REJ_MSG, req ? OF_REQ : OF_REP).set(REJ_REASON, reason.code());
    say(rej.rejectInfo(info), from);
  }

  /** Rejects a REQ whose path names no GID of this port, with one that it has. */
  void rejectGid(Arrival from) {
    reject(from, CmReason.INVALID_GID, self.gid(0).toBytes());
  }

  /** Rejects a REQ whose path MTU is larger than the port's, with the port's. */
  void rejectMtu(Arrival from) {
    reject(from, CmReason.INVALID_MTU, new byte[] {(byte) self.mtu().value()});
  }
}
