package ib.kit;

import ib.core.verbs.AddressHandle;
import ib.core.verbs.Cap;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.CqInit;
import ib.core.verbs.IbContractException;
import ib.core.verbs.NotifyFlags;
import ib.core.verbs.QpType;
import ib.core.verbs.SendFlags;
import ib.core.verbs.SendWr;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WorkCompletion;
import ib.core.verbs.WrOpcode;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Assertions;

/** Completion handlers: never in the caller's chain, one at a time, none lost (S20-S26, B4-B7). */
final class CallbackCases {
  private CallbackCases() {}

  static void add(Catalogue c) {
    chain(c.section("CALL", 1, "callbacks: not in the caller's chain", Cap.RC));
    arming(c.section("CALL", 21, "callbacks: arming", Cap.RC));
    handlers(c.section("CALL", 41, "callbacks: one at a time, none lost", Cap.RC));
  }

  /** What a verbs call does that completes something. */
  @FunctionalInterface
  private interface Call {
    void on(Trial t, Pair p, Probe probe);
  }

  private static void chain(Catalogue.Section s) {
    chain(s, "postSend that succeeds", (t, p, probe) -> {
          p.b.receive(9, 0, 8);
          probe.during(() -> p.a.send(p.a.wr(WrOpcode.SEND, 1, 0, 8)));
        });
    chain(s, "a builder batch that succeeds", (t, p, probe) ->
            probe.during(
                () -> Form.BUILDER.post(p.a.qp, p.a.wr(WrOpcode.RDMA_WRITE, 1, 0, 8, p.b, 0))));
    chain(s, "postSend that is flushed (S21)", (t, p, probe) -> {
          p.a.error();
          probe.during(() -> p.a.send(p.a.wr(WrOpcode.SEND, 1, 0, 8)));
        });
    chain(s, "postReceive that is flushed", (t, p, probe) -> {
          p.a.error();
          probe.during(() -> p.a.receive(1, 0, 8));
        });
    chain(s, "modify(ERR) that flushes (B6)", (t, p, probe) -> {
          p.a.receive(1, 0, 8);
          probe.during(p.a::error);
        });
    chain(s, "drain that flushes", (t, p, probe) -> {
          p.a.receive(1, 0, 8);
          probe.during(p.a.qp::drain);
        });
    chain(s, "close that flushes", (t, p, probe) -> {
          p.a.receive(1, 0, 8);
          probe.during(p.a.qp::close);
        });
    chain(s, "the peer's postSend", (t, p, probe) -> {
          p.a.receive(1, 0, 8);
          probe.during(() -> p.b.send(p.b.wr(WrOpcode.SEND, 1, 0, 8)));
        });
    chain(s, "the peer's modify(ERR)", (t, p, probe) -> {
          p.a.send(p.a.wr(WrOpcode.SEND, 1, 0, 8)); // waits for a receive
          probe.during(p.b::error);
          p.a.error();
        });
    s.add("requestNotify and poll do not run the handler themselves", t -> {
          Probe probe = new Probe();
          End a = t.end(t.left(), Shape.of(QpType.RC));
          CompletionQueue cq = t.later(probe.cq(t.left()));
          Flood flood = t.later(new Flood(a, cq, 1, 1));
          flood.one(1);
          probe.during(() -> cq.requestNotify(NotifyFlags.NEXT_COMP));
          probe.during(() -> cq.poll(Account.batch(1), 1));
          flood.one(2);
          probe.awaitCalls(1);
        });
  }

  private static void chain(Catalogue.Section s, String what, Call call) {
    s.add(
        "the handler does not run on the stack of " + what + " (S20)",
        t -> {
          Probe probe = new Probe();
          Shape shape = Shape.of(QpType.RC).retries(7, 7);
          End a = t.end(t.left(), shape, probe.cq(t.left()), probe.cq(t.left()));
          Pair p = new Pair(a, t.end(t.right(), shape)).connect(t.bench());
          probe.arm(a.sendCq).arm(a.recvCq);
          call.on(t, p, probe);
          Await.until("a call", () -> probe.calls() > 0);
          probe.assertRight();
        });
  }

  /** One queue with a probe, and completions on it at will. */
  private record Armed(Probe probe, CompletionQueue cq, Flood flood) {
    static Armed of(Trial t, Probe probe) {
      End a = t.end(t.left(), Shape.of(QpType.RC));
      CompletionQueue cq = t.later(probe.cq(t.left()));
      return new Armed(probe, cq, t.later(new Flood(a, cq, 1, 1)));
    }

