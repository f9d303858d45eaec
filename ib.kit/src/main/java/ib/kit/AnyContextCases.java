package ib.kit;

import ib.core.verbs.AddressHandle;
import ib.core.verbs.Cap;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.CqInit;
import ib.core.verbs.MemoryRegion;
import ib.core.verbs.NotifyFlags;
import ib.core.verbs.PostStatus;
import ib.core.verbs.QpAttr;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.SendWr;
import ib.core.verbs.SharedReceiveQueue;
import ib.core.verbs.WorkCompletion;
import ib.core.verbs.WrOpcode;
import java.util.function.IntSupplier;
import org.junit.jupiter.api.Assertions;

/** The methods that any context may call: none sleeps, parks or stands before a lock (S2-S10). */
final class AnyContextCases {
  private AnyContextCases() {}

  /**
   * A method under test.
   *
   * @param call calls the method once
   * @param control calls, on another thread, what belongs to the same object and may sleep
   */
  private record Method(Runnable call, Runnable control) {}

  /** Makes the objects that a method needs. */
  @FunctionalInterface
  private interface Maker {
    Method make(Trial t);
  }

  static void add(Catalogue c) {
    Catalogue.Section s = c.section("CTX", 1, "any context: no method blocks", Cap.RC);
    method(s, "createAh and its close (S2, S5)", AnyContextCases::createAh);
    method(s, "modify and query of an address handle (S3, S4)", AnyContextCases::ah);
    method(s, "postSend (S6)", t -> send(t, Form.LIST));
    method(s, "a builder batch (S6)", t -> send(t, Form.BUILDER));
    method(s, "postReceive (S7)", AnyContextCases::receive);
    method(s, "postReceive of a shared queue (S7)", AnyContextCases::shared, Cap.SRQ);
    method(s, "poll (S8)", AnyContextCases::poll);
    method(s, "startPoll to endPoll (S8)", AnyContextCases::lazyPoll);
    method(s, "requestNotify (S9)", AnyContextCases::arm);
    method(s, "map of a fast registration (S10)", AnyContextCases::map, Cap.MEM_MGT_EXTENSIONS);
  }

  private static void method(Catalogue.Section s, String name, Maker maker, Cap... needs) {
    s.add(name + " never blocks its caller", t -> Blocked.never(name, maker.make(t).call()), needs);
    s.add(
        name + " never blocks its caller, beside calls that may sleep",
        t -> {
          Method m = maker.make(t);
          Blocked.never(name, m.call(), m.control());
        },
        needs);
  }

  private static Method createAh(Trial t) {
    End e = t.end(t.left(), Shape.of(QpType.RC));
    return new Method(
        () -> e.pd.createAh(e.self).close(), () -> e.pd.allocMemory(64, 8, Shape.ALL).close());
  }

  private static Method ah(Trial t) {
    End e = t.end(t.left(), Shape.of(QpType.RC));
    AddressHandle ah = t.later(e.pd.createAh(e.self));
    return new Method(
        () -> {
          ah.modify(e.self);
          Assertions.assertEquals(e.self, ah.query());
        },
        () -> e.pd.allocMemory(64, 8, Shape.ALL).close());
  }

  private static Method send(Trial t, Form form) {
    Pair p = t.pair(Shape.of(QpType.RC));
    SendWr wr = p.a.wr(WrOpcode.RDMA_WRITE, 0, 0, 8, p.b, 0);
    WorkCompletion[] batch = Account.batch(4);
    return new Method(
        () -> {
          Subjects.usual(form.post(p.a.qp, wr));
          p.a.sendCq.poll(batch, batch.length);
        },
        () -> {
          p.a.qp.modify(new QpAttr().state(QpState.RTS).accessFlags(Shape.ALL));
          p.a.qp.query();
        });
  }

  private static Method receive(Trial t) {
    Pair p = t.pair(Shape.of(QpType.RC));
    return receiving(
        p,
        () -> p.b.qp.postReceive(1, p.b.lkey(), p.b.addr(), 8),
        () -> {
          p.b.qp.modify(new QpAttr().state(QpState.RTS).accessFlags(Shape.ALL));
          p.b.qp.query();
        });
  }

  private static Method shared(Trial t) {
    Pair p = t.pair(Shape.of(QpType.RC).withSrq());
    SharedReceiveQueue srq = p.b.srq;
    Assertions.assertNotNull(srq);
    return receiving(p, () -> srq.postReceive(1, p.b.lkey(), p.b.addr(), 8), srq::query);
  }

  /** A method that posts a receive, which a send of the peer uses up. */
  private static Method receiving(Pair p, IntSupplier post, Runnable control) {
    SendWr wr = p.a.wr(WrOpcode.SEND, 0, 0, 8);
    WorkCompletion[] batch = Account.batch(4);
    return new Method(
        () -> {
          Subjects.usual(post.getAsInt());
          Subjects.usual(p.a.qp.postSend(wr));
          p.a.sendCq.poll(batch, batch.length);
          p.b.recvCq.poll(batch, batch.length);
        },
        control);
  }

  private static Method poll(Trial t) {
    Armed a = Armed.of(t, new Probe());
    WorkCompletion[] batch = Account.batch(4);
    return completing(a, () -> a.cq().poll(batch, batch.length));
  }

  private static Method lazyPoll(Trial t) {
    Armed a = Armed.of(t, new Probe());
    return completing(
        a,
        () -> {
          if (!a.cq().startPoll()) {
            return 0;
          }
          Assertions.assertEquals(0, a.cq().wrId());
          a.cq().endPoll();
          return 1;
        });
  }

  private static Method arm(Trial t) {
    Armed a = Armed.of(t, new Probe());
    WorkCompletion[] batch = Account.batch(4);
    return completing(
        a,
        () -> {
          a.cq().requestNotify(NotifyFlags.NEXT_COMP | NotifyFlags.REPORT_MISSED_EVENTS);
          return a.cq().poll(batch, batch.length);
        });
  }

  /** A method of a queue that has a completion each time, as far as the queue goes. */
  private static Method completing(Armed a, IntSupplier call) {
    CompletionQueue cq = a.cq();
    int[] waiting = {0};
    return new Method(
        () -> {
          if (waiting[0] < End.CQ_ENTRIES / 2
              && Subjects.usual(a.flood().tryOne(0)) == PostStatus.OK) {
            waiting[0]++;
          }
          waiting[0] -= call.getAsInt();
        },
        () -> {
          if (cq.device().has(Cap.CQ_RESIZE)) {
            cq.resize(End.CQ_ENTRIES);
          } else {
            cq.device().createCq(new CqInit(8)).close();
          }
        });
  }

  private static Method map(Trial t) {
    End e = t.end(t.left(), Shape.of(QpType.RC));
    MemoryRegion mr = t.later(e.pd.allocFastRegistration(2));
    return new Method(
        () -> mr.map(e.mr.segment().asSlice(0, 64), e.mr.segment().asSlice(4096, 64)),
        () -> e.pd.allocMemory(64, 8, Shape.ALL).close());
  }
}
