package ib.kit;

import ib.core.verbs.Cap;
import ib.core.verbs.CqInit;
import ib.core.verbs.EventType;
import ib.core.verbs.PostStatus;
import ib.core.verbs.QpAttr;
import ib.core.verbs.QpInit;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.SendWr;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WorkCompletion;
import ib.core.verbs.WrOpcode;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Assertions;

/** Every accepted request completes exactly once and in order, whatever happens (B20, F15). */
final class FlushCases {
  private static final int COUNT = 12;

  private FlushCases() {}

  static void add(Catalogue c) {
    for (QpType type : List.of(QpType.RC, QpType.UC, QpType.UD)) {
      int first = 1 + 20 * (type == QpType.RC ? 0 : type == QpType.UC ? 1 : 2);
      of(c.section("FLUSH", first, "flush: " + type, DataOptionCases.cap(type)), type);
    }
    Catalogue.Section s = c.section("FLUSH", 61, "flush: queues", Cap.RC);
    s.pair(
        "CQ overrun: CQ_ERR, its queue pairs in ERR, nothing overwritten (F14)",
        FlushCases::overrun);
    s.add(
        "RC on an SRQ: QP_LAST_WQE_REACHED, the SRQ keeps its receives", t -> lastWqe(t), Cap.SRQ);
    s.add(
        "SRQ receives left over are discarded with the SRQ",
        t -> {
          Pair p = t.pair(Shape.of(QpType.RC).withSrq());
          p.ping(t);
          p.b.receive(1, 0, 64);
          p.b.close();
          Assertions.assertEquals(PostStatus.GONE, p.b.recvCq.poll(Account.batch(1), 1));
        },
        Cap.SRQ);
  }

  private static void of(Catalogue.Section s, QpType type) {
    Shape shape = Shape.of(type);
    s.add(
        type + " modify(ERR) flushes sends and receives in order, unsignaled ones too",
        t -> {
          Pair p = held(t, shape);
          p.a.error();
          flushed(p);
        });
    s.add(
        type + " posts in ERR are accepted and flushed (IBA 10.3.1.7)",
        t -> {
          Pair p = t.pair(shape);
          p.a.error();
          p.a.send(p.aim(p.a.wr(WrOpcode.SEND, 1, 0, 8), t));
          Await.status(p.a.sendCq, 1, WcStatus.WR_FLUSH_ERR);
          p.a.receive(2, 0, 8);
          Await.status(p.a.recvCq, 2, WcStatus.WR_FLUSH_ERR);
        });
    s.add(
        type + " drain: when it returns every completion lies in its queue (B20)",
        t -> {
          Pair p = held(t, shape);
          p.a.qp.drain();
          for (int i = 0; i < COUNT; i++) {
            there(p.a.sendCq.poll(Account.batch(1), 1));
            there(p.a.recvCq.poll(Account.batch(1), 1));
          }
        });
    s.add(
        type + " close with requests outstanding: they are flushed, each once",
        t -> {
          Pair p = held(t, shape);
          p.a.qp.close();
          flushed(p);
        });
    s.add(
        type + " RESET discards without completions, and the queue pair is as new (IBA 10.3.1.2)",
        t -> {
          Pair p = held(t, shape);
          p.a.qp.modify(new QpAttr().state(QpState.RESET));
          p.b.qp.modify(new QpAttr().state(QpState.RESET));
          Await.empty(p.a.sendCq, "RESET discards");
          Await.empty(p.a.recvCq, "RESET discards");
          p.connect(t.bench).ping(t);
        });
    s.add(
        type + " SQD holds what is posted, says SQ_DRAINED, and RTS goes on in order",
        t -> sqd(t, shape));
    ofMore(s, type);
  }

  private static void ofMore(Catalogue.Section s, QpType type) {
    Shape shape = Shape.of(type);
    s.add(
        type + " modify(ERR) against posters: posted == completed, 20 times",
        t -> race(t, shape, false));
    s.add(
        type + " close against posters: posted == completed, 20 times", t -> race(t, shape, true));
    s.add(
        type + " ERR to ERR and RESET to RESET change nothing",
        t -> {
          Pair p = t.pair(shape);
          p.a.error();
          p.a.error();
          p.a.qp.modify(new QpAttr().state(QpState.RESET));
          p.a.qp.modify(new QpAttr().state(QpState.RESET));
          p.a.qp.drain();
          Assertions.assertEquals(QpState.RESET, p.a.qp.state());
        });
  }

  private static void there(int polled) {
    Assertions.assertEquals(1, polled, "a completion lies there");
  }

  /** A pair whose first end has sends held in SQD and receives, twelve each. */
  private static Pair held(Trial t, Shape shape) {
    Pair p = t.pair(shape);
    p.a.qp.modify(new QpAttr().state(QpState.SQD));
    for (int i = 0; i < COUNT; i++) {
      SendWr wr = p.aim(p.a.wr(WrOpcode.SEND, i, 0, 8), t);
      p.a.send(i % 3 == 1 ? wr.flags(0) : wr);
      p.a.receive(100 + i, 0, 64);
    }
    return p;
  }

