package ib.core.internal.callback;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.internal.device.BoundDevice;
import ib.core.testing.CoreRig;
import ib.core.testing.FakeCq;
import ib.core.testing.FakeQp;
import ib.core.testing.FakeSrq;
import ib.core.testing.Objects7;
import ib.core.testing.Wait;
import ib.core.verbs.CqInit;
import ib.core.verbs.EventHandler;
import ib.core.verbs.EventType;
import ib.core.verbs.IbEvent;
import ib.core.verbs.ProtectionDomain;
import ib.core.verbs.QpInit;
import ib.core.verbs.QpType;
import ib.core.verbs.SrqAttr;
import ib.core.verbs.SrqInit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Events of queues and queue pairs. */
@DisplayName("S45, S47, S49, S52: affiliated events")
class ObjectEventsTest {
  private record Heard(IbEvent event, Object context, String thread) {}

  private final CoreRig rig = new CoreRig();
  private final BoundDevice device = rig.bind("ulp");
  private final List<Heard> heard = new CopyOnWriteArrayList<>();
  private final EventHandler handler =
      (e, c) -> heard.add(new Heard(e, c, Thread.currentThread().getName()));

  @AfterEach
  void close() {
    device.sweepAndPoison();
    rig.close();
  }

  private FakeQp queuePair(EventHandler eventHandler, Object context) {
    return (FakeQp)
        device
            .allocPd()
            .createQp(
                new QpInit(QpType.RC, device.createCq(new CqInit(1)), Objects7.CAP)
                    .withEventHandler(eventHandler, context));
  }

  @Test
  @DisplayName("S49: both handlers of a completion queue get its context")
  void s49ContextOfACompletionQueue() {
    Object context = new Object();
    List<Object> completed = new CopyOnWriteArrayList<>();
    FakeCq cq =
        (FakeCq)
            device.createCq(new CqInit(4, 0, (q, c) -> completed.add(c), handler, context, null));
    cq.wake();
    cq.error();
    Wait.until(() -> heard.size() == 1 && completed.size() == 1);
    assertSame(context, completed.getFirst());
    assertSame(context, heard.getFirst().context());
    assertSame(cq, heard.getFirst().event().element());
    assertSame(device, heard.getFirst().event().device());
    assertEquals(EventType.CQ_ERR, heard.getFirst().event().type());
    assertSame(context, cq.context());
  }

  @Test
  @DisplayName("S47, S52: handler and context of a queue pair and of a shared receive queue")
  void s52ContextOfQueuePairs() {
    FakeQp qp = queuePair(handler, "qp");
    qp.event(EventType.COMM_EST);
    Wait.until(() -> heard.size() == 1);
    ProtectionDomain pd = device.allocPd();
    FakeSrq srq = (FakeSrq) pd.createSrq(new SrqInit(new SrqAttr(16, 1, 0), handler, "srq"));
    srq.event(EventType.SRQ_LIMIT_REACHED);
    Wait.until(() -> heard.size() == 2);
    assertEquals(List.of("qp", "srq"), heard.stream().map(Heard::context).toList());
    assertEquals("ib-fake0-async", heard.getFirst().thread());
    Wait.until(() -> rig.mirrored().size() == 2);
    assertSame(srq, rig.mirrored().get(1).element());
  }

  @Test
  @DisplayName("D8: an object without a handler is mirrored all the same")
  void mirroredWithoutHandler() {
    queuePair(null, null).event(EventType.QP_FATAL);
    Wait.until(() -> rig.mirrored().size() == 1);
    assertEquals(List.of(), heard);
  }

  @Test
  @DisplayName("S45: order of one object is kept, from whatever thread")
  void s45OrderIsKept() {
    FakeQp qp = queuePair(handler, null);
    EventType[] types = {EventType.COMM_EST, EventType.SQ_DRAINED, EventType.PATH_MIG};
    int rounds = 300;
    for (int i = 0; i < rounds; i++) {
      int n = i;
      EventType type = types[i % types.length];
      Wait.end(Wait.start(() -> qp.event(type)));
      Wait.until(() -> heard.size() > n - ObjectEvents.CAPACITY / 2);
    }
    Wait.until(() -> heard.size() == rounds);
    for (int i = 0; i < rounds; i++) {
      assertEquals(types[i % types.length], heard.get(i).event().type());
    }
  }

  @Test
  @DisplayName(
      "S12: raise never blocks; one EVENT_OVERFLOW has the number of events that overran the queue")
  void s12OverflowIsTold() {
    CountDownLatch inside = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    FakeQp qp =
        queuePair(
            (e, c) -> {
              inside.countDown();
              Wait.on(go);
              handler.handle(e, c);
            },
            null);
    qp.event(EventType.COMM_EST);
    Wait.on(inside);
    int over = 10;
    for (int i = 0; i < ObjectEvents.CAPACITY + over; i++) {
      qp.event(EventType.SQ_DRAINED);
    }
    go.countDown();
    Wait.until(() -> heard.size() == ObjectEvents.CAPACITY + 2);
    IbEvent last = heard.getLast().event();
    assertEquals(EventType.EVENT_OVERFLOW, last.type());
    assertEquals(over, last.port());
    assertSame(qp, last.element());
    qp.event(EventType.PATH_MIG);
    Wait.until(() -> heard.getLast().event().type() == EventType.PATH_MIG);
  }

