package ib.core.internal.event;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.client.Violation;
import ib.core.internal.waits.WaitGraph;
import ib.core.testing.FakeDevice;
import ib.core.verbs.EventType;
import ib.core.verbs.IbDeadlockException;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbDisassociatedException;
import ib.core.verbs.IbEvent;
import ib.core.verbs.IbEventHandler;
import ib.core.verbs.IbException;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.IbTimedOutException;
import java.lang.ref.WeakReference;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The table alone; the test is its dispatcher. */
@DisplayName("S43: registering, calling and unregistering handlers, step by step")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class HandlerTableTest {
  private static final String CULPRIT = Recorder.class.getName();

  private final Rig rig = new Rig();
  private final EventCounters counters = new EventCounters();
  private final HandlerTable table = new HandlerTable(rig.hub, counters);
  private final IbDevice other = new FakeDevice("other handle");
  private final CountDownLatch inside = new CountDownLatch(1);
  private final CountDownLatch go = new CountDownLatch(1);
  private long number;

  private void offer() {
    table.offer(new DeviceEvent(EventType.LID_CHANGE, 1, 0, ++number, 7));
  }

  private Recorder registered(Consumer<IbEvent> action) {
    Recorder r = new Recorder(rig.client, action);
    table.register(rig.client, r);
    return r;
  }

  /** Its first call does not return before {@link #go}. */
  private Recorder blocked() {
    Recorder r =
        registered(
            e -> {
              inside.countDown();
              Rig.await(go);
            });
    offer();
    Rig.await(inside);
    return r;
  }

  private static void assertText(String text, IbException thrown) {
    assertTrue(thrown.getMessage().contains(text), thrown::getMessage);
  }

  private Violation violation(String clause, String text) {
    assertEquals(1, rig.reports.violations.size());
    Violation v = rig.reports.violations.getFirst();
    assertEquals(clause, v.clause());
    assertEquals(CULPRIT, v.culprit());
    assertEquals("event handler " + CULPRIT + " of client's handle " + text, v.text());
    return v;
  }

  @Test
  @DisplayName("S43: what cannot be registered is refused, each with its reason")
  void refused() {
    Recorder mine = registered(e -> {});
    assertText(
        "registered already",
        assertThrows(IbInvalidException.class, () -> table.register(rig.client, mine)));
    assertText(
        "made for another handle, of client's handle",
        assertThrows(IbInvalidException.class, () -> table.register(other, mine)));
    assertTrue(table.closeOwner(rig.client, Rig.FOREVER).fenced());
    assertThrows(IbDisassociatedException.class, () -> table.register(rig.client, mine));
    table.register(other, new Recorder(other));
    assertTrue(table.closeAll(Rig.FOREVER));
    assertThrows(IbDisassociatedException.class, () -> table.register(other, new Recorder(other)));
  }

  @Test
  @DisplayName("S43: a handler is unregistered by the handle that it was made for, and by no other")
  void ofAnother() {
    Recorder r = registered(e -> {});
    table.unregister(other, r);
    offer();
    r.await(1);
    table.unregister(rig.client, r);
    offer();
    table.register(rig.client, r);
    offer();
    assertEquals(List.of(1L, 3L), r.await(2).sequences());
  }

  @Test
  @DisplayName("S43: only inside of a call is its thread inside its handler, owner and device")
  void whereInside() {
    CompletableFuture<List<Boolean>> seen = new CompletableFuture<>();
    AtomicReference<Recorder> self = new AtomicReference<>();
    Recorder second = new Recorder(other);
    Recorder stranger = new Recorder(other);
    self.set(
        registered(
            e ->
                seen.complete(
                    List.of(
                        table.inside(rig.client),
                        table.inside((IbDevice) null),
                        table.inside(self.get()),
                        table.inside(other),
                        table.inside(second),
                        table.inside(stranger)))));
    table.register(other, second);
    offer();
    assertEquals(List.of(true, true, true, false, false, false), seen.join());
    assertFalse(table.inside(rig.client));
    assertFalse(table.inside((IbDevice) null));
    assertFalse(table.inside(self.get()));
  }

  @Test
  @DisplayName("S43: unregistering gives up at the deadline; the handler is called no more")
  void tooLong() {
    Recorder r = blocked();
    offer();
    rig.hub.waits.deadlineNs(0);
    assertText(
        "its call does not return",
        assertThrows(IbTimedOutException.class, () -> table.unregister(rig.client, r)));
    Violation v = violation("S43", "did not return in time: it is left running");
    assertTrue(v.stack().stream().anyMatch(s -> s.contains("HandlerTableTest")));
    go.countDown();
    assertTrue(table.closeAll(Rig.FOREVER));
    assertEquals(1, r.heard().size());
  }

  @Test
  @DisplayName("S43: registered again while its old call runs, a handler gets the new events only")
  void again() {
    Recorder r = blocked();
    offer();
    rig.hub.waits.deadlineNs(0);
    assertThrows(IbTimedOutException.class, () -> table.unregister(rig.client, r));
    offer();
    table.register(rig.client, r);
    assertThrows(IbInvalidException.class, () -> table.register(rig.client, r));
    offer();
    go.countDown();
    assertEquals(List.of(1L, 4L), r.await(2).sequences());
    assertFalse(r.overlapped());
  }

  @Test
  @DisplayName("CC-19: a handler given up holds the end of the device up until its call returns")
  void givenUp() {
    Recorder r = blocked();
    ClosedHandlers closed = table.closeOwner(rig.client, 0);
    assertFalse(closed.fenced());
    assertEquals(List.of(CULPRIT), closed.leftovers());
    violation("S43", "did not return in time: it is left running");
    assertFalse(table.closeAll(Rig.FOREVER), "closeAll does not wait for it again");
    assertEquals(1, rig.reports.violations.size());
    go.countDown();
    Rig.until(() -> table.closeAll(Rig.FOREVER));
    assertFalse(r.isInside());
  }

  @Test
  @DisplayName("CC-16: the end of the device waits for the events that are queued, then ends them")
  void queued() throws InterruptedException {
    Recorder r = blocked();
    offer();
    offer();
    CompletableFuture<Boolean> closed = new CompletableFuture<>();
    Thread t = Thread.ofPlatform().start(() -> closed.complete(table.closeAll(Rig.FOREVER)));
    Rig.until(() -> t.getState() == Thread.State.TIMED_WAITING);
    go.countDown();
    assertTrue(closed.join());
    t.join();
    assertEquals(List.of(1L, 2L, 3L), r.sequences());
    offer();
    assertFalse(r.isInside());
    assertEquals(3, counters.stats().delivered());
  }

  @Test
  @DisplayName("CC-17: what a handler does to itself inside its call is reported and ends with it")
  void itself() {
    CompletableFuture<ClosedHandlers> closed = new CompletableFuture<>();
    Recorder r = registered(e -> closed.complete(table.closeOwner(rig.client, Rig.FOREVER)));
    offer();
    offer();
    assertFalse(closed.join().fenced());
    violation("CC-17", "is removed from inside its own call: it ends when the call returns");
    assertTrue(table.closeAll(Rig.FOREVER));
    assertEquals(1, r.heard().size());
  }

  @Test
  @DisplayName("CC-17: a handler that unregistered itself is dropped when its call returns")
  void dropped() {
    AtomicReference<Recorder> self = new AtomicReference<>();
    CompletableFuture<Boolean> done = new CompletableFuture<>();
    self.set(
        registered(
            e -> {
              table.unregister(rig.client, self.get());
              done.complete(table.inside(self.get()));
            }));
    offer();
    assertTrue(done.join(), "it is inside until its call returns");
    violation("CC-17", "unregistered itself inside its own call: it ends when the call returns");
    assertTrue(table.closeAll(Rig.FOREVER));
  }

  @Test
  @DisplayName("S43: a close that its handler waits for is refused at once, and reported")
  void crossed() {
    CompletableFuture<Boolean> crossed = new CompletableFuture<>();
    CompletableFuture<IbDeadlockException> refused = new CompletableFuture<>();
    AtomicReference<Recorder> first = new AtomicReference<>();
    CountDownLatch both = new CountDownLatch(2);
    Recorder second =
        new Recorder(
            other,
            e -> {
              both.countDown();
              Rig.await(both);
              try {
                table.unregister(rig.client, first.get());
              } catch (IbDeadlockException deadlock) {
                refused.complete(deadlock);
              }
            });
    first.set(
        registered(
            e -> {
              both.countDown();
              Rig.await(both);
              crossed.complete(table.closeOwner(other, Rig.FOREVER).fenced());
            }));
    table.register(other, second);
    offer();
    assertText("unregister from outside", refused.join());
    assertTrue(crossed.join(), "the close waits, the refused handler has returned");
  }

  @Test
  @DisplayName("CC-19: of two handlers that close each other's owner one is left running, reported")
  void closeEachOther() {
    CountDownLatch both = new CountDownLatch(2);
    List<Boolean> fenced = new CopyOnWriteArrayList<>();
    table.register(other, new Recorder(other, e -> fenced.add(closes(rig.client, both))));
    registered(e -> fenced.add(closes(other, both)));
    offer();
    Rig.until(() -> fenced.size() == 2);
    assertTrue(fenced.contains(false));
    assertEquals(1, rig.reports.violations.size());
    Violation v = rig.reports.violations.getFirst();
    assertEquals("S43", v.clause());
    assertTrue(v.text().contains("waits, in the end, for the thread that closes it"), v::text);
  }

  private boolean closes(IbDevice owner, CountDownLatch both) {
    both.countDown();
    Rig.await(both);
    return table.closeOwner(owner, Rig.FOREVER).fenced();
  }

  @Test
  @DisplayName("B8: an interrupt that came during a call does not reach the next call")
  void interrupted() {
    CompletableFuture<Boolean> next = new CompletableFuture<>();
    registered(
        e -> {
          if (e.sequence() == 1) {
            inside.countDown();
            Rig.await(go);
            Thread.currentThread().interrupt();
          } else {
            next.complete(Thread.currentThread().isInterrupted());
          }
        });
    offer();
    Rig.await(inside);
    offer(); // the same thread handles it next
    go.countDown();
    assertFalse(next.join());
    assertTrue(table.closeAll(Rig.FOREVER));
    assertEquals(2, counters.stats().delivered());
    assertEquals(0, counters.stats().handlerErrors());
  }

  @Test
  @DisplayName("S12, S26: a handler that throws leaves its section, is counted and reported")
  void surroundings() {
    List<String> steps = new CopyOnWriteArrayList<>();
    AtomicSection section =
        new AtomicSection() {
          @Override
          public void enter(IbEventHandler handler) {
            steps.add("enter " + ((Recorder) handler).heard().size());
          }

          @Override
          public void exit() {
            steps.add("exit");
          }
        };
    Reports reports = new Reports();
    EventHub hub = new EventHub(EventConfig.DEFAULT, reports, section, new WaitGraph());
    HandlerTable own = new HandlerTable(hub, counters);
    own.register(
        rig.client,
        new Recorder(
            rig.client,
            e -> {
              steps.add("call");
              throw new LinkageError("planted");
            }));
    own.offer(new DeviceEvent(EventType.LID_CHANGE, 1, 0, 1, 7));
    assertTrue(own.closeAll(Rig.FOREVER));
    assertEquals(List.of("enter 0", "call", "exit"), steps);
    assertEquals(1, counters.stats().handlerErrors());
    assertEquals(1, counters.stats().delivered());
    assertTrue(reports.tellsOf("event handler " + CULPRIT + " threw at"));
    assertTrue(reports.tellsOf("planted"));
  }

  private WeakReference<Recorder> unregistered() {
    Recorder r = registered(e -> {});
    table.unregister(rig.client, r);
    return new WeakReference<>(r);
  }

  private WeakReference<Recorder> closed() {
    Recorder r = registered(e -> {});
    table.closeOwner(rig.client, Rig.FOREVER);
    return new WeakReference<>(r);
  }

  private static void awaitCleared(WeakReference<Recorder> handler) {
    Rig.until(
        () -> {
          System.gc();
          return handler.get() == null;
        });
  }

  @Test
  @DisplayName("B10: the table holds no handler that was unregistered or whose owner was closed")
  void forgotten() {
    awaitCleared(unregistered());
    awaitCleared(closed());
    assertTrue(table.closeAll(Rig.FOREVER));
  }

  @Test
  @DisplayName("S42: an event has the handle, no object, and the time of the device's event")
  void event() {
    Recorder r = registered(e -> {});
    offer();
    assertNull(r.await(1).heard().getFirst().element());
    assertSame(rig.client, r.heard().getFirst().device());
    assertEquals(7, r.heard().getFirst().timeNs());
  }
}
