package ib.kit;

import ib.core.verbs.Access;
import ib.core.verbs.Cap;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.CqInit;
import ib.core.verbs.EventType;
import ib.core.verbs.NotifyFlags;
import ib.core.verbs.QpAttr;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.SendFlags;
import ib.core.verbs.SendWr;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WrOpcode;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assertions;

/** Send queues that wait: at fences (IBA 10.8.3.3) and in SQD (10.3.1.5); and moderated queues. */
final class SendQueueCases {
  private SendQueueCases() {}

  static void add(Catalogue c) {
    fences(c.section("SQ", 1, "send queue: fences", Cap.RC));
    drained(c.section("SQ", 21, "send queue: SQD", Cap.RC));
    moderated(c.section("CALL", 91, "callbacks: moderation", Cap.RC, Cap.CQ_MODERATION));
  }

  private static void fences(Catalogue.Section s) {
    for (WrOpcode op : List.of(WrOpcode.SEND, WrOpcode.RDMA_WRITE)) {
      for (Form form : Form.values()) {
        s.add(
            "RC fenced " + DataCases.words(op) + " carries what the read before brought, " + form,
            t -> carried(t, WrOpcode.RDMA_READ, op, form));
        s.add(
            "RC fenced " + DataCases.words(op) + " carries what the atomic before found, " + form,
            t -> carried(t, WrOpcode.ATOMIC_FETCH_AND_ADD, op, form),
            Cap.ATOMICS);
      }
    }
    s.pair(
        "RC a fence behind nothing but writes, in an empty queue, twice in a row",
        SendQueueCases::idle);
  }

  /**
   * The second request sends on the data that the first brings to the start of this end's memory.
   */
  private static void carried(Trial t, WrOpcode brings, WrOpcode carries, Form form) {
    Pair p = t.pair(Shape.of(QpType.RC).access(Shape.ALL | Access.REMOTE_ATOMIC));
    for (int i = 1; i <= 50; i++) {
      p.a.mr.segment().set(ValueLayout.JAVA_LONG, 0, -1);
      p.b.mr.segment().set(ValueLayout.JAVA_LONG, 0, i);
      p.b.receive(3, 512, 8);
      SendWr second = p.a.wr(carries, 2, 0, 8, p.b, 512);
      second.flags(SendFlags.SIGNALED | SendFlags.FENCE);
      SendWr first = p.a.wr(brings, 1, 0, 8, p.b, 0).compareAdd(1).next(second);
      Assertions.assertEquals(0, form.post(p.a.qp, first));
      Await.success(p.a.sendCq, 1);
      Await.success(p.a.sendCq, 2);
      if (carries == WrOpcode.SEND) {
        Await.success(p.b.recvCq, 3);
      } else {
        p.a.send(p.a.wr(WrOpcode.SEND, 4, 0, 0));
        Await.success(p.a.sendCq, 4);
        Await.success(p.b.recvCq, 3);
      }
      Assertions.assertEquals(i, p.b.mr.segment().get(ValueLayout.JAVA_LONG, 512));
    }
  }

  private static void idle(Trial t, Pair p) {
    for (int i = 0; i < 10; i++) {
      SendWr second = p.a.wr(WrOpcode.RDMA_WRITE, 2L * i + 1, 0, 8, p.b, 0);
      second.flags(SendFlags.SIGNALED | SendFlags.FENCE);
      SendWr first = p.a.wr(WrOpcode.RDMA_WRITE, 2L * i, 0, 5000, p.b, 0).next(second);
      first.flags(SendFlags.SIGNALED | SendFlags.FENCE);
      p.a.send(first);
    }
    for (int i = 0; i < 20; i++) {
      Await.success(p.a.sendCq, i);
    }
  }

  private static void sqd(Pair p) {
    p.a.qp.modify(new QpAttr().state(QpState.SQD).enSqdAsyncNotify(true));
  }

