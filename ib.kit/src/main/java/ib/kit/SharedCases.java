package ib.kit;

import ib.core.verbs.Cap;
import ib.core.verbs.EventType;
import ib.core.verbs.PostStatus;
import ib.core.verbs.QpType;
import ib.core.verbs.SharedReceiveQueue;
import ib.core.verbs.SrqAttr;
import ib.core.verbs.WorkCompletion;
import ib.core.verbs.WrOpcode;
import java.util.List;
import org.junit.jupiter.api.Assertions;

/** Shared receive queues (IBA 10.2.9). */
final class SharedCases {
  private SharedCases() {}

  static void add(Catalogue c) {
    Catalogue.Section s = c.section("DATA", 401, "data: SRQ", Cap.SRQ).shaped(Shape::withSrq);
    for (QpType type : List.of(QpType.RC, QpType.UC, QpType.UD)) {
      if (type != QpType.RC) {
        s.lossless();
      }
      for (WrOpcode op : DataCases.UD_OPS) {
        s.pair(
            type
                + " "
                + DataCases.words(op)
                + " into an SRQ, 0, 1 and 1000 B, in one and four pieces",
            (t, p) -> {
              for (int size : new int[] {0, 1, 1000}) {
                new Transfer(t, p, op, size).run();
                new Transfer(t, p, op, size).sges(4, 4).run();
              }
            },
            DataOptionCases.cap(type));
      }
    }
    s.add("two queue pairs take from one SRQ in its order", t -> two(t), Cap.RC);
    s.pair(
        "a queue pair on an SRQ has no receive queue of its own: INVALID",
        (t, p) ->
            Assertions.assertEquals(
                PostStatus.INVALID, p.b.qp.postReceive(1, p.b.lkey(), p.b.addr(), 8)),
        Cap.RC);
    s.pair(
        "a full SRQ is QUEUE_FULL and takes again when one was used",
        (t, p) -> {
          SharedReceiveQueue srq = srq(p.b);
          int n = srq.query().maxWr();
          for (int i = 0; i < n; i++) {
            p.b.receive(i, 0, 8);
          }
          Assertions.assertEquals(
              PostStatus.QUEUE_FULL, srq.postReceive(99, p.b.lkey(), p.b.addr(), 8));
          p.a.send(p.a.wr(WrOpcode.SEND, 1, 0, 8));
          Await.success(p.b.recvCq, 0);
          Await.success(p.a.sendCq, 1);
          p.b.receive(n, 0, 8);
        },
        Cap.RC);
    s.pair(
        "SRQ_LIMIT_REACHED comes once when fewer are left, and again when armed anew",
        SharedCases::limit,
        Cap.RC);
  }

  static SharedReceiveQueue srq(End e) {
    SharedReceiveQueue srq = e.srq;
    if (srq == null) {
      throw new AssertionError("made without an SRQ");
    }
    return srq;
  }

  private static void two(Trial t) {
    Shape shape = Shape.of(QpType.RC);
    Pair p = t.pair(shape.withSrq());
    End c = t.end(t.left(), shape);
    End b = p.b;
    try (var qp = b.pd.createQp(b.init())) {
      End second = b.with(qp);
      Pair q = new Pair(c, second).connect(t.bench);
      for (int i = 0; i < 20; i++) {
        b.receive(i, 0, 8);
      }
      for (int i = 0; i < 20; i++) {
        Pair from = i % 3 == 0 ? q : p;
        from.a.send(from.a.wr(WrOpcode.SEND, i, 0, 8));
        WorkCompletion wc = Await.success(b.recvCq, i);
        Assertions.assertEquals(from.b.qp.qpn(), wc.qpn(), "whose completion it is");
        Await.success(from.a.sendCq, i);
      }
    }
  }

  private static void limit(Trial t, Pair p) {
    SharedReceiveQueue srq = srq(p.b);
    for (int round = 1; round <= 2; round++) {
      for (int i = 0; i < 6; i++) {
        p.b.receive(i, 0, 8);
      }
      srq.modify(new SrqAttr(0, 0, 3));
      Assertions.assertEquals(3, srq.query().srqLimit());
      for (int i = 0; i < 6; i++) {
        p.a.send(p.a.wr(WrOpcode.SEND, i, 0, 8));
        Await.success(p.b.recvCq, i);
        Await.success(p.a.sendCq, i);
      }
      int n = round;
      Await.until("SRQ_LIMIT_REACHED", () -> limits(p.b) >= n);
      Assertions.assertEquals(n, limits(p.b), "once each time");
      Assertions.assertEquals(0, srq.query().srqLimit(), "no longer armed");
    }
    p.b.events.stream()
        .filter(e -> e.type() == EventType.SRQ_LIMIT_REACHED)
        .forEach(e -> Assertions.assertSame(srq, e.element()));
  }

  private static long limits(End e) {
    return e.events.stream().filter(x -> x.type() == EventType.SRQ_LIMIT_REACHED).count();
  }
}