    /** Whatever was going to be called has been called: a later call has come and gone. */
    void settle(int expected) {
      probe.arm(cq);
      flood.one(99);
      probe.awaitCalls(expected + 1);
      Assertions.assertEquals(expected + 1, probe.calls(), "calls of the handler");
    }
  }

  private static void arming(Catalogue.Section s) {
    s.add("a queue that is not armed calls nobody", t -> {
          Armed a = Armed.of(t, new Probe());
          a.flood.one(1);
          a.settle(0);
        });
    s.add("armed once, called once, however many completions come (S9)", t -> {
          Armed a = Armed.of(t, new Probe());
          a.probe.arm(a.cq);
          for (int i = 0; i < 10; i++) {
            a.flood.one(i);
          }
          a.probe.awaitCalls(1);
          a.settle(1);
        });
    s.add("arming twice is arming once", t -> {
          Armed a = Armed.of(t, new Probe());
          a.probe.arm(a.cq).arm(a.cq);
          a.flood.one(1);
          a.probe.awaitCalls(1);
          a.settle(1);
        });
    s.add("REPORT_MISSED_EVENTS tells of completions that wait, and of none (B7)", t -> {
          Armed a = Armed.of(t, new Probe());
          int flags = NotifyFlags.NEXT_COMP | NotifyFlags.REPORT_MISSED_EVENTS;
          Assertions.assertEquals(0, a.cq.requestNotify(flags));
          a.flood.one(1);
          a.probe.awaitCalls(1);
          Assertions.assertTrue(a.cq.requestNotify(flags) > 0, "one waits");
          Await.next(a.cq);
          Assertions.assertEquals(0, a.cq.requestNotify(flags));
        });
    s.add("the context given at creation reaches the handler (S49)", t -> {
          Armed a = Armed.of(t, new Probe());
          a.settle(0);
          Assertions.assertSame(a.probe, a.probe.context());
          Assertions.assertSame(a.probe, a.cq.context());
        });
    s.add("SOLICITED does not wake for an unsolicited completion, and does for a solicited", t -> solicited(t));
    s.add("SOLICITED wakes for a failed completion", t -> {
          Armed a = Armed.of(t, new Probe());
          Assertions.assertEquals(0, a.cq.requestNotify(NotifyFlags.SOLICITED));
          a.flood.one(1);
          a.probe.awaitCalls(1);
        });
    s.add("SOLICITED on a write with immediate wakes", t -> {
          Probe probe = new Probe();
          End b = t.end(t.right(), Shape.of(QpType.RC), null, probe.cq(t.right()));
          Pair p = new Pair(t.end(t.left(), Shape.of(QpType.RC)), b).connect(t.bench());
          Assertions.assertEquals(0, b.recvCq.requestNotify(NotifyFlags.SOLICITED));
          b.receive(1, 0, 8);
          SendWr wr = p.a.wr(WrOpcode.RDMA_WRITE_WITH_IMM, 1, 0, 8, b, 0);
          p.a.send(wr.flags(SendFlags.SIGNALED | SendFlags.SOLICITED));
          probe.awaitCalls(1);
        });
    s.add("a handler is called on every completion vector", t -> {
          End a = t.end(t.left(), Shape.of(QpType.RC));
          for (int v = 0; v < t.left().completionVectors(); v++) {
            Probe probe = new Probe();
            CqInit init = new CqInit(8, v, probe, null, null, null);
            try (CompletionQueue cq = t.left().createCq(init);
                Flood flood = new Flood(a, cq, 1, 1)) {
              probe.arm(cq);
              flood.one(1);
              probe.awaitCalls(1);
            }
          }
        });
  }

  private static void solicited(Trial t) {
    Probe probe = new Probe();
    End b = t.end(t.right(), Shape.of(QpType.RC), null, probe.cq(t.right()));
    Pair p = new Pair(t.end(t.left(), Shape.of(QpType.RC)), b).connect(t.bench());
    Assertions.assertEquals(0, b.recvCq.requestNotify(NotifyFlags.SOLICITED));
    for (int i = 0; i < 5; i++) {
      b.receive(i, 0, 8);
      p.a.send(p.a.wr(WrOpcode.SEND, i, 0, 8));
      Await.success(b.recvCq, i);
    }
    Assertions.assertEquals(0, probe.calls(), "woken by what was not solicited");
    b.receive(9, 0, 8);
    p.a.send(p.a.wr(WrOpcode.SEND, 9, 0, 8).flags(SendFlags.SIGNALED | SendFlags.SOLICITED));
    probe.awaitCalls(1);
    Assertions.assertEquals(1, probe.calls());
  }

