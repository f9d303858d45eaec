package ib.kit;

import ib.core.verbs.AddressHandle;
import ib.core.verbs.Cap;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.CqInit;
import ib.core.verbs.IbBusyException;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.IbObject;
import ib.core.verbs.MwType;
import ib.core.verbs.NotifyFlags;
import ib.core.verbs.PostStatus;
import ib.core.verbs.QpAttr;
import ib.core.verbs.QpInit;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.RecvWr;
import ib.core.verbs.SharedReceiveQueue;
import ib.core.verbs.SrqAttr;
import ib.core.verbs.SrqInit;
import ib.core.verbs.WrOpcode;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.function.Executable;

/** The rules of destroying: not while in use, users named, once, and poison afterwards (F38). */
final class LifeCases {
  private LifeCases() {}

  static void add(Catalogue c) {
    busy(c.section("LIFE", 1, "life: in use", Cap.RC));
    twice(c.section("LIFE", 21, "life: closed twice", Cap.RC));
    after(c.section("LIFE", 31, "life: used after close", Cap.RC));
    foreign(c.section("LIFE", 61, "life: objects of others", Cap.RC));
  }

  static SharedReceiveQueue srq(End a) {
    return a.pd.createSrq(new SrqInit(new SrqAttr(8, 1, 0), null, null));
  }

  private static void busy(Catalogue.Section s) {
    busy(s, "PD", "MR", e -> e.pd, e -> e.pd.allocMemory(64, 8, 0));
    busy(s, "PD", "AH", e -> e.pd, e -> e.pd.createAh(e.self));
    busy(s, "PD", "QP", e -> e.pd, e -> e.pd.createQp(e.init()));
    busy(s, "PD", "SRQ", e -> e.pd, LifeCases::srq, Cap.SRQ);
    busy(s, "PD", "MW", e -> e.pd, e -> e.pd.allocWindow(MwType.TYPE_1), Cap.MEM_WINDOW);
    busy(s, "CQ of sends", "QP", e -> e.sendCq, e -> e.pd.createQp(e.init()));
    busy(s, "CQ of receives", "QP", e -> e.recvCq, e -> e.pd.createQp(e.init()));
    s.end(
        "an SRQ in use by a QP is not closed; IbBusyException names it, then it is closed",
        (t, e) -> {
          SharedReceiveQueue used = t.later(srq(e));
          check(e, used, "QP", x -> x.pd.createQp(x.init().withSrq(used)));
        },
        Cap.SRQ);
    s.end(
        "a creation that fails gives every reference back (B11)",
        (t, e) -> {
          int pd = e.pd.useCount();
          int cq = e.sendCq.useCount();
          CompletionQueue closed = e.device.createCq(new CqInit(8));
          closed.close();
          QpInit bad = e.init().withRecvCq(closed);
          Assertions.assertThrows(IbInvalidException.class, () -> e.pd.createQp(bad));
          Assertions.assertEquals(pd, e.pd.useCount());
          Assertions.assertEquals(cq, e.sendCq.useCount());
        });
    s.lossless()
        .pair(
            "an address handle closed right after the post: the datagram arrives (S5)",
            (t, p) -> {
              for (int i = 0; i < 20; i++) {
                p.b.receive(i, 0, 64);
                AddressHandle ah = p.a.pd.createAh(t.bench.path(p.a.device, p.b.device));
                var wr = p.a.wr(WrOpcode.SEND, i, 0, 8).ah(ah).remoteQpn(p.b.qp.qpn());
                p.a.send(wr.remoteQkey(End.QKEY));
                ah.close();
                Await.success(p.b.recvCq, i);
                Await.success(p.a.sendCq, i);
              }
            },
            Cap.UD);
  }

  private static void busy(
      Catalogue.Section s,
      String used,
      String user,
      Function<End, IbObject> of,
      Function<End, IbObject> maker,
      Cap... needs) {
    s.end(
        "a " + used + " in use by a " + user + " is not closed; IbBusyException names it",
        (t, e) -> check(e, of.apply(e), user, maker),
        needs);
  }

  private static void check(End e, IbObject used, String kind, Function<End, IbObject> maker) {
    int before = used.useCount();
    IbObject user = maker.apply(e);
    try {
      Assertions.assertEquals(before + 1, used.useCount(), "useCount (S48)");
      Assertions.assertTrue(used.users().contains(user), "users");
      IbBusyException busy = Assertions.assertThrows(IbBusyException.class, used::close);
      Assertions.assertTrue(
          busy.users().stream().anyMatch(u -> u.startsWith(kind + " " + user.id())),
          () -> kind + " " + user.id() + " is named in " + busy.users());
    } finally {
      user.close();
    }
    Assertions.assertEquals(before, used.useCount(), "the reference is given back");
    Assertions.assertTrue(used.control().isLive(), "a refused close changes nothing");
  }

