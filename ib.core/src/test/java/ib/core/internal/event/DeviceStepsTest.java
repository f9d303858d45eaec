package ib.core.internal.event;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.client.EventTopics;
import ib.core.spi.DeviceOps;
import ib.core.testing.Objects7;
import ib.core.testing.TestControl;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.CqInit;
import ib.core.verbs.EventType;
import ib.core.verbs.IbEvent;
import ib.core.verbs.IbObject;
import ib.core.verbs.ObjectControl.Kind;
import ib.core.verbs.QpInit;
import ib.core.verbs.QpType;
import ib.core.verbs.QueuePair;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("D8: when the thread of a device's events starts, is woken and ends")
@Timeout(600)
class DeviceStepsTest {
  private static final long SOON_NS = 10_000_000;

  private final HeldBus bus = new HeldBus();

  private static IbEvent fatal(Rig rig, EventType type, IbObject element) {
    return new IbEvent(rig.device, type, element, 0, 0, 40);
  }

  @Test
  @DisplayName("D8: a mirrored event names its object, and a queue pair its number too")
  void mirrored() {
    try (Rig rig = new Rig()) {
      rig.hub.bus(bus);
      TestControl book = new TestControl(rig.device);
      DeviceOps ops = rig.device.ops();
      CompletionQueue cq = ops.createCq(book.child(Kind.CQ), new CqInit(16));
      QueuePair qp =
          ops.allocPd(book.child(Kind.PD)).createQp(new QpInit(QpType.RC, cq, Objects7.CAP));
      rig.open();
      rig.events.mirror(fatal(rig, EventType.QP_FATAL, qp));
      Map<String, Object> first = bus.take().properties();
      assertEquals("QP " + qp.control().id(), first.get(EventTopics.OBJECT));
      assertEquals(qp.qpn(), first.get(EventTopics.QPN));
      rig.events.mirror(fatal(rig, EventType.CQ_ERR, cq));
      Map<String, Object> second = bus.take().properties();
      assertEquals("CQ " + cq.control().id(), second.get(EventTopics.OBJECT));
      assertFalse(second.containsKey(EventTopics.QPN));
      assertEquals(0, rig.events.stats().late());
    }
  }

  @Test
  @DisplayName("CC-16: an affiliated event after the close is counted late and not posted")
  void lateMirror() {
    try (Rig rig = new Rig()) {
      rig.hub.bus(bus);
      rig.open();
      rig.events.close();
      rig.events.mirror(fatal(rig, EventType.QP_FATAL, null));
      assertEquals(1, rig.events.stats().late());
      assertEquals(0, rig.events.stats().mirrored());
    }
  }

  @Test
  @DisplayName("I8: a device without events ends without a thread, and the watch starts none")
  void noThread() {
    Rig rig = new Rig();
    rig.starts.failing = true; // and counts each try
    rig.open();
    assertEquals(Long.MAX_VALUE, rig.events.watch(rig.clock.nanoTime()));
    assertTrue(rig.events.closeAndDrain(Rig.FOREVER));
    assertEquals(0, rig.starts.failed.get());
    assertEquals(List.of(), rig.reports.troubles);
    rig.hub.close();
  }

  @Test
  @DisplayName("D8: the watch is due when the event on the bus is; then it wakes the dispatcher")
  void due() {
    try (Rig rig = new Rig()) {
      rig.hub.bus(bus);
      Recorder r = rig.open().handler();
      long start = rig.clock.nanoTime();
      rig.dispatch(1);
      bus.take();
      assertEquals(Rig.TIMEOUT_NS - 3, rig.events.watch(start + 3));
      assertEquals(0, rig.events.watch(start + Rig.TIMEOUT_NS));
      assertEquals(List.of(), r.heard(), "by the clock it is not late");
    }
  }

  @Test
  @DisplayName("S43: a device's handlers are unregistered one by one, or all of an owner")
  void handlers() {
    try (Rig rig = new Rig()) {
      rig.open();
      AtomicReference<Recorder> self = new AtomicReference<>();
      CompletableFuture<List<Boolean>> inside = new CompletableFuture<>();
      self.set(
          new Recorder(
              rig.client,
              e ->
                  inside.complete(
                      List.of(
                          rig.events.inside(self.get()),
                          rig.events.insideHandler(rig.client),
                          rig.events.insideHandler(rig.device)))));
      Recorder first = self.get();
      rig.events.register(rig.client, first);
      assertFalse(rig.events.inside(first));
      assertFalse(rig.events.insideHandler(rig.client));
      rig.dispatch(1);
      assertEquals(List.of(true, true, false), inside.join());
      rig.events.unregister(rig.client, first);
      Recorder second = rig.handler();
      rig.dispatch(1);
      second.await(1);
      assertEquals(List.of(1L), first.sequences());
      ClosedHandlers closed = rig.events.closeOwner(rig.client, Rig.FOREVER);
      assertTrue(closed.fenced());
      assertEquals(List.of(Recorder.class.getName()), closed.leftovers());
    }
  }