  private static void handlers(Catalogue.Section s) {
    s.add("armed again first thing in the handler, three producers: one at a time, none lost (S24)",
        t -> rearmed(t, true));
    s.add("armed again last thing in the handler, three producers: none lost", t -> rearmed(t, false));
    s.add("arm, then poll once more: no completion is slept through (B7)",
        t -> sleeper(t, NotifyFlags.NEXT_COMP));
    s.add("arm with REPORT_MISSED_EVENTS: no completion is slept through (B7)",
        t -> sleeper(t, NotifyFlags.NEXT_COMP | NotifyFlags.REPORT_MISSED_EVENTS));
    s.add("the handler polls, arms, posts receives and sends: 500 rounds of ping-pong in it (B4)",
        CallbackCases::pingPong);
    s.add("the handler makes, reads, changes and closes address handles (S2-S5)", t -> {
          AtomicReference<Throwable> thrown = new AtomicReference<>();
          End e = t.end(t.left(), Shape.of(QpType.RC));
          Armed a = Armed.of(t, new Probe(cq -> {
                    try (AddressHandle ah = e.pd.createAh(e.self())) {
                      ah.modify(e.self());
                      Assertions.assertEquals(e.self(), ah.query());
                    } catch (RuntimeException | AssertionError x) {
                      thrown.set(x);
                    }
                  }));
          a.settle(0);
          Assertions.assertNull(thrown.get());
        });
    s.add("a control call in the handler is refused while the contract is checked (S1, S26)", t -> {
          t.assume(Boolean.getBoolean("ib.check"), "-Dib.check=true is not set");
          t.tolerate("S26");
          AtomicReference<Throwable> thrown = new AtomicReference<>();
          End e = t.end(t.left(), Shape.of(QpType.RC));
          Armed a = Armed.of(t, new Probe(cq -> thrown.set(
                      Assertions.assertThrows(IbContractException.class, e.qp::query))));
          a.settle(0);
          Assertions.assertNotNull(thrown.get());
        });
    s.add("a handler that throws is called again (F18)", t -> {
          Armed a = Armed.of(t, new Probe(cq -> {
                    throw new IllegalStateException("thrown by a handler of the suite");
                  }));
          a.settle(0);
          a.settle(1);
        });
    s.add("close of a queue waits for its running handler, and none comes later (I4)",
        CallbackCases::fence);
    s.add("a queue pair closed between startPoll and endPoll does no harm (B21)", t -> {
          Pair p = t.pair(Shape.of(QpType.RC));
          for (int i = 0; i < 4; i++) {
            p.a.receive(i, 0, 8);
          }
          p.a.error();
          Assertions.assertTrue(p.a.recvCq.startPoll());
          p.a.qp.close();
          Assertions.assertEquals(0, p.a.recvCq.wrId());
          Assertions.assertEquals(WcStatus.WR_FLUSH_ERR, p.a.recvCq.status());
          for (int i = 1; i < 4; i++) {
            Assertions.assertTrue(p.a.recvCq.nextPoll());
            Assertions.assertEquals(i, p.a.recvCq.wrId());
          }
          Assertions.assertFalse(p.a.recvCq.nextPoll());
          p.a.recvCq.endPoll();
        });
  }

  private static void rearmed(Trial t, boolean first) {
    AtomicInteger taken = new AtomicInteger();
    WorkCompletion[] batch = Account.batch(4);
    Account account = new Account();
    Probe probe = new Probe(cq -> {
              if (first) {
                cq.requestNotify(NotifyFlags.NEXT_COMP);
              }
              int n;
              do {
                n = account.take(cq, batch);
                taken.addAndGet(n);
              } while (n > 0);
              if (!first) {
                int flags = NotifyFlags.NEXT_COMP | NotifyFlags.REPORT_MISSED_EVENTS;
                while (cq.requestNotify(flags) > 0) {
                  taken.addAndGet(account.take(cq, batch));
                }
              }
            });
    End a = t.end(t.left(), Shape.of(QpType.RC));
    CompletionQueue cq = t.later(probe.cq(t.left()));
    Flood flood = t.later(new Flood(a, cq, 3, 1_000));
    probe.arm(cq);
    List<Thread> threads = flood.start(taken::get);
    Await.until("all completions", () -> taken.get() == flood.total());
    threads.forEach(Await::end);
    probe.assertRight();
    Await.empty(cq, "each completion once");
  }