  private static void twice(Catalogue.Section s) {
    s.add(
        "closing everything twice does nothing the second time",
        t -> {
          End e = t.end(t.left(), Shape.of(QpType.RC).withSrq());
          e.ah(e.self);
          e.close();
          e.close();
          Assertions.assertEquals(0, e.pd.useCount());
        },
        Cap.SRQ);
    for (String kind : List.of("QP", "CQ", "MR", "AH", "PD")) {
      s.add(
          "two threads close one " + kind + ": both return, it is destroyed once",
          t -> {
            for (int i = 0; i < 50; i++) {
              End e = t.end(t.left(), Shape.of(QpType.RC));
              IbObject o =
                  switch (kind) {
                    case "QP" -> e.qp;
                    case "CQ" -> e.device.createCq(new CqInit(8));
                    case "MR" -> e.pd.allocMemory(64, 8, 0);
                    case "AH" -> e.pd.createAh(e.self);
                    default -> e.device.allocPd();
                  };
              Thread other = Thread.ofPlatform().start(o::close);
              o.close();
              Await.end(other);
              Assertions.assertFalse(o.control().isLive());
              e.close();
            }
          });
    }
  }

  private static void refused(Executable... calls) {
    for (int i = 0; i < calls.length; i++) {
      Executable call = calls[i];
      Assertions.assertThrows(IbInvalidException.class, call, "call " + i);
    }
  }

  private static void gone(int... statuses) {
    for (int i = 0; i < statuses.length; i++) {
      Assertions.assertEquals(PostStatus.GONE, statuses[i], "call " + i);
    }
  }

  private static void after(Catalogue.Section s) {
    s.pair(
        "a closed QP refuses control calls and answers posts with GONE",
        (t, p) -> {
          p.a.qp.close();
          var wr = p.a.wr(WrOpcode.SEND, 1, 0, 8);
          refused(
              p.a.qp::query, p.a.qp::drain, () -> p.a.qp.modify(new QpAttr().state(QpState.ERR)));
          gone(
              p.a.qp.postSend(wr),
              Form.BUILDER.post(p.a.qp, wr),
              p.a.qp.postReceive(1, p.a.lkey(), p.a.addr(), 8),
              p.a.qp.postReceive(new RecvWr(1).addSge(p.a.lkey(), p.a.addr(), 8)));
        });
    s.add(
        "a closed CQ refuses control calls and answers polls with GONE",
        t -> {
          CompletionQueue cq = t.left().createCq(new CqInit(8));
          cq.close();
          gone(cq.poll(Account.batch(1), 1), cq.requestNotify(NotifyFlags.NEXT_COMP));
          Assertions.assertFalse(cq.startPoll());
          t.assume(cq.device().has(Cap.CQ_RESIZE), "a CQ cannot be resized");
          refused(() -> cq.resize(16));
        });
    s.end(
        "a closed SRQ refuses control calls and answers posts with GONE",
        (t, e) -> {
          SharedReceiveQueue srq = srq(e);
          srq.close();
          refused(() -> srq.modify(new SrqAttr(0, 0, 1)));
          gone(
              srq.postReceive(1, e.lkey(), e.addr(), 8),
              srq.postReceive(new RecvWr(1).addSge(e.lkey(), e.addr(), 8)));
        },
        Cap.SRQ);
    s.end(
        "a closed PD makes nothing",
        (t, e) -> {
          var pd = e.device.allocPd();
          pd.close();
          refused(
              () -> pd.allocMemory(64, 8, 0),
              () -> pd.registerMemory(e.mr.segment(), 0),
              () -> pd.createAh(e.self),
              () -> pd.createAhSleepable(e.self),
              () -> pd.createQp(e.init()));
        });
    afterMore(s);
  }

  private static void afterMore(Catalogue.Section s) {
    s.pair(
        "a closed AH is not modified, and not posted with",
        (t, p) -> {
          AddressHandle ah = p.a.pd.createAh(p.a.self);
          ah.close();
          refused(() -> ah.modify(p.a.self));
        },
        Cap.UD);
    s.end(
        "a closed MR is not registered anew",
        (t, e) -> {
          var mr = e.pd.allocMemory(64, 8, 0);
          mr.close();
          refused(() -> mr.reregister(null, 0));
        },
        Cap.REREG_MR);
  }

  private static void foreign(Catalogue.Section s) {
    s.end(
        "a QP does not take a CQ of another device",
        (t, a) -> {
          End b = t.end(t.right(), Shape.of(QpType.RC));
          refused(
              () -> a.pd.createQp(a.init().withRecvCq(b.recvCq)), () -> b.pd.createQp(a.init()));
        });
    s.end(
        "a QP does not take a CQ of another client",
        (t, a) -> {
          try (var lease = t.bench.core().lease(t.name(0), Trial.OWNER + " other");
              var cq = lease.device().createCq(new CqInit(8))) {
            refused(() -> a.pd.createQp(a.init().withRecvCq(cq)));
          }
        });
    s.end(
        "a QP does not take an SRQ of another device",
        (t, a) -> {
          End b = t.end(t.right(), Shape.of(QpType.RC));
          SharedReceiveQueue srq = t.later(srq(b));
          refused(() -> a.pd.createQp(a.init().withSrq(srq)));
        },
        Cap.SRQ);
  }
}
