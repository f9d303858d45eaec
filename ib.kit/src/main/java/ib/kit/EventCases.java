package ib.kit;

import ib.core.verbs.Cap;
import ib.core.verbs.EventType;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbEvent;
import ib.core.verbs.IbEventHandler;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.PortState;
import ib.core.verbs.QpAttr;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.SharedReceiveQueue;
import ib.core.verbs.SrqAttr;
import ib.core.verbs.SrqInit;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WrOpcode;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assertions;

/** Asynchronous events: to whom, in what order, how often, on whose stack (S12, S42-S52). */
final class EventCases {
  private EventCases() {}

  static void add(Catalogue c) {
    affiliated(c.section("EVENT", 1, "events of objects", Cap.RC));
    ports(c.section("EVENT", 21, "events of ports"));
  }

  /** An event handler that keeps what it hears, and where. */
  private static final class Ear extends IbEventHandler {
    final Queue<IbEvent> events = new ConcurrentLinkedQueue<>();
    final Queue<PortState> states = new ConcurrentLinkedQueue<>();

    Ear(IbDevice device) {
      super(device);
    }

    @Override
    public void handle(IbEvent event) {
      states.add(device().port(1).state());
      events.add(event);
    }

    boolean heard(EventType type) {
      return events.stream().anyMatch(e -> e.type() == type);
    }
  }

  private static void affiliated(Catalogue.Section s) {
    s.add(
        "COMM_EST comes once, with the first message in RTR",
        t -> {
          Shape shape = Shape.of(QpType.RC);
          Pair p = new Pair(t.end(t.left(), shape), t.end(t.right(), shape));
          Pair.up(p.a, p.b, t.bench);
          p.b.init(Shape.ALL);
          p.b.rtr(t.bench.path(p.b.device, p.a.device), p.a.qp.qpn());
          for (int i = 0; i < 3; i++) {
            p.ping(t);
          }
          EventType event = t.raised(EventType.COMM_EST);
          if (event != null) {
            p.b.awaitEvent(event);
            long n = p.b.events.stream().filter(e -> e.type() == event).count();
            Assertions.assertEquals(1, n);
          }
          Assertions.assertEquals(QpState.RTR, p.b.qp.state());
        });
    s.pair(
        "an event of a QP goes to its handler, with the QP and its context (S45, S47, S52)",
        (t, p) -> {
          AtomicReference<@Nullable Object> context = new AtomicReference<>();
          AtomicReference<@Nullable IbEvent> heard = new AtomicReference<>();
          var init =
              p.a
                  .init()
                  .withEventHandler(
                      (e, x) -> {
                        context.set(x);
                        heard.set(e);
                      },
                      "context of the QP");
          End e = p.a.with(t.later(p.a.pd.createQp(init)));
          Pair q = new Pair(e, t.end(t.right(), Shape.of(QpType.RC))).connect(t.bench);
          e.qp.modify(new QpAttr().state(QpState.SQD).enSqdAsyncNotify(true));
          Await.until("SQ_DRAINED", () -> heard.get() != null);
          Assertions.assertEquals("context of the QP", context.get());
          IbEvent event = heard.get();
          Assertions.assertNotNull(event);
          Assertions.assertEquals(EventType.SQ_DRAINED, event.type());
          Assertions.assertSame(e.qp, event.element());
          Assertions.assertFalse(
              p.a.heard(EventType.SQ_DRAINED), "only the QP's own handler gets it");
          Assertions.assertEquals(QpState.RTS, q.b.qp.state());
        });
    affiliatedMore(s);
  }

  private static void affiliatedMore(Catalogue.Section s) {
    s.end(
        "an event of an SRQ goes to its handler with its context",
        (t, e) -> {
          AtomicReference<@Nullable Object> context = new AtomicReference<>();
          SrqInit init = new SrqInit(new SrqAttr(8, 1, 2), (x, y) -> context.set(y), "of the SRQ");
          SharedReceiveQueue srq = t.later(e.pd.createSrq(init));
          End shared = e.with(t.later(e.pd.createQp(e.init().withSrq(srq))));
          Pair p = new Pair(t.end(t.right(), Shape.of(QpType.RC)), shared).connect(t.bench);
          for (int i = 0; i < 2; i++) {
            Assertions.assertEquals(0, srq.postReceive(i, e.lkey(), e.addr(), 8));
            p.a.send(p.a.wr(WrOpcode.SEND, i, 0, 8));
            Await.success(p.a.sendCq, i);
            Await.next(e.recvCq);
          }
          Await.until("SRQ_LIMIT_REACHED", () -> "of the SRQ".equals(context.get()));
        },
        Cap.SRQ);
    s.pair(
        "an event handler does not run on the stack of modify (S20)",
        (t, p) -> {
          AtomicReference<@Nullable Thread> where = new AtomicReference<>();
          var init = p.a.init().withEventHandler((e, x) -> where.set(Thread.currentThread()), null);
          End e = p.a.with(t.later(p.a.pd.createQp(init)));
          new Pair(e, t.end(t.right(), Shape.of(QpType.RC))).connect(t.bench);
          e.qp.modify(new QpAttr().state(QpState.SQD).enSqdAsyncNotify(true));
          Await.until("SQ_DRAINED", () -> where.get() != null);
          Assertions.assertNotEquals(Thread.currentThread(), where.get());
        });
    affiliatedRest(s);
  }

