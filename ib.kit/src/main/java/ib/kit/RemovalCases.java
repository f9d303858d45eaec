package ib.kit;

import ib.core.client.ClientRegistration;
import ib.core.client.LeakRecord;
import ib.core.client.RemovalReport;
import ib.core.verbs.Cap;
import ib.core.verbs.CqInit;
import ib.core.verbs.Gid;
import ib.core.verbs.IbEvent;
import ib.core.verbs.IbEventHandler;
import ib.core.verbs.NotifyFlags;
import ib.core.verbs.PollContext;
import ib.core.verbs.PostStatus;
import ib.core.verbs.QpAttr;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.QueuePair;
import ib.core.verbs.SendWr;
import ib.core.verbs.SharedReceiveQueue;
import ib.core.verbs.WrOpcode;
import ib.kit.Visitor.Manners;
import ib.kit.Visitor.Work;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Assertions;

/** A device goes in the middle of every operation: exact accounts, typed refusals (F15, F16). */
final class RemovalCases {
  private RemovalCases() {}

  static void add(Catalogue c) {
    Catalogue.Section s = c.section("HOT", 1, "hot removal in the middle of an operation", Cap.RC);
    middle(s, "postSend", p -> sends(p, Form.LIST));
    middle(s, "builder posts", p -> sends(p, Form.BUILDER));
    middle(s, "postReceive", RemovalCases::receives);
    middle(s, "poll", p -> turn(() -> p.b.sendCq.poll(Account.batch(2), 2)));
    middle(s, "requestNotify", p -> turn(() -> p.b.sendCq.requestNotify(NotifyFlags.NEXT_COMP)));
    middle(
        s,
        "startPoll",
        p ->
            turn(
                () -> {
                  if (p.b.sendCq.startPoll()) {
                    p.b.sendCq.endPoll();
                  }
                  return p.b.recvCq.poll(Account.batch(1), 1);
                }));
    calls(s, "modify", p -> p.b.qp.modify(new QpAttr().state(QpState.RTS).accessFlags(Shape.ALL)));
    calls(s, "query", p -> p.b.qp.query());
    calls(s, "queryPort", p -> p.b.device.queryPort(1));
    calls(s, "allocPd", p -> p.b.device.allocPd().close());
    calls(s, "createCq", p -> p.b.device.createCq(new CqInit(8)).close());
    calls(s, "allocCq", p -> p.b.device.allocCq(8, 0, PollContext.EVENT_LOOP).close());
    calls(s, "createQp", p -> p.b.pd.createQp(p.b.init()).close());
    calls(s, "createAh", p -> p.b.pd.createAh(p.b.self).close());
    calls(s, "allocMemory", p -> p.b.pd.allocMemory(4096, 8, Shape.ALL).close());
    calls(s, "registerMemory", p -> p.b.pd.registerMemory(p.b.mr.segment(), Shape.ALL).close());
    calls(s, "createSrq", p -> LifeCases.srq(p.b).close(), Cap.SRQ);
    middle(s, "SRQ postReceive", RemovalCases::shared, Cap.SRQ);
    calls(s, "resize", p -> p.b.sendCq.resize(600), Cap.CQ_RESIZE);
    middle(s, "multicast attach", RemovalCases::multicast, Cap.UD, Cap.MULTICAST);
    calls(s, "registerEventHandler", RemovalCases::handlers);
    calls(s, "drain", RemovalCases::drains);
    middle(s, "the peer's writes", p -> peer(p, WrOpcode.RDMA_WRITE));
    middle(s, "the peer's reads", p -> peer(p, WrOpcode.RDMA_READ));
    middle(s, "a completion handler that polls and arms", RemovalCases::handler);
    HotplugCases.add(c);
    RemovedDeviceCases.add(c);
  }

  /** A control call, made again and again. */
  private static void calls(Catalogue.Section s, String what, Consumer<Pair> call, Cap... needs) {
    middle(s, what, p -> control(() -> call.accept(p)), needs);
  }

  private static void middle(Catalogue.Section s, String what, Visitor.Maker maker, Cap... needs) {
    for (Manners manners : Manners.values()) {
      String end =
          manners == Manners.TIDY
              ? ": works to the last line of remove, every request accounted for"
              : ": the client goes on: leak report, then Disassociated or GONE";
      s.add("device goes in the middle of " + what + end, t -> goes(t, manners, maker), needs);
    }
  }

  static void goes(Trial t, Manners manners, Visitor.Maker maker) {
    t.left();
    Visitor visitor = new Visitor(t, manners, maker);
    ClientRegistration registration = t.client(visitor);
    visitor.start();
    t.bench.unplug(t.name(1));
    visitor.check();
    Assertions.assertTrue(
        t.bench.core().devices().stream().noneMatch(d -> d.name().equals(t.name(1))), "gone");
    RemovalReport report = t.bench.core().lastRemoval(t.name(1)).orElseThrow();
    List<LeakRecord> leaks = report.leaks();
    Assertions.assertEquals(manners == Manners.TIDY, leaks.isEmpty(), leaks::toString);
    Assertions.assertTrue(leaks.stream().allMatch(l -> l.client().equals(visitor.name())));
    registration.unregister();
    t.bench.plug(t.name(1));
    t.pair(Shape.of(QpType.RC)).ping(t);
  }

