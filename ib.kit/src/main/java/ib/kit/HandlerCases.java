package ib.kit;

import ib.core.verbs.AddressHandle;
import ib.core.verbs.Cap;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.IbContractException;
import ib.core.verbs.NotifyFlags;
import ib.core.verbs.QpType;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WorkCompletion;
import ib.core.verbs.WrOpcode;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Assertions;

/** Handlers: one call at a time, none lost, fenced by close (S18-S26, B4-B7, B21). */
final class HandlerCases {
  private HandlerCases() {}

  static void add(Catalogue c) {
    handlers(c.section("CALL", 41, "callbacks: one at a time, none lost", Cap.RC));
  }

  private static void handlers(Catalogue.Section s) {
    s.add(
        "armed again first thing in the handler, three producers: one at a time, none lost (S24)",
        t -> rearmed(t, true));
    s.add(
        "armed again last thing in the handler, three producers: none lost",
        t -> rearmed(t, false));
    s.add(
        "arm, then poll once more: no completion is slept through (B7)",
        t -> sleeper(t, NotifyFlags.NEXT_COMP));
    s.add(
        "arm with REPORT_MISSED_EVENTS: no completion is slept through (B7)",
        t -> sleeper(t, NotifyFlags.NEXT_COMP | NotifyFlags.REPORT_MISSED_EVENTS));
    s.add(
        "the handler polls, arms, posts receives and sends: 500 rounds of ping-pong in it (B4)",
        HandlerCases::pingPong);
    s.add(
        "the handler makes, reads, changes and closes address handles (S2-S5)",
        t -> {
          AtomicReference<Throwable> thrown = new AtomicReference<>();
          End e = t.end(t.left(), Shape.of(QpType.RC));
          Armed a =
              Armed.of(
                  t,
                  new Probe(
                      cq -> {
                        try (AddressHandle ah = e.pd.createAh(e.self)) {
                          ah.modify(e.self);
                          Assertions.assertEquals(e.self, ah.query());
                        } catch (RuntimeException | AssertionError x) {
                          thrown.set(x);
                        }
                      }));
          a.settle(0);
          Assertions.assertNull(thrown.get());
        });
    handlersMore(s);
  }

  private static void handlersMore(Catalogue.Section s) {
    s.add(
        "a control call in the handler is refused while the contract is checked (S1, S26)",
        t -> {
          t.assume(Boolean.getBoolean("ib.check"), "-Dib.check=true is not set");
          t.tolerate("S26");
          AtomicReference<Throwable> thrown = new AtomicReference<>();
          End e = t.end(t.left(), Shape.of(QpType.RC));
          Armed a =
              Armed.of(
                  t,
                  new Probe(
                      cq ->
                          thrown.set(
                              Assertions.assertThrows(IbContractException.class, e.qp::query))));
          a.settle(0);
          Assertions.assertNotNull(thrown.get());
        });
    s.add(
        "a handler that throws is called again (F18)",
        t -> {
          Armed a =
              Armed.of(
                  t,
                  new Probe(
                      cq -> {
                        throw new IllegalStateException("thrown by a handler of the suite");
                      }));
          a.settle(0);
          a.settle(1);
        });
    s.add(
        "close of a queue waits for its running handler, and none comes later (I4)",
        HandlerCases::fence);
    s.pair(
        "a queue pair closed between startPoll and endPoll does no harm (B21)",
        (t, p) -> {
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
    s.add(
        "three producers and a consumer that polls and arms: the handler is on no stack of theirs,"
            + " one at a time, none lost (S18, S20, S23)",
        HandlerCases::crowd);
  }

  private static void crowd(Trial t) {
    Account account = new Account();
    WorkCompletion[] theirs = Account.batch(4);
    Probe probe =
        new Probe(
            cq -> {
              cq.requestNotify(NotifyFlags.NEXT_COMP);
              account.take(cq, theirs);
            });
    End a = t.end(t.left(), Shape.of(QpType.RC));
    CompletionQueue cq = t.later(probe.cq(t.left()));
    Flood flood = t.later(new Flood(a, cq, 3, 1_000));
    probe.arm(cq);
    List<Thread> threads = flood.start(account::taken);
    WorkCompletion[] mine = Account.batch(4);
    Await.until(
        "all completions",
        () -> {
          probe.during(
              () -> {
                cq.requestNotify(NotifyFlags.NEXT_COMP | NotifyFlags.REPORT_MISSED_EVENTS);
                account.take(cq, mine);
              });
          return account.taken() >= flood.total();
        });
    threads.forEach(Await::end);
    probe.awaitCalls(1);
    Assertions.assertEquals(flood.total(), account.taken(), "each completion once");
    Await.empty(cq, "each completion once");
  }

  private static void rearmed(Trial t, boolean first) {
    AtomicInteger taken = new AtomicInteger();
    WorkCompletion[] batch = Account.batch(4);
    Account account = new Account();
    Probe probe =
        new Probe(
            cq -> {
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
    Pair[] pair = new Pair[1];
    AtomicBoolean wrong = new AtomicBoolean();
    Shape shape = Shape.of(QpType.RC);
    Probe[] probes = new Probe[2];
    for (int side = 0; side < 2; side++) {
      boolean left = side == 0;
      WorkCompletion[] one = Account.batch(1);
      probes[side] =
          new Probe(
              cq -> {
                End e = left ? pair[0].a : pair[0].b;
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
    pair[0] = new Pair(a, b).connect(t.bench);
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
      Probe probe =
          new Probe(
              cq -> {
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
