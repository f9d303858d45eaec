package ib.core.internal.event;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.internal.waits.WaitGraph;
import ib.core.testing.FakeDevice;
import ib.core.verbs.EventType;
import ib.core.verbs.IbDeadlockException;
import ib.core.verbs.IbDisassociatedException;
import ib.core.verbs.IbEvent;
import ib.core.verbs.IbInvalidException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(600)
class HandlerTest {

  @Test
  @DisplayName("S43: when unregister returns, the handler neither runs nor will; 2,000 races")
  void fence() throws Exception {
    try (Rig rig = new Rig()) {
      rig.open();
      Thread poster = Thread.ofPlatform().daemon().unstarted(() -> postUntilInterrupted(rig));
      poster.start();
      for (int i = 0; i < 2_000; i++) {
        Recorder r = new Recorder(rig.client, e -> Thread.yield());
        rig.events.register(rig.client, r);
        if (i % 4 != 0) {
          r.await(i % 4);
        }
        rig.events.unregister(rig.client, r);
        assertFalse(r.isInside(), "runs after unregister returned");
        int heard = r.heard().size();
        Thread.yield();
        assertEquals(heard, r.heard().size(), "called after unregister returned");
        assertFalse(r.overlapped());
      }
      poster.interrupt();
      poster.join();
    }
  }

  private static void postUntilInterrupted(Rig rig) {
    while (!Thread.currentThread().isInterrupted()) {
      rig.dispatch(EventType.SM_CHANGE);
      Thread.onSpinWait();
    }
  }

  @Test
  @DisplayName("S43, B8: unregister waits for the call that runs; an interrupt is kept for later")
  void fenceWaits() throws Exception {
    try (Rig rig = new Rig()) {
      CountDownLatch inside = new CountDownLatch(1);
      CountDownLatch go = new CountDownLatch(1);
      Recorder r =
          new Recorder(
              rig.client,
              e -> {
                inside.countDown();
                Rig.await(go);
              });
      rig.open().events.register(rig.client, r);
      rig.dispatch(5);
      Rig.await(inside);
      CompletableFuture<Boolean> flag = new CompletableFuture<>();
      Thread t =
          Thread.ofPlatform()
              .start(
                  () -> {
                    rig.events.unregister(rig.client, r);
                    flag.complete(Thread.currentThread().isInterrupted());
                  });
      Rig.until(() -> t.getState() == Thread.State.TIMED_WAITING);
      t.interrupt();
      // the fence has noticed the interrupt, and waits again; or has ended, which is wrong
      Rig.until(() -> !t.isAlive() || !t.isInterrupted());
      Rig.until(() -> !t.isAlive() || t.getState() == Thread.State.TIMED_WAITING);
      assertFalse(flag.isDone(), "the interrupt ended the fence (2.6-8c)");
      go.countDown();
      assertTrue(flag.get(5, TimeUnit.MINUTES), "the flag is gone");
      assertFalse(r.isInside());
      assertEquals(1, r.heard().size());
    }
  }

  @Test
  @DisplayName("CC-17: a handler that unregisters itself inside is called no more, and reported")
  void insideItself() {
    try (Rig rig = new Rig()) {
      AtomicReference<Recorder> self = new AtomicReference<>();
      Recorder r = new Recorder(rig.client, e -> rig.events.unregister(rig.client, self.get()));
      self.set(r);
      rig.open().events.register(rig.client, r);
      Recorder other = rig.handler();
      rig.dispatch(3);
      other.await(3);
      assertTrue(rig.events.closeAndDrain(Rig.FOREVER));
      assertEquals(1, r.heard().size());
      assertEquals("CC-17", rig.reports.violations.getFirst().clause());
      assertEquals(Recorder.class.getName(), rig.reports.violations.getFirst().culprit());
    }
  }

  @Test
  @DisplayName("CC-17: registered again inside, its calls stay one at a time")
  void againInside() {
    try (Rig rig = new Rig()) {
      AtomicReference<Recorder> self = new AtomicReference<>();
      Recorder r =
          new Recorder(
              rig.client,
              e -> {
                if (e.sequence() == 1) {
                  rig.events.unregister(rig.client, self.get());
                  rig.events.register(rig.client, self.get());
                  rig.dispatch(10);
                  Thread.yield();
                }
              });
      self.set(r);
      rig.open().events.register(rig.client, r);
      rig.dispatch(1);
      r.await(11);
      assertFalse(r.overlapped());
      assertEquals(List.of(), Checker.faults(r.heard()));
    }
  }

