package ib.kit;

import ib.core.verbs.Access;
import ib.core.verbs.Cap;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.Limit;
import ib.core.verbs.Mtu;
import ib.core.verbs.QpAttr;
import ib.core.verbs.QpAttrMask;
import ib.core.verbs.QpState;
import ib.core.verbs.QpTransitions;
import ib.core.verbs.QpType;
import ib.core.verbs.SendWr;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WrOpcode;
import java.util.List;
import org.junit.jupiter.api.Assertions;

/** The state machine of queue pairs (IBA 10.3.1): every transition from every state. */
final class StateCases {
  private StateCases() {}

  static void add(Catalogue c) {
    Catalogue.Section s = c.section("STATE", 1, "states");
    for (QpType type : List.of(QpType.RC, QpType.UC, QpType.UD)) {
      for (QpState from : QpState.values()) {
        if (type == QpType.RC && from == QpState.SQE) {
          continue; // RC has none
        }
        s.add(
            type + " from " + from + ": the legal transitions are made, the others change nothing",
            t -> all(t, type, from),
            DataOptionCases.cap(type));
      }
    }
    values(c.section("STATE", 31, "states: attributes", Cap.RC));
  }

  private static void all(Trial t, QpType type, QpState from) throws Exception {
    for (QpState to : QpState.values()) {
      try (End a = new End(t.left(), Shape.of(type), t.bench)) {
        bring(a, from);
        QpAttr attr = attributes(a, type, from, to);
        if (QpTransitions.isLegal(type, from, to)) {
          a.qp.modify(attr);
          Assertions.assertEquals(to, a.qp.state(), from + " to " + to);
          Assertions.assertEquals(to, a.qp.query().state(), "query after " + from + " to " + to);
        } else {
          Assertions.assertThrows(
              IbInvalidException.class, () -> a.qp.modify(attr), from + " to " + to);
          Assertions.assertEquals(from, a.qp.state(), "refused: " + from + " to " + to);
        }
      }
    }
  }

  private static QpAttr attributes(End a, QpType type, QpState from, QpState to) {
    QpAttr attr = new QpAttr().state(to);
    for (QpAttrMask m : QpTransitions.required(type, from, to)) {
      switch (m) {
        case PKEY_INDEX -> attr.pkeyIndex(0);
        case PORT -> attr.port(1);
        case ACCESS_FLAGS -> attr.accessFlags(Shape.ALL);
        case QKEY -> attr.qkey(End.QKEY);
        case AV -> attr.av(a.self);
        case PATH_MTU -> attr.pathMtu(a.mtu());
        case DEST_QPN -> attr.destQpn(a.qp.qpn());
        case RQ_PSN -> attr.rqPsn(a.shape.psn());
        case SQ_PSN -> attr.sqPsn(a.shape.psn());
        case MAX_DEST_RD_ATOMIC -> attr.maxDestRdAtomic(1);
        case MAX_QP_RD_ATOMIC -> attr.maxRdAtomic(1);
        case MIN_RNR_TIMER -> attr.minRnrTimer(1);
        case TIMEOUT -> attr.timeout(14);
        case RETRY_CNT -> attr.retryCount(7);
        case RNR_RETRY -> attr.rnrRetry(7);
        default -> Assertions.fail("the table requires " + m);
      }
    }
    return attr;
  }

  /** Brings a queue pair that talks to itself to a state. */
  private static void bring(End a, QpState to) {
    if (to == QpState.RESET) {
      return;
    }
    a.init(Shape.ALL);
    if (to == QpState.INIT) {
      return;
    }
    a.rtr(a.self, a.qp.qpn());
    if (to == QpState.RTR) {
      return;
    }
    a.rts();
    switch (to) {
      case SQD -> a.qp.modify(new QpAttr().state(QpState.SQD));
      case ERR -> a.error();
      case SQE -> broken(a);
      default -> Assertions.assertEquals(QpState.RTS, a.qp.state());
    }
  }

  private static void broken(End a) {
    SendWr wr = a.wr(WrOpcode.SEND, 1, 0, 8).clearSges().addSge(~a.lkey(), a.addr(), 8);
    if (a.shape.type() == QpType.UD) {
      wr.ah(a.ah(a.self)).remoteQpn(a.qp.qpn()).remoteQkey(End.QKEY);
    }
    a.send(wr);
    Await.status(a.sendCq, 1, WcStatus.LOC_PROT_ERR);
    Await.until("SQE", () -> a.qp.state() == QpState.SQE);
  }