  /** A data path call that goes on until its object is gone. */
  @FunctionalInterface
  private interface Post {
    int status();
  }

  private static Work turn(Post post) {
    return () -> Subjects.usual(Math.min(0, post.status())) != PostStatus.GONE;
  }

  static Work control(Runnable call) {
    return () -> {
      call.run();
      return true;
    };
  }

  private static Work sends(Pair p, Form form) {
    Account account = new Account();
    return new Work() {
      @Override
      public boolean turn() {
        SendWr wr = p.b.wr(WrOpcode.RDMA_WRITE, 0, 0, 64, p.a, 0);
        int status = Subjects.usual(account.post(id -> form.post(p.b.qp, wr.wrId(id))));
        return account.take(p.b.sendCq, Account.batch(4)) >= 0 && status != PostStatus.GONE;
      }

      @Override
      public boolean busy() {
        return account.succeeded() > 10;
      }

      @Override
      public void settle() {
        p.b.qp.drain();
        account.settle(p.b.sendCq).assertExact();
      }
    };
  }

  private static Work receives(Pair p) {
    Account account = new Account();
    return new Work() {
      @Override
      public boolean turn() {
        int status = account.post(id -> p.b.qp.postReceive(id, p.b.lkey(), p.b.addr(), 64));
        Subjects.usual(status);
        if (account.open() > 30 && p.a.qp.state() == QpState.RTS) {
          p.a.qp.postSend(p.a.wr(WrOpcode.SEND, 1, 0, 8));
          p.a.sendCq.poll(Account.batch(4), 4);
        }
        return account.take(p.b.recvCq, Account.batch(4)) >= 0 && status != PostStatus.GONE;
      }

      @Override
      public void settle() {
        p.b.qp.drain();
        account.settle(p.b.recvCq).assertExact();
      }
    };
  }

  private static Work shared(Pair p) {
    SharedReceiveQueue srq = LifeCases.srq(p.b);
    return new Work() {
      @Override
      public boolean turn() {
        return Subjects.usual(srq.postReceive(1, p.b.lkey(), p.b.addr(), 8)) != PostStatus.GONE;
      }

      @Override
      public void settle() {
        srq.close();
      }
    };
  }

  private static Work multicast(Pair p) {
    QueuePair qp =
        p.b.pd.createQp(new ib.core.verbs.QpInit(QpType.UD, p.b.sendCq, p.b.shape.cap()));
    qp.modify(new QpAttr().state(QpState.INIT).pkeyIndex(0).port(1).qkey(End.QKEY));
    Gid group = new Gid(0xff12_401b_ffff_0000L, 0x9999L);
    return new Work() {
      @Override
      public boolean turn() {
        qp.attachMulticast(group, 0xc999);
        qp.detachMulticast(group, 0xc999);
        return true;
      }

      @Override
      public void settle() {
        qp.close();
      }
    };
  }

  private static void handlers(Pair p) {
    IbEventHandler h =
        new IbEventHandler(p.b.device) {
          @Override
          public void handle(IbEvent event) {}
        };
    p.b.device.registerEventHandler(h);
    p.b.device.unregisterEventHandler(h);
  }

  private static void drains(Pair p) {
    try (QueuePair qp = p.b.pd.createQp(p.b.init())) {
      qp.modify(new QpAttr().state(QpState.INIT).pkeyIndex(0).port(1).accessFlags(0));
      int status = qp.postReceive(1, p.b.lkey(), p.b.addr(), 8);
      qp.drain();
      int polled = p.b.recvCq.poll(Account.batch(1), 1);
      Assertions.assertTrue(polled == 1 || polled < 0 || status != 0, "drained, not flushed");
    }
  }

  private static Work peer(Pair p, WrOpcode op) {
    Account account = new Account();
    return new Work() {
      @Override
      public boolean turn() {
        SendWr wr = p.a.wr(op, 0, 0, 5000, p.b, 0);
        Subjects.usual(account.post(id -> p.a.qp.postSend(wr.wrId(id))));
        account.take(p.a.sendCq, Account.batch(4));
        return p.a.qp.state() == QpState.RTS;
      }

      @Override
      public boolean busy() {
        return account.succeeded() > 10;
      }

      @Override
      public void settle() {
        p.b.qp.close(); // the survivor's requests end by themselves
        account.settle(p.a.sendCq).assertExact();
      }
    };
  }

  private static Work handler(Pair p) {
    AtomicInteger calls = new AtomicInteger();
    Probe probe =
        new Probe(
            cq -> {
              cq.poll(Account.batch(8), 8);
              cq.requestNotify(NotifyFlags.NEXT_COMP);
              calls.incrementAndGet();
            });
    var cq = probe.cq(p.b.device);
    Flood flood = new Flood(p.b, cq, 1, 1);
    probe.arm(cq);
    return new Work() {
      @Override
      public boolean turn() {
        probe.assertRight();
        return Subjects.usual(flood.tryOne(1)) != PostStatus.GONE;
      }

      @Override
      public boolean busy() {
        return calls.get() > 0;
      }

      @Override
      public void settle() {
        flood.close();
        cq.close();
        int n = calls.get();
        Assertions.assertTrue(n > 0, "the handler ran");
        probe.assertRight();
        Assertions.assertEquals(n, calls.get(), "no call after close");
      }
    };
  }
}
