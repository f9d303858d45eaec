package ib.kit;

import ib.core.verbs.Cap;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.Cqe;
import ib.core.verbs.PollContext;
import ib.core.verbs.PostStatus;
import ib.core.verbs.QpType;
import ib.core.verbs.RecvWr;
import ib.core.verbs.SharedReceiveQueue;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WrOpcode;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Assertions;

/** Managed completion queues: the core polls, {@link Cqe#done} hears every request. */
final class ManagedCases {
  private static final int COUNT = 50;

  private ManagedCases() {}

  static void add(Catalogue c) {
    Catalogue.Section s = c.section("CALL", 61, "callbacks: managed queues", Cap.RC);
    for (PollContext where : PollContext.values()) {
      s.add(
          where + ": done() hears every request once, in order, one at a time", t -> all(t, where));
      s.add(where + ": done() may post; what it posts completes, too", t -> chain(t, where));
      s.add(
          where + ": a done() that throws does not stop the queue (F18)", t -> throwing(t, where));
    }
    for (PollContext where : List.of(PollContext.WORKQUEUE, PollContext.UNBOUND)) {
      s.add(where + ": done() closes the queue pair that completed (B21)", t -> closing(t, where));
    }
    s.add(
        "processDirect on a queue that is not DIRECT is INVALID",
        t -> {
          try (CompletionQueue cq = t.left().allocCq(8, 0, PollContext.WORKQUEUE)) {
            Assertions.assertEquals(PostStatus.INVALID, cq.processDirect(1));
          }
        });
    Shape own = Shape.of(QpType.RC);
    s.add("a receive of one element with its Cqe: done() hears it", t -> bare(t, own));
    s.add(
        "a shared receive of one element with its Cqe: done() hears it",
        t -> bare(t, own.withSrq()),
        Cap.SRQ);
  }

  /** A connected pair whose second end receives into a managed queue. */
  private static Pair managed(Trial t, PollContext where) {
    Shape shape = Shape.of(QpType.RC);
    End b = t.end(t.right(), shape, null, t.right().allocCq(128, 0, where));
    return new Pair(t.end(t.left(), shape), b).connect(t.bench);
  }

  private static void receive(End b, long wrId, Cqe cqe) {
    RecvWr wr = new RecvWr(1).wrId(wrId).cqe(cqe).addSge(b.lkey(), b.addr(), 8);
    SharedReceiveQueue srq = b.srq;
    Assertions.assertEquals(
        PostStatus.OK, srq == null ? b.qp.postReceive(wr) : srq.postReceive(wr));
  }

  private static void until(PollContext where, Pair p, AtomicInteger heard, int count) {
    Await.until(
        count + " calls of done()",
        () -> {
          if (where == PollContext.DIRECT) {
            p.b.recvCq.processDirect(7);
          }
          return heard.get() >= count;
        });
    Assertions.assertEquals(count, heard.get(), "each request once");
  }

  private static void all(Trial t, PollContext where) {
    Pair p = managed(t, where);
    Queue<Long> ids = new ConcurrentLinkedQueue<>();
    AtomicInteger heard = new AtomicInteger();
    AtomicInteger inside = new AtomicInteger();
    AtomicInteger wrong = new AtomicInteger();
    Cqe cqe =
        (cq, wc) -> {
          wrong.addAndGet(inside.incrementAndGet() == 1 ? 0 : 1);
          wrong.addAndGet(wc.status() == WcStatus.SUCCESS && cq.equals(p.b.recvCq) ? 0 : 1);
          ids.add(wc.wrId());
          inside.decrementAndGet();
          heard.incrementAndGet();
        };
    for (int i = 0; i < COUNT; i++) {
      receive(p.b, i, cqe);
    }
    for (int i = 0; i < COUNT; i++) {
      p.a.send(p.a.wr(WrOpcode.SEND, i, 0, 8).flags(0));
    }
    until(where, p, heard, COUNT);
    Assertions.assertEquals(LongStream.range(0, COUNT).boxed().toList(), List.copyOf(ids));
    Assertions.assertEquals(0, wrong.get(), "two at once, a failure or another queue");
  }