  @Test
  @DisplayName(
      "S43: two handlers unregister each other: one gets IbDeadlockException, neither hangs")
  void eachOther() throws Exception {
    try (Rig rig = new Rig()) {
      CountDownLatch both = new CountDownLatch(2);
      AtomicReference<Recorder> first = new AtomicReference<>();
      AtomicReference<Recorder> second = new AtomicReference<>();
      CompletableFuture<IbDeadlockException> told = new CompletableFuture<>();
      first.set(new Recorder(rig.client, e -> cross(rig, both, second, told)));
      second.set(new Recorder(rig.client, e -> cross(rig, both, first, told)));
      rig.open().events.register(rig.client, first.get());
      rig.events.register(rig.client, second.get());
      rig.dispatch(1);
      assertTrue(told.get().getMessage().contains("unregister from outside"));
    }
  }

  private static void cross(
      Rig rig,
      CountDownLatch both,
      AtomicReference<Recorder> other,
      CompletableFuture<IbDeadlockException> told) {
    both.countDown();
    Rig.await(both);
    try {
      rig.events.unregister(rig.client, other.get());
    } catch (IbDeadlockException e) {
      told.complete(e);
    }
  }

  @Test
  @DisplayName(
      "F22: a slow handler delays no other one, and gets the number of lost events in their place")
  void slow() {
    try (Rig rig = new Rig(1024, 4)) {
      CountDownLatch inside = new CountDownLatch(1);
      CountDownLatch go = new CountDownLatch(1);
      Recorder slow =
          new Recorder(
              rig.client,
              e -> {
                inside.countDown();
                Rig.await(go);
              });
      rig.open().events.register(rig.client, slow); // first, so that it is offered each event first
      Recorder quick = rig.handler();
      rig.dispatch(1);
      Rig.await(inside);
      for (int i = 2; i <= 10; i++) { // one by one: the quick one has four places too
        rig.dispatch(1);
        quick.await(i);
      }
      go.countDown();
      slow.await(6);
      rig.dispatch(EventType.LID_CHANGE);
      slow.await(7);
      assertEquals(List.of(1L, 2L, 3L, 4L, 5L, 10L, 11L), slow.sequences());
      IbEvent overflow = slow.heard().get(5);
      assertEquals(EventType.EVENT_OVERFLOW, overflow.type());
      assertEquals(5, overflow.port());
      assertEquals(List.of(), Checker.faults(slow.heard()));
      assertEquals(List.of(), Checker.faults(quick.heard()));
      assertEquals(5, rig.events.stats().handlerLost());
    }
  }

  @Test
  @DisplayName("S12: a handler that throws, even an Error, is counted, reported, and goes on")
  void throwing() {
    try (Rig rig = new Rig()) {
      Recorder r =
          new Recorder(
              rig.client,
              e -> {
                if (e.sequence() % 2 == 0) {
                  throw new IllegalStateException("planted");
                }
                throw new LinkageError("planted");
              });
      rig.open().events.register(rig.client, r);
      rig.dispatch(4);
      assertEquals(List.of(1L, 2L, 3L, 4L), r.await(4).sequences());
      assertTrue(rig.events.closeAndDrain(Rig.FOREVER));
      assertEquals(4, rig.events.stats().handlerErrors());
      assertTrue(rig.reports.tellsOf("planted"));
    }
  }

  @Test
  @DisplayName("I7: a handler hears what comes after it was registered, and nothing from before")
  void fromNowOn() {
    try (Rig rig = new Rig()) {
      Recorder early = rig.open().handler();
      rig.dispatch(5);
      early.await(5);
      Recorder late = rig.handler();
      rig.dispatch(2);
      assertEquals(List.of(6L, 7L), late.await(2).sequences());
    }
  }