  private static void drained(Catalogue.Section s) {
    s.pair(
        "RC what was begun is finished in SQD, then SQ_DRAINED; the rest waits for RTS, in order",
        (t, p) -> {
          p.a.send(p.a.wr(WrOpcode.SEND, 0, 0, 8)); // the receiver is not ready
          sqd(p);
          for (int i = 1; i <= 5; i++) {
            p.a.send(p.a.wr(WrOpcode.RDMA_WRITE, i, 0, 3000, p.b, 0));
          }
          Assertions.assertFalse(p.a.heard(EventType.SQ_DRAINED), "a send is under way");
          p.b.receive(9, 0, 8);
          Await.success(p.a.sendCq, 0);
          p.a.awaitEvent(EventType.SQ_DRAINED);
          Await.empty(p.a.sendCq, "held in SQD");
          p.a.qp.modify(new QpAttr().state(QpState.RTS));
          for (int i = 1; i <= 5; i++) {
            Await.success(p.a.sendCq, i);
          }
        });
    s.pair(
        "RC in SQD the peer's requests are executed",
        (t, p) -> {
          sqd(p);
          new Pair(p.b, p.a).ping(t);
          Await.empty(p.a.sendCq, "nothing was posted");
        });
    s.pair(
        "RC attributes changed in SQD are returned by query and take effect",
        (t, p) -> {
          sqd(p);
          p.a.awaitEvent(EventType.SQ_DRAINED);
          QpAttr change = new QpAttr().state(QpState.SQD).timeout(9).retryCount(2).rnrRetry(0);
          p.a.qp.modify(change.maxRdAtomic(1).minRnrTimer(3).accessFlags(Access.REMOTE_READ));
          QpAttr q = p.a.qp.query();
          Assertions.assertEquals(9, q.timeout());
          Assertions.assertEquals(2, q.retryCount());
          Assertions.assertEquals(0, q.rnrRetry());
          Assertions.assertEquals(1, q.maxRdAtomic());
          Assertions.assertEquals(3, q.minRnrTimer());
          Assertions.assertEquals(Access.REMOTE_READ, q.accessFlags());
          p.a.qp.modify(new QpAttr().state(QpState.RTS));
          p.a.send(p.a.wr(WrOpcode.SEND, 1, 0, 8)); // no receive, no retries
          Await.status(p.a.sendCq, 1, WcStatus.RNR_RETRY_EXC_ERR);
        });
    s.pair(
        "RC from SQD to ERR: what was held is flushed in order",
        (t, p) -> {
          sqd(p);
          for (int i = 0; i < 5; i++) {
            p.a.send(p.a.wr(WrOpcode.SEND, i, 0, 8));
          }
          p.a.error();
          for (int i = 0; i < 5; i++) {
            Await.status(p.a.sendCq, i, WcStatus.WR_FLUSH_ERR);
          }
        });
  }

  /** A consumer that empties its queue and arms it again. */
  private static final class Eager {
    final AtomicInteger calls = new AtomicInteger();
    final AtomicInteger seen = new AtomicInteger();

    void handle(CompletionQueue cq, @Nullable Object context) {
      calls.incrementAndGet();
      do {
        while (cq.poll(Account.batch(1), 1) == 1) {
          seen.incrementAndGet();
        }
      } while (cq.requestNotify(NotifyFlags.NEXT_COMP | NotifyFlags.REPORT_MISSED_EVENTS) > 0);
    }
  }

  private static void moderated(Catalogue.Section s) {
    s.add(
        "the consumer is notified of every completion, by count or by time",
        t -> moderated(t, 8, 500, 300));
    s.add(
        "the consumer is notified of fewer than the count when the time is over",
        t -> moderated(t, 1000, 200, 3));
    s.add(
        "moderation turned off: a waiting consumer is notified",
        t -> {
          Eager eager = new Eager();
          CompletionQueue cq = t.left().createCq(new CqInit(64, eager::handle, null));
          Pair p = pair(t, cq);
          cq.moderate(1000, 65_535);
          cq.requestNotify(NotifyFlags.NEXT_COMP);
          p.a.send(p.a.wr(WrOpcode.RDMA_WRITE, 1, 0, 8, p.b, 0));
          cq.moderate(0, 0);
          Await.until("the completion", () -> eager.seen.get() == 1);
        });
  }

  private static Pair pair(Trial t, CompletionQueue sends) {
    Shape shape = Shape.of(QpType.RC);
    End a = t.end(t.left(), shape, sends, null);
    return new Pair(a, t.end(t.right(), shape)).connect(t.bench);
  }

  private static void moderated(Trial t, int count, int periodUs, int requests) {
    Eager eager = new Eager();
    CompletionQueue cq = t.left().createCq(new CqInit(512, eager::handle, null));
    Pair p = pair(t, cq);
    cq.moderate(count, periodUs);
    cq.requestNotify(NotifyFlags.NEXT_COMP);
    for (int i = 0; i < requests; i++) {
      SendWr wr = p.a.wr(WrOpcode.RDMA_WRITE, i, 0, 8, p.b, 0);
      Await.until("room", () -> p.a.qp.postSend(wr) == 0);
    }
    Await.until(requests + " completions", () -> eager.seen.get() == requests);
    Assertions.assertTrue(eager.calls.get() <= requests, () -> eager.calls + " calls");
  }
}