  @Test
  @DisplayName("S26: an event handler that throws is counted; the next event comes")
  void handlerThrows() {
    AtomicInteger calls = new AtomicInteger();
    FakeQp qp =
        queuePair(
            (e, c) -> {
              calls.incrementAndGet();
              throw new IllegalStateException("planted");
            },
            null);
    qp.event(EventType.COMM_EST);
    qp.event(EventType.COMM_EST);
    Wait.until(() -> calls.get() == 2);
    Wait.until(() -> rig.contract().handlerExceptions() == 2);
    assertTrue(rig.mirrored().size() >= 1);
  }

  /** A queue whose thread is the test's: the vector never runs. */
  private ObjectEvents queue(EventMirror mirror) {
    return new ObjectEvents(rig.contract(), new CompletionVector("never"), mirror);
  }

  private IbEvent event(EventType type) {
    return new IbEvent(device, type, null, 0, 0, 0);
  }

  @Test
  @DisplayName("S45: what is raised before the object is published waits for that, and is heard")
  void raisedBeforeOpen() {
    ObjectEvents early = queue(e -> {});
    early.raise(event(EventType.COMM_EST));
    assertTrue(early.claim(), "nobody runs it yet");
    early.open(handler, "context");
    early.run();
    assertEquals(List.of("context"), heard.stream().map(Heard::context).toList());
    ObjectEvents waiting = queue(e -> {});
    waiting.raise(event(EventType.COMM_EST));
    waiting.open(handler, "other");
    assertFalse(waiting.claim(), "open has queued it");
    waiting.run();
    assertEquals(List.of("context", "other"), heard.stream().map(Heard::context).toList());
  }

  @Test
  @DisplayName("S26: the handler is an atomic section, telling on after it is not")
  void atomicOnlyInTheHandler() {
    List<Boolean> atomic = new ArrayList<>();
    ObjectEvents events = queue(e -> atomic.add(Contract.inAtomic()));
    events.open(
        (e, c) -> {
          atomic.add(Contract.inAtomic());
          throw new IllegalStateException("planted");
        },
        null);
    events.raise(event(EventType.COMM_EST));
    events.run();
    assertEquals(List.of(true, false), atomic);
    assertFalse(Contract.inAtomic());
    assertEquals(1, rig.contract().handlerExceptions());
  }

  @Test
  @DisplayName("S45: an object with many events gives its thread away after 16, and loses none")
  void runsAreBounded() {
    ObjectEvents events = queue(e -> {});
    events.open(handler, null);
    for (int i = 0; i < 40; i++) {
      events.raise(event(EventType.COMM_EST));
    }
    for (int many : new int[] {16, 32, 40}) {
      events.run();
      assertEquals(many, heard.size());
    }
    assertTrue(events.claim(), "there is nothing to run for");
  }

  @Test
  @DisplayName("A13: who tells on throws: it is counted, and the next event is heard")
  void mirrorThrows() {
    ObjectEvents events =
        queue(
            e -> {
              throw new IllegalStateException("planted");
            });
    events.open(handler, null);
    events.raise(event(EventType.COMM_EST));
    events.raise(event(EventType.PATH_MIG));
    events.run();
    assertEquals(2, heard.size());
    assertEquals(2, rig.contract().handlerExceptions());
  }

  @Test
  @DisplayName("A13: what else throws in a run is counted, too")
  void failed() {
    queue(e -> {}).failed(new IllegalStateException("planted"));
    assertEquals(1, rig.contract().handlerExceptions());
  }

  @Test
  @DisplayName("S45: an open object's event wakes its vector up; the losses name their object")
  void wakes() {
    ObjectEvents events = queue(e -> {});
    events.open(handler, null);
    assertTrue(events.claim());
    events.run();
    events.raise(event(EventType.COMM_EST));
    assertFalse(events.claim(), "raise has queued it");
    for (int i = 0; i < ObjectEvents.CAPACITY + 2; i++) {
      events.raise(event(EventType.SQ_DRAINED));
    }
    for (int i = 0; i <= ObjectEvents.CAPACITY / 16; i++) {
      events.run();
    }
    assertEquals(ObjectEvents.CAPACITY + 1, heard.size());
    IbEvent last = heard.getLast().event();
    assertEquals(EventType.EVENT_OVERFLOW, last.type());
    assertEquals(3, last.port());
    assertSame(device, last.device());
  }
}