  private static void sleeper(Trial t, int flags) throws InterruptedException {
    Semaphore woken = new Semaphore(0);
    Probe probe = new Probe(cq -> woken.release());
    End a = t.end(t.left(), Shape.of(QpType.RC));
    CompletionQueue cq = t.later(probe.cq(t.left()));
    Flood flood = t.later(new Flood(a, cq, 2, 1_500));
    AtomicInteger taken = new AtomicInteger();
    WorkCompletion[] batch = Account.batch(4);
    List<Thread> threads = flood.start(taken::get);
    while (taken.get() < flood.total()) {
      int n = cq.poll(batch, batch.length);
      taken.addAndGet(n);
      if (n == 0 && cq.requestNotify(flags) == 0) {
        n = cq.poll(batch, batch.length);
        taken.addAndGet(n);
        if (n == 0) {
          int missing = flood.total() - taken.get();
          Assertions.assertTrue(
              woken.tryAcquire(10, java.util.concurrent.TimeUnit.SECONDS),
              () -> "slept through a completion, " + missing + " missing");
          woken.drainPermits();
        }
      }
    }
    threads.forEach(Await::end);
    probe.assertRight();
  }

  private static void pingPong(Trial t) {
    AtomicInteger rounds = new AtomicInteger();
    AtomicReference<Pair> pair = new AtomicReference<>();
    AtomicBoolean wrong = new AtomicBoolean();
    Shape shape = Shape.of(QpType.RC);
    Probe[] probes = new Probe[2];
    for (int side = 0; side < 2; side++) {
      boolean left = side == 0;
      WorkCompletion[] one = Account.batch(1);
      probes[side] = new Probe(cq -> {
                End e = left ? pair.get().a : pair.get().b;
                while (cq.poll(one, 1) == 1) {
                  wrong.compareAndSet(false, one[0].status() != WcStatus.SUCCESS);
                  if (rounds.incrementAndGet() < 1_000) {
                    e.receive(1, 0, 8);
                    e.send(e.wr(WrOpcode.SEND, 2, 0, 8).flags(0));
                  }
                }
                cq.requestNotify(NotifyFlags.NEXT_COMP);
                if (cq.poll(one, 1) == 1) { // it came before the arming
                  rounds.incrementAndGet();
                  e.receive(1, 0, 8);
                  e.send(e.wr(WrOpcode.SEND, 2, 0, 8).flags(0));
                }
              });
    }
    End a = t.end(t.left(), shape, null, probes[0].cq(t.left()));
    End b = t.end(t.right(), shape, null, probes[1].cq(t.right()));
    pair.set(new Pair(a, b).connect(t.bench()));
    a.receive(1, 0, 8);
    b.receive(1, 0, 8);
    probes[0].arm(a.recvCq);
    probes[1].arm(b.recvCq);
    a.send(a.wr(WrOpcode.SEND, 2, 0, 8).flags(0));
    Await.until("1,000 messages, not " + rounds, () -> rounds.get() >= 1_000);
    probes[0].assertRight();
    probes[1].assertRight();
    Assertions.assertFalse(wrong.get());
  }

  private static void fence(Trial t) {
    for (int i = 0; i < 20; i++) {
      AtomicBoolean entered = new AtomicBoolean();
      AtomicBoolean left = new AtomicBoolean();
      Probe probe = new Probe(cq -> {
                entered.set(true);
                long end = System.nanoTime() + 2_000_000;
                while (System.nanoTime() < end) {
                  Thread.onSpinWait();
                }
                left.set(true);
              });
      End a = t.end(t.left(), Shape.of(QpType.RC));
      CompletionQueue cq = probe.cq(t.left());
      try (Flood flood = new Flood(a, cq, 1, 1)) {
        probe.arm(cq);
        flood.one(1);
        Await.until("the handler", entered::get);
      }
      cq.close();
      Assertions.assertTrue(left.get(), "close returned while the handler ran");
      Assertions.assertEquals(1, probe.calls());
      a.close();
    }
  }
}