  @Test
  @DisplayName("I7, I4: nothing after the client's gate is closed; what it left is named")
  void clientGate() {
    try (Rig rig = new Rig()) {
      Recorder mine = rig.open().handler();
      FakeDevice handle = new FakeDevice("another client");
      Recorder theirs = new Recorder(handle);
      rig.events.register(handle, theirs);
      rig.dispatch(1);
      mine.await(1);
      theirs.await(1);
      ClosedHandlers closed = rig.events.closeOwner(rig.client, Rig.FOREVER);
      assertTrue(closed.fenced());
      assertEquals(List.of(Recorder.class.getName()), closed.leftovers());
      rig.dispatch(2);
      theirs.await(3);
      assertEquals(1, mine.heard().size());
      assertThrows(IbDisassociatedException.class, rig::handler);
      assertEquals(List.of(), rig.events.closeOwner(rig.client, Rig.FOREVER).leftovers());
    }
  }

  @Test
  @DisplayName("I4: a gate closed inside the client's own handler says so and does not hang")
  void gateInside() {
    try (Rig rig = new Rig()) {
      CompletableFuture<Boolean> fenced = new CompletableFuture<>();
      Recorder r =
          new Recorder(
              rig.client,
              e -> {
                assertTrue(rig.events.insideHandler(rig.client));
                fenced.complete(rig.events.closeOwner(rig.client, Rig.FOREVER).fenced());
              });
      rig.open().events.register(rig.client, r);
      rig.dispatch(1);
      assertFalse(fenced.join());
      assertFalse(rig.events.insideHandler(null));
    }
  }

  @Test
  @DisplayName(
      "CC-19: a handler that never returns is left running after the deadline, with its stack")
  void never() {
    Rig rig = new Rig();
    CountDownLatch inside = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    Recorder r =
        new Recorder(
            rig.client,
            e -> {
              inside.countDown();
              Rig.await(go);
            });
    rig.open().events.register(rig.client, r);
    rig.dispatch(1);
    Rig.await(inside);
    assertFalse(rig.events.closeOwner(rig.client, 0).fenced());
    assertEquals("S43", rig.reports.violations.getFirst().clause());
    assertTrue(
        rig.reports.violations.getFirst().stack().stream()
            .anyMatch(s -> s.contains("HandlerTest")));
    // nobody waits for it again: the device goes, and says that something runs
    assertFalse(rig.events.closeAndDrain(Rig.FOREVER));
    go.countDown();
    rig.hub.close();
  }

  @Test
  @DisplayName("S43: registered twice or for another handle is refused, unknown is ignored")
  void refused() {
    try (Rig rig = new Rig()) {
      Recorder r = rig.open().handler();
      assertThrows(IbInvalidException.class, () -> rig.events.register(rig.client, r));
      Recorder foreign = new Recorder(new FakeDevice("another"));
      assertThrows(IbInvalidException.class, () -> rig.events.register(rig.client, foreign));
      rig.events.unregister(rig.client, foreign);
      rig.events.unregister(rig.client, r);
      rig.events.unregister(rig.client, r);
      rig.events.register(rig.client, r);
      rig.dispatch(1);
      r.await(1);
    }
  }

  @Test
  @DisplayName("S26: a handler runs in an atomic section, under its bundle's class loader")
  void section() {
    Reports reports = new Reports();
    CompletableFuture<List<Object>> seen = new CompletableFuture<>();
    ThreadLocal<Integer> depth = ThreadLocal.withInitial(() -> 0);
    AtomicSection section =
        new AtomicSection() {
          @Override
          public void enter(ib.core.verbs.IbEventHandler handler) {
            depth.set(depth.get() + 1);
          }

          @Override
          public void exit() {
            depth.set(depth.get() - 1);
          }
        };
    EventHub hub = new EventHub(EventConfig.DEFAULT, reports, section, new WaitGraph());
    FakeDevice device = new FakeDevice("atomic0");
    DeviceEvents events = hub.device(device);
    device.connect(events.sink(), null);
    events.open();
    events.register(
        device,
        new Recorder(
            device,
            e ->
                seen.complete(
                    List.of(depth.get(), Thread.currentThread().getContextClassLoader()))));
    device.dispatchEvent(EventType.DEVICE_FATAL, 0);
    assertEquals(List.of(1, Recorder.class.getClassLoader()), seen.join());
    assertTrue(events.closeAndDrain(Rig.FOREVER));
    hub.close();
  }
}