  private static void flushed(Pair p) {
    for (int i = 0; i < COUNT; i++) {
      WorkCompletion wc = Await.status(p.a.sendCq, i, WcStatus.WR_FLUSH_ERR);
      Assertions.assertEquals(p.a.qp.qpn(), wc.qpn());
      Await.status(p.a.recvCq, 100 + i, WcStatus.WR_FLUSH_ERR);
    }
    Await.empty(p.a.sendCq, "each send once");
    Await.empty(p.a.recvCq, "each receive once");
  }

  private static void sqd(Trial t, Shape shape) {
    Pair p = t.pair(shape);
    p.a.qp.modify(new QpAttr().state(QpState.SQD).enSqdAsyncNotify(true));
    p.a.awaitEvent(EventType.SQ_DRAINED);
    for (int i = 0; i < 5; i++) {
      p.b.receive(10 + i, 0, 64);
      p.a.send(p.aim(p.a.wr(WrOpcode.SEND, i, 0, 8), t));
    }
    Assertions.assertEquals(QpState.SQD, p.a.qp.state());
    Await.empty(p.a.sendCq, "held");
    p.a.qp.modify(new QpAttr().state(QpState.RTS));
    for (int i = 0; i < 5; i++) {
      Await.success(p.a.sendCq, i);
      Await.success(p.b.recvCq, 10 + i);
    }
  }

  private static void race(Trial t, Shape shape, boolean close) throws Exception {
    for (int round = 0; round < 20; round++) {
      try (End a = new End(t.left(), shape, t.bench);
          End b = new End(t.right(), shape, t.bench)) {
        Pair p = new Pair(a, b).connect(t.bench);
        Account sends = new Account();
        Account receives = new Account();
        AtomicBoolean stop = new AtomicBoolean();
        SendWr wr = p.aim(a.wr(WrOpcode.SEND, 0, 0, 8), t);
        Thread poster =
            Thread.ofPlatform()
                .name("ib.kit poster")
                .start(() -> pump(a, wr, sends, receives, stop));
        Await.until("posts", () -> sends.accepted() > 20 || !poster.isAlive());
        if (close) {
          a.qp.close();
        } else {
          a.error();
          Await.until("flushes", () -> sends.accepted() > 300 || !poster.isAlive());
        }
        stop.set(true);
        Await.end(poster);
        sends.settle(a.sendCq).assertExact();
        receives.settle(a.recvCq).assertExact();
      }
    }
  }

  private static void pump(End a, SendWr wr, Account sends, Account receives, AtomicBoolean stop) {
    WorkCompletion[] batch = Account.batch(8);
    int status = PostStatus.OK;
    while (!stop.get() && sends.accepted() < 5_000 && status != PostStatus.GONE) {
      status = sends.post(id -> a.qp.postSend(wr.wrId(id)));
      receives.post(id -> a.qp.postReceive(id, a.lkey(), a.addr(), 64));
      sends.take(a.sendCq, batch);
      receives.take(a.recvCq, batch);
    }
  }

  private static void overrun(Trial t, Pair p) {
    End a = p.a;
    var cq =
        t.later(a.device.createCq(new CqInit(4, 0, null, (e, x) -> a.events.add(e), null, null)));
    var qp = t.later(a.pd.createQp(new QpInit(QpType.RC, cq, a.shape.cap())));
    int entries = cq.entries();
    qp.modify(new QpAttr().state(QpState.INIT).pkeyIndex(0).port(1).accessFlags(Shape.ALL));
    t.assume(entries < Shape.DEPTH, "the smallest completion queue has " + entries + " entries");
    for (int i = 0; i <= entries; i++) {
      Assertions.assertEquals(PostStatus.OK, qp.postReceive(i, a.lkey(), a.addr(), 8));
    }
    qp.modify(new QpAttr().state(QpState.ERR));
    a.awaitEvent(EventType.CQ_ERR);
    for (int i = 0; i < entries; i++) {
      WorkCompletion[] one = Account.batch(1);
      Assertions.assertEquals(1, cq.poll(one, 1), "what was there is kept");
      Assertions.assertEquals(i, one[0].wrId(), "nothing is overwritten");
    }
    Assertions.assertEquals(PostStatus.OVERRUN, cq.poll(Account.batch(1), 1));
    p.ping(t);
  }

  private static void lastWqe(Trial t) {
    Pair p = t.pair(Shape.of(QpType.RC).withSrq());
    p.b.receive(1, 0, 64);
    p.b.error();
    EventType event = t.raised(EventType.QP_LAST_WQE_REACHED);
    if (event != null) {
      p.b.awaitEvent(event);
    }
    Await.empty(p.b.recvCq, "receives of an SRQ are not flushed with a queue pair");
    End other = t.end(t.right(), Shape.of(QpType.RC));
    var srq = p.b.srq;
    Assertions.assertNotNull(srq);
    var qp = t.later(p.b.pd.createQp(other.init().withSrq(srq)));
    Assertions.assertEquals(QpState.RESET, qp.state());
  }
}