  @Test
  @DisplayName("A13: an event whose dispatcher got no thread is dispatched by the next watch")
  void startedByWatch() {
    try (Rig rig = new Rig()) {
      Recorder r = rig.open().handler();
      rig.starts.failing = true;
      rig.dispatch(1);
      assertTrue(rig.reports.tellsOf("cannot start the event dispatcher"));
      rig.starts.failing = false;
      do { // the hub's own watch may be in the middle of a try that fails: then the next one counts
        rig.events.watch(rig.clock.nanoTime());
      } while (!r.await(1, SOON_NS));
    }
  }

  @Test
  @DisplayName("CC-16: the close of a device whose window is full hands on what waits behind it")
  void closedWhenFull() {
    Rig rig = new Rig(4, 1024);
    rig.hub.bus(bus);
    Recorder r = rig.open().handler();
    rig.dispatch(4);
    for (int i = 0; i < 4; i++) {
      bus.take();
    }
    rig.dispatch(2);
    assertTrue(rig.events.closeAndDrain(Rig.FOREVER));
    assertEquals(List.of(1L, 2L, 3L, 4L, 5L, 6L), r.sequences());
    rig.hub.close();
  }

  @Test
  @DisplayName(
      "F24: a bus that refuses a whole window wakes the dispatcher for what waits behind it")
  void refusedWhenFull() {
    CountDownLatch inside = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    try (Rig rig = new Rig(2, 1024)) {
      rig.hub.bus(
          (topic, properties) -> {
            inside.countDown();
            Rig.await(go);
            return false;
          });
      Recorder r = rig.open().handler();
      rig.dispatch(1);
      Rig.await(inside);
      rig.dispatch(3); // two fit, the third is lost
      go.countDown();
      assertEquals(EventType.EVENT_OVERFLOW, r.await(4).types().getLast());
      assertEquals(List.of(1L, 2L, 3L, 4L), r.sequences());
    }
  }

  @Test
  @DisplayName(
      "D8: an event of an object is none of the device: refused, and nothing is dispatched")
  void affiliated() {
    try (Rig rig = new Rig()) {
      Recorder r = rig.open().handler();
      assertThrows(
          IllegalArgumentException.class, () -> rig.events.dispatch(EventType.QP_FATAL, 0));
      rig.dispatch(1);
      assertEquals(List.of(1L), r.await(1).sequences());
      assertEquals(1, rig.events.stats().dispatched());
    }
  }

  @Test
  @DisplayName("CC-16: what comes after the close is counted late, also of a device never opened")
  void late() {
    Rig open = new Rig();
    Recorder r = open.open().handler();
    open.events.close();
    open.dispatch(3);
    assertTrue(open.events.drain(Rig.FOREVER));
    assertEquals(3, open.events.stats().late());
    assertEquals(List.of(), r.heard());
    open.hub.close();

    Rig never = new Rig();
    never.dispatch(2);
    never.events.close();
    assertEquals(2, never.events.stats().late());
    never.events.close(); // counts nothing again
    assertTrue(never.events.drain(Rig.FOREVER));
    assertEquals(2, never.events.stats().late());
    assertEquals(0, never.events.stats().dispatched());
    never.hub.close();
  }

  @Test
  @DisplayName("I4: a drain that a handler outlives says so; it is done when the handler returns")
  void outlived() {
    Rig rig = new Rig();
    rig.open();
    CountDownLatch inside = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    rig.events.register(
        rig.client,
        new Recorder(
            rig.client,
            e -> {
              inside.countDown();
              Rig.await(go);
            }));
    rig.dispatch(1);
    Rig.await(inside);
    assertFalse(rig.events.closeAndDrain(1));
    go.countDown();
    Rig.until(() -> rig.events.drain(Rig.FOREVER));
    rig.hub.close();
  }

  @Test
  @DisplayName("CC-23: the events after a reset have the numbers that follow")
  void afterReset() {
    Rig rig = new Rig();
    Recorder before = rig.open().handler();
    rig.dispatch(3);
    assertTrue(rig.events.closeAndDrain(Rig.FOREVER));
    assertEquals(List.of(1L, 2L, 3L), before.sequences());
    DeviceEvents next = rig.events.next();
    rig.device.connect(next.sink(), null);
    next.open();
    Recorder after = new Recorder(rig.client);
    next.register(rig.client, after);
    rig.dispatch(1);
    assertEquals(List.of(4L), after.await(1).sequences());
    assertTrue(next.closeAndDrain(Rig.FOREVER));
    rig.hub.close();
  }

  @Test
  @DisplayName("CC-16: once a drain does not wait for the dispatcher, no event goes on the bus")
  void overInsideQuery() {
    Rig rig = new Rig();
    rig.hub.bus(bus);
    Recorder r = rig.open().handler();
    CompletableFuture<Boolean> drained = new CompletableFuture<>();
    rig.device
        .faults()
        .at(
            "queryGid",
            () -> {
              if (!drained.isDone()) {
                drained.complete(rig.events.closeAndDrain(Rig.FOREVER));
              }
            });
    rig.dispatch(1);
    assertFalse(drained.join(), "inside a query of the driver");
    Rig.until(rig.events::hasEnded);
    assertTrue(bus.posts.isEmpty());
    assertEquals(List.of(), r.heard());
    rig.hub.close();
  }
}