  private static void values(Catalogue.Section s) {
    s.pair(
        "query tells what modify set",
        (t, p) -> {
          QpAttr q = p.a.qp.query();
          Assertions.assertEquals(p.b.qp.qpn(), q.destQpn());
          Assertions.assertEquals(p.a.shape.psn(), q.sqPsn());
          Assertions.assertEquals(p.a.shape.psn(), q.rqPsn());
          Assertions.assertEquals(p.a.mtu(), q.pathMtu());
          Assertions.assertEquals(Shape.ALL, q.accessFlags());
          Assertions.assertEquals(1, q.port());
          Assertions.assertEquals(1, q.minRnrTimer());
          Assertions.assertEquals(4, q.maxRdAtomic());
          Assertions.assertEquals(p.a.shape.retries(), q.retryCount());
          Assertions.assertEquals(p.a.shape.rnrRetries(), q.rnrRetry());
          Assertions.assertEquals(t.bench.path(p.a.device, p.b.device), q.av());
        });
    s.add(
        "a wrong CUR_STATE is refused",
        t -> refused(t, new QpAttr().state(QpState.RTS).curState(QpState.SQD)));
    s.add(
        "attributes that the transition does not allow are refused and not taken",
        t -> refused(t, new QpAttr().state(QpState.RTS).rqPsn(7)));
    s.end(
        "a change that fails in one attribute changes none (IBA 11.2.5.2)",
        (t, a) -> {
          a.init(Access.REMOTE_READ);
          QpAttr bad = new QpAttr().accessFlags(Shape.ALL).port(a.device.portCount() + 1);
          Assertions.assertThrows(IbInvalidException.class, () -> a.qp.modify(bad));
          Assertions.assertEquals(Access.REMOTE_READ, a.qp.query().accessFlags());
          Assertions.assertEquals(1, a.qp.query().port());
        });
    init(s, "a P_Key index behind the table", (t, a) -> new QpAttr().pkeyIndex(0xffff));
    init(s, "a port that does not exist", (t, a) -> new QpAttr().port(a.device.portCount() + 1));
    rtr(
        s,
        "a path MTU larger than the port's",
        (a, attr) -> attr.pathMtu(Mtu.MTU_4096),
        a -> a.device.queryPort(1).activeMtu() != Mtu.MTU_4096);
    rtr(
        s,
        "more responder resources than MAX_QP_RD_ATOM",
        (a, attr) -> attr.maxDestRdAtomic((int) a.device.attrs().limit(Limit.MAX_QP_RD_ATOM) + 1),
        a -> a.device.attrs().limit(Limit.MAX_QP_RD_ATOM) < 255);
  }

  @FunctionalInterface
  private interface Change {
    QpAttr of(Trial t, End a);
  }

  @FunctionalInterface
  private interface Spoil {
    void accept(End a, QpAttr attr);
  }

  @FunctionalInterface
  private interface Possible {
    boolean test(End a);
  }

  private static void refused(Trial t, QpAttr attr) {
    Pair p = t.pair(Shape.of(QpType.RC));
    Assertions.assertThrows(IbInvalidException.class, () -> p.a.qp.modify(attr));
    Assertions.assertEquals(QpState.RTS, p.a.qp.state());
    Assertions.assertEquals(p.a.shape.psn(), p.a.qp.query().rqPsn());
    p.ping(t);
  }

  private static void init(Catalogue.Section s, String what, Change change) {
    s.end(
        what + " is refused in INIT",
        (t, a) -> {
          a.init(Shape.ALL);
          QpAttr bad = change.of(t, a);
          Assertions.assertThrows(IbInvalidException.class, () -> a.qp.modify(bad));
          Assertions.assertEquals(QpState.INIT, a.qp.state());
        });
  }

  private static void rtr(Catalogue.Section s, String what, Spoil spoil, Possible possible) {
    s.end(
        what + " is refused on the way to RTR",
        (t, a) -> {
          t.assume(possible.test(a), "the device allows everything that can be said");
          a.init(Shape.ALL);
          QpAttr attr = attributes(a, QpType.RC, QpState.INIT, QpState.RTR);
          spoil.accept(a, attr);
          Assertions.assertThrows(IbInvalidException.class, () -> a.qp.modify(attr));
          Assertions.assertEquals(QpState.INIT, a.qp.state());
        });
  }
}
