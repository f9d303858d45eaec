package ib.kit;

import ib.core.verbs.Cap;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.CqInit;
import ib.core.verbs.NotifyFlags;
import ib.core.verbs.QpType;
import ib.core.verbs.SendFlags;
import ib.core.verbs.SendWr;
import ib.core.verbs.WrOpcode;
import java.util.function.Consumer;
import org.junit.jupiter.api.Assertions;

/** Completion handlers: when they are called, and never in the caller's chain (S9, S20-S22). */
final class CallbackCases {
  private CallbackCases() {}

  static void add(Catalogue c) {
    chain(c.section("CALL", 1, "callbacks: not in the caller's chain", Cap.RC));
    arming(c.section("CALL", 21, "callbacks: arming", Cap.RC));
    HandlerCases.add(c);
  }

  private static void chain(Catalogue.Section s) {
    chain(s, "postSend that succeeds", p -> p.b.receive(9, 0, 8), p -> send(p.a));
    chain(
        s,
        "a builder batch that succeeds",
        p -> {},
        p -> Form.BUILDER.post(p.a.qp, p.a.wr(WrOpcode.RDMA_WRITE, 1, 0, 8, p.b, 0)));
    chain(s, "postSend that is flushed (S21)", p -> p.a.error(), p -> send(p.a));
    chain(s, "postReceive that is flushed", p -> p.a.error(), p -> receive(p.a));
    chain(s, "modify(ERR) that flushes (B6)", p -> receive(p.a), p -> p.a.error());
    chain(s, "drain that flushes", p -> receive(p.a), p -> p.a.qp.drain());
    chain(s, "close that flushes", p -> receive(p.a), p -> p.a.qp.close());
    chain(s, "the peer's postSend", p -> receive(p.a), p -> send(p.b));
    chain(
        s,
        "the peer's modify(ERR)",
        p -> send(p.a), // waits for a receive
        p -> {
          p.b.error();
          p.a.error();
        });
    s.add(
        "requestNotify and poll do not run the handler themselves",
        t -> {
          Armed a = Armed.of(t, new Probe());
          a.flood().one(1);
          a.probe().during(() -> a.cq().requestNotify(NotifyFlags.NEXT_COMP));
          a.probe().during(() -> a.cq().poll(Account.batch(1), 1));
          a.flood().one(2);
          a.probe().awaitCalls(1);
        });
  }

  private static void send(End e) {
    e.send(e.wr(WrOpcode.SEND, 1, 0, 8));
  }

  private static void receive(End e) {
    e.receive(1, 0, 8);
  }

  /** A case of a verbs call by which a request completes, after what prepares it. */
  private static void chain(
      Catalogue.Section s, String what, Consumer<Pair> prepare, Consumer<Pair> call) {
    s.add(
        "the handler does not run on the stack of " + what + " (S20)",
        t -> {
          Probe probe = new Probe();
          Shape shape = Shape.of(QpType.RC).retries(7, 7);
          End a = t.end(t.left(), shape, probe.cq(t.left()), probe.cq(t.left()));
          Pair p = new Pair(a, t.end(t.right(), shape)).connect(t.bench);
          probe.arm(a.sendCq).arm(a.recvCq);
          prepare.accept(p);
          probe.during(() -> call.accept(p));
          Await.until("a call", () -> probe.calls() > 0);
          probe.assertRight();
        });
  }

  private static void arming(Catalogue.Section s) {
    s.add(
        "a queue that is not armed calls no handler",
        t -> {
          Armed a = Armed.of(t, new Probe());
          a.flood().one(1);
          a.settle(0);
        });
    s.add(
        "armed once, called once, however many completions come (S9)",
        t -> {
          Armed a = Armed.of(t, new Probe());
          a.probe().arm(a.cq());
          for (int i = 0; i < 10; i++) {
            a.flood().one(i);
          }
          a.probe().awaitCalls(1);
          a.settle(1);
        });
    s.add(
        "arming twice is arming once",
        t -> {
          Armed a = Armed.of(t, new Probe());
          a.probe().arm(a.cq()).arm(a.cq());
          a.flood().one(1);
          a.probe().awaitCalls(1);
          a.settle(1);
        });
    s.add(
        "REPORT_MISSED_EVENTS tells of completions that wait, and of none (B7)",
        t -> {
          Armed a = Armed.of(t, new Probe());
          int flags = NotifyFlags.NEXT_COMP | NotifyFlags.REPORT_MISSED_EVENTS;
          Assertions.assertEquals(0, a.cq().requestNotify(flags));
          a.flood().one(1);
          a.probe().awaitCalls(1);
          Assertions.assertTrue(a.cq().requestNotify(flags) > 0, "one waits");
          Await.next(a.cq());
          Assertions.assertEquals(0, a.cq().requestNotify(flags));
        });
    s.add(
        "the context given at creation reaches the handler (S49)",
        t -> {
          Armed a = Armed.of(t, new Probe());
          a.settle(0);
          Assertions.assertSame(a.probe(), a.probe().context());
          Assertions.assertSame(a.probe(), a.cq().context());
        });
    armingMore(s);
  }

  private static void armingMore(Catalogue.Section s) {
    s.add(
        "SOLICITED does not wake for an unsolicited completion, and does for a solicited",
        t -> solicited(t));
    s.add(
        "SOLICITED wakes for a failed completion",
        t -> {
          Armed a = Armed.of(t, new Probe());
          Assertions.assertEquals(0, a.cq().requestNotify(NotifyFlags.SOLICITED));
          a.flood().one(1);
          a.probe().awaitCalls(1);
        });
    s.add(
        "SOLICITED on a write with immediate wakes",
        t -> {
          Probe probe = new Probe();
          End b = t.end(t.right(), Shape.of(QpType.RC), null, probe.cq(t.right()));
          Pair p = new Pair(t.end(t.left(), Shape.of(QpType.RC)), b).connect(t.bench);
          Assertions.assertEquals(0, b.recvCq.requestNotify(NotifyFlags.SOLICITED));
          b.receive(1, 0, 8);
          SendWr wr = p.a.wr(WrOpcode.RDMA_WRITE_WITH_IMM, 1, 0, 8, b, 0);
          p.a.send(wr.flags(SendFlags.SIGNALED | SendFlags.SOLICITED));
          probe.awaitCalls(1);
        });
    s.end(
        "a handler is called on every completion vector",
        (t, a) -> {
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
    Pair p = new Pair(t.end(t.left(), Shape.of(QpType.RC)), b).connect(t.bench);
    Assertions.assertEquals(0, b.recvCq.requestNotify(NotifyFlags.SOLICITED));
    for (int i = 0; i < 5; i++) {
      b.receive(i, 0, 8);
      p.a.send(p.a.wr(WrOpcode.SEND, i, 0, 8));
      Await.success(b.recvCq, i);
    }
    // whatever was going to be called has been called: a later one on the same vector was
    Probe marker = new Probe();
    CompletionQueue cq = t.later(marker.cq(t.right()));
    Flood flood = t.later(new Flood(b, cq, 1, 1));
    marker.arm(cq);
    flood.one(1);
    marker.awaitCalls(1);
    Assertions.assertEquals(0, probe.calls(), "woken by what was not solicited");
    b.receive(9, 0, 8);
    p.a.send(p.a.wr(WrOpcode.SEND, 9, 0, 8).flags(SendFlags.SIGNALED | SendFlags.SOLICITED));
    probe.awaitCalls(1);
    Assertions.assertEquals(1, probe.calls());
  }
}