  /** Every second receive has a request of its own; the queue's slots are used several times. */
  private static void bare(Trial t, Shape shape) {
    End b = t.end(t.right(), shape, null, t.right().allocCq(128, 0, PollContext.WORKQUEUE));
    Pair p = new Pair(t.end(t.left(), shape), b).connect(t.bench);
    AtomicInteger listed = new AtomicInteger();
    AtomicInteger heard = new AtomicInteger();
    AtomicInteger wrong = new AtomicInteger();
    Cqe list = (cq, wc) -> listed.addAndGet(wc.wrId() == 7 ? 1 : COUNT);
    Cqe bare =
        (cq, wc) -> {
          wrong.addAndGet(wc.status() == WcStatus.SUCCESS && wc.wrId() == 0 ? 0 : 1);
          heard.incrementAndGet();
        };
    for (int lap = 1; lap <= 5; lap++) {
      for (int i = 0; i < COUNT; i += 2) {
        receive(b, 7, list);
        receive(b, bare);
      }
      for (int i = 1; i < COUNT; i++) {
        p.a.send(p.a.wr(WrOpcode.SEND, i, 0, 8).flags(0));
      }
      p.a.send(p.a.wr(WrOpcode.SEND, lap, 0, 8));
      Await.success(p.a.sendCq, lap); // the slots of the sends before it are free, too
      until(PollContext.WORKQUEUE, p, heard, lap * COUNT / 2);
      Assertions.assertEquals(lap * COUNT / 2, listed.get(), "each request its own callback");
    }
    Assertions.assertEquals(0, wrong.get(), "a failure, or the callback of another request");
  }

  private static void receive(End b, Cqe cqe) {
    SharedReceiveQueue srq = b.srq;
    Assertions.assertEquals(
        PostStatus.OK,
        srq == null
            ? b.qp.postReceive(cqe, b.lkey(), b.addr(), 8)
            : srq.postReceive(cqe, b.lkey(), b.addr(), 8));
  }

  private static void chain(Trial t, PollContext where) {
    Pair p = managed(t, where);
    AtomicInteger heard = new AtomicInteger();
    Cqe again =
        new Cqe() {
          @Override
          public void done(CompletionQueue cq, ib.core.verbs.WorkCompletion wc) {
            if (wc.wrId() + 1 < COUNT) {
              receive(p.b, wc.wrId() + 1, this);
            }
            heard.incrementAndGet();
          }
        };
    receive(p.b, 0, again);
    for (int i = 0; i < COUNT; i++) {
      p.a.send(p.a.wr(WrOpcode.SEND, i, 0, 8).flags(0)); // the later ones wait for a receive
    }
    until(where, p, heard, COUNT);
  }

  private static void throwing(Trial t, PollContext where) {
    Pair p = managed(t, where);
    AtomicInteger heard = new AtomicInteger();
    for (int i = 0; i < 5; i++) {
      receive(
          p.b,
          i,
          (cq, wc) -> {
            heard.incrementAndGet();
            throw new IllegalStateException("thrown by a done() of the suite");
          });
    }
    for (int i = 0; i < 5; i++) {
      p.a.send(p.a.wr(WrOpcode.SEND, i, 0, 8).flags(0));
    }
    until(where, p, heard, 5);
  }

  private static void closing(Trial t, PollContext where) {
    Pair p = managed(t, where);
    AtomicInteger heard = new AtomicInteger();
    AtomicReference<Throwable> thrown = new AtomicReference<>();
    receive(
        p.b,
        1,
        (cq, wc) -> {
          try {
            p.b.qp.close();
          } catch (RuntimeException e) {
            thrown.set(e);
          }
          heard.incrementAndGet();
        });
    p.a.send(p.a.wr(WrOpcode.SEND, 1, 0, 8).flags(0));
    until(where, p, heard, 1);
    Assertions.assertNull(thrown.get());
    Assertions.assertEquals(PostStatus.GONE, p.b.qp.postReceive(2, p.b.lkey(), p.b.addr(), 8));
  }
}