  private static void affiliatedRest(Catalogue.Section s) {
    s.pair(
        "an event handler that throws hears the next event",
        (t, p) -> {
          int[] n = {0};
          var init =
              p.a
                  .init()
                  .withEventHandler(
                      (e, x) -> {
                        n[0]++;
                        throw new IllegalStateException("thrown by a handler of the suite");
                      },
                      null);
          End e = p.a.with(t.later(p.a.pd.createQp(init)));
          new Pair(e, t.end(t.right(), Shape.of(QpType.RC))).connect(t.bench);
          for (int i = 1; i <= 2; i++) {
            int count = i;
            e.qp.modify(new QpAttr().state(QpState.SQD).enSqdAsyncNotify(true));
            Await.until("SQ_DRAINED", () -> n[0] >= count);
            e.qp.modify(new QpAttr().state(QpState.RTS));
          }
        });
    s.add(
        "close of a QP with events on their way: none comes later (I4)",
        t -> {
          for (int i = 0; i < 50; i++) {
            End a = t.end(t.left(), Shape.of(QpType.RC));
            Pair p = new Pair(a, t.end(t.right(), Shape.of(QpType.RC))).connect(t.bench);
            a.qp.modify(new QpAttr().state(QpState.SQD).enSqdAsyncNotify(true));
            a.qp.close();
            int heard = a.events.size();
            p.b.close();
            Assertions.assertEquals(heard, a.events.size());
            a.close();
          }
        });
  }

  private static void link(Trial t, boolean up) {
    t.assume(t.bench.link(t.name(1), up), "the bench cannot pull a cable");
    PortState wanted = up ? PortState.ACTIVE : PortState.DOWN;
    Await.until("port " + wanted, () -> t.right().queryPort(1).state() == wanted);
  }

  private static Ear ear(Trial t) {
    Ear ear = new Ear(t.right());
    t.right().registerEventHandler(ear);
    t.later(() -> t.right().unregisterEventHandler(ear));
    return ear;
  }

  private static void ports(Catalogue.Section s) {
    s.add(
        "a cable pulled and put back: PORT_ERR, PORT_ACTIVE, to every handler once, in order",
        t -> {
          List<Ear> ears = List.of(ear(t), ear(t), ear(t));
          link(t, false);
          link(t, true);
          for (Ear ear : ears) {
            Await.until("PORT_ACTIVE, not " + ear.events, () -> ear.heard(EventType.PORT_ACTIVE));
            List<EventType> types =
                ear.events.stream()
                    .map(IbEvent::type)
                    .filter(x -> x == EventType.PORT_ERR || x == EventType.PORT_ACTIVE)
                    .toList();
            Assertions.assertEquals(List.of(EventType.PORT_ERR, EventType.PORT_ACTIVE), types);
            ear.events.forEach(e -> Assertions.assertEquals(1, e.port(), e::toString));
          }
        });
    s.add(
        "events are numbered without a gap (D8)",
        t -> {
          Ear ear = ear(t);
          for (int i = 0; i < 5; i++) {
            link(t, false);
            link(t, true);
          }
          Await.until("ten events", () -> ear.events.size() >= 10);
          long[] before = {0};
          for (IbEvent e : ear.events) {
            Assertions.assertTrue(before[0] == 0 || e.sequence() == before[0] + 1, e::toString);
            before[0] = e.sequence();
          }
        });
    s.add(
        "in a handler the cache is as new as its event (B13)",
        t -> {
          Ear ear = ear(t);
          link(t, false);
          Await.until("PORT_ERR", () -> ear.heard(EventType.PORT_ERR));
          Assertions.assertFalse(ear.states.contains(PortState.ACTIVE), () -> "" + ear.states);
          link(t, true);
          Await.until("PORT_ACTIVE", () -> ear.heard(EventType.PORT_ACTIVE));
        });
    portsMore(s);
  }

  private static void portsMore(Catalogue.Section s) {
    s.add(
        "a handler registered twice or for another device is refused",
        t -> {
          Ear ear = ear(t);
          Assertions.assertThrows(
              IbInvalidException.class, () -> t.right().registerEventHandler(ear));
          Ear foreign = new Ear(t.left());
          Assertions.assertThrows(
              IbInvalidException.class, () -> t.right().registerEventHandler(foreign));
        });
    s.add(
        "when unregister has returned the handler hears nothing (S43)",
        t -> {
          Ear ear = new Ear(t.right());
          Ear other = ear(t);
          t.right().registerEventHandler(ear);
          link(t, false);
          t.right().unregisterEventHandler(ear);
          int heard = ear.events.size();
          link(t, true);
          Await.until("PORT_ACTIVE", () -> other.heard(EventType.PORT_ACTIVE));
          Assertions.assertEquals(heard, ear.events.size());
        });
    s.add(
        "a handler that unregisters itself hears nothing more (CC-17)",
        t -> {
          t.tolerate("CC-17");
          Ear other = ear(t);
          Queue<IbEvent> heard = new ConcurrentLinkedQueue<>();
          IbDevice d = t.right();
          d.registerEventHandler(
              new IbEventHandler(d) {
                @Override
                public void handle(IbEvent event) {
                  heard.add(event);
                  d.unregisterEventHandler(this);
                }
              });
          link(t, false);
          link(t, true);
          Await.until("PORT_ACTIVE", () -> other.heard(EventType.PORT_ACTIVE));
          Await.until("its event", () -> !heard.isEmpty());
          Assertions.assertEquals(1, heard.size());
        });
    s.add(
        "a cable pulled under a connection: RETRY_EXC_ERR; put back, a new one works",
        t -> {
          Pair p = t.pair(Shape.of(QpType.RC).retries(1, 1));
          link(t, false);
          p.a.send(p.a.wr(WrOpcode.SEND, 1, 0, 8));
          Await.status(p.a.sendCq, 1, WcStatus.RETRY_EXC_ERR);
          link(t, true);
          t.pair(Shape.of(QpType.RC)).ping(t);
        },
        Cap.RC);
  }
}
