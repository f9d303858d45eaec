package ib.core.internal.event;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.serial.Serial.Here;
import ib.core.verbs.EventType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The dispatcher alone; the test runs it, and its poster has no thread. */
@DisplayName("D8: one run of the dispatcher after the other")
@Timeout(600)
class DispatcherTest {
  private static final long TIMEOUT = Rig.TIMEOUT_NS;
  private static final EventType ACTIVE = EventType.PORT_ACTIVE;

  private final Rig rig = new Rig();
  private final EventCounters counters = rig.events.counters;
  private final List<DeviceEvent> handed = new ArrayList<>();
  private final List<Long> overdue = new ArrayList<>();
  private boolean throwing;
  private final ReturnWindow window = new ReturnWindow(4, counters.detours, this::hand);
  private final EventRing ring = new EventRing(64);
  private final Poster poster = new Poster(rig.hub, rig.events);
  private final CacheRefresher refresher =
      new CacheRefresher(rig.hub, counters, new PortCaches(rig.device));
  private final Dispatcher dispatcher =
      new Dispatcher(rig.hub, rig.events, refresher, window, ring, poster);

  /** Takes everything and gives nothing back. */
  private final EventBus silent =
      new EventBus() {
        @Override
        public boolean post(String topic, Map<String, Object> properties) {
          return true;
        }

        @Override
        public void overdue(String device, long sequence) {
          assertEquals("fake0", device);
          overdue.add(sequence);
        }
      };

  private void hand(DeviceEvent event) {
    handed.add(event);
    if (throwing) {
      throwing = false;
      throw new IllegalStateException("planted");
    }
  }

  @AfterEach
  void end() {
    rig.close();
  }

  private long now() {
    return rig.clock.nanoTime();
  }

  private void offer(int count) {
    for (int i = 0; i < count; i++) {
      ring.offer(ACTIVE, 1, now());
    }
  }

  private void run() {
    assertEquals(Here.RAN, dispatcher.runHere());
  }

  /** Offers one event and runs the dispatcher. */
  private void dispatch() {
    offer(1);
    run();
  }

  private List<Long> numbers() {
    return handed.stream().map(DeviceEvent::sequence).toList();
  }

  @Test
  @DisplayName("D8: a run takes 16 events at most, and asks for another run when it took as many")
  void portions() {
    rig.hub.bus(null);
    offer(40);
    run();
    assertEquals(16, handed.size());
    assertEquals(Here.QUEUED, dispatcher.runHere());
    dispatcher.run();
    assertEquals(32, handed.size());
    assertEquals(Here.QUEUED, dispatcher.runHere());
    dispatcher.run();
    assertEquals(LongStream.rangeClosed(1, 40).boxed().toList(), numbers());
    assertEquals(0, counters.stats().detours(), "there is no bus to go around");
    assertTrue(dispatcher.claim(), "nothing is left to run for");
  }

  @Test
  @DisplayName("S12: events carry the time of their dispatch, a loss the time of the run")
  void times() {
    rig.hub.bus(null);
    long first = now();
    offer(70);
    rig.clock.advance(5);
    for (dispatcher.runHere(); handed.size() < 65; dispatcher.run()) {
      rig.clock.advance(1);
    }
    assertEquals(first, handed.get(63).timeNs());
    DeviceEvent loss = handed.get(64);
    assertEquals(EventType.EVENT_OVERFLOW, loss.type());
    assertEquals(6, loss.lost());
    assertEquals(65, loss.sequence());
    assertEquals(first + 5 + 4, loss.timeNs());
  }

  @Test
  @DisplayName("D8: a full window keeps the events that follow in the ring until it has room")
  void fullWindow() {
    rig.hub.bus(silent);
    offer(6);
    run();
    assertEquals(List.of(), handed);
    assertTrue(window.full());
    assertTrue(ring.hasWork());
    assertTrue(window.returned(3));
    run();
    assertFalse(ring.hasWork());
    window.returned(6);
    assertEquals(List.of(1L, 2L, 3L, 4L, 5L, 6L), numbers());
  }

  @Test
  @DisplayName(
      "CC-16: a ring that is closed and empty ends the dispatcher, one with events does not")
  void ends() {
    rig.hub.bus(null);
    run();
    assertFalse(dispatcher.isClosed());
    offer(1);
    ring.close();
    run();
    assertEquals(1, handed.size());
    assertTrue(dispatcher.hasEnded());
  }

  @Test
  @DisplayName("CC-16: after the drain no event goes on the bus; that counts as a detour")
  void afterDrain() {
    rig.hub.bus(silent);
    assertTrue(rig.events.closeAndDrain(Rig.FOREVER));
    dispatch();
    assertEquals(List.of(1L), numbers());
    assertEquals(1, counters.stats().detours());
  }

  @Test
  @DisplayName("D8: a held-up bus hears of its first event at once, then after 20 more timeouts")
  void nags() {
    rig.hub.bus(silent);
    offer(3);
    run();
    rig.clock.advance(TIMEOUT - 1);
    run();
    assertEquals(List.of(), handed);
    assertEquals(1, dispatcher.remainingNs(now()));
    rig.clock.advance(1);
    run();
    assertEquals(List.of(1L, 2L, 3L), numbers());
    assertEquals(List.of(1L), overdue);
    assertTrue(rig.reports.tellsOf("event 1 did not come back"));
    dispatch();
    rig.clock.advance(20 * TIMEOUT - 1);
    dispatch();
    assertEquals(List.of(1L), overdue);
    rig.clock.advance(1);
    dispatch();
    assertEquals(List.of(1L, 6L), overdue);
    dispatch();
    assertEquals(List.of(1L, 6L), overdue);
    assertEquals(7, handed.size());
    assertEquals(7, counters.stats().detours());
  }

  @Test
  @DisplayName("D8: a bus that is back is reported at the next run; its next delay is reported too")
  void back() {
    rig.hub.bus(silent);
    dispatch();
    rig.clock.advance(TIMEOUT);
    run();
    assertEquals(1, rig.reports.troubles.size());
    run();
    assertEquals(1, rig.reports.troubles.size());
    window.returned(1);
    run();
    assertTrue(rig.reports.tellsOf("the event bus is back: handlers got 1 events directly, in 1"));
    run();
    assertEquals(2, rig.reports.troubles.size());
    dispatch();
    rig.clock.advance(TIMEOUT);
    run();
    assertEquals(List.of(1L, 2L), overdue);
  }

  @Test
  @DisplayName("F24: a bus that is gone hears nothing of the events that it held up")
  void busGone() {
    rig.hub.bus(silent);
    dispatch();
    rig.hub.bus(null);
    rig.clock.advance(TIMEOUT);
    run();
    assertEquals(List.of(1L), numbers());
    assertEquals(List.of(), overdue);
  }

  @Test
  @DisplayName("S12: a run repeats a refresh that failed, when it is due")
  void refreshes() {
    rig.hub.bus(silent);
    assertEquals(Long.MAX_VALUE, dispatcher.remainingNs(now()));
    rig.device.faults().fail("queryPort");
    dispatch();
    long retry = EventConfig.DEFAULT.refreshRetryNs();
    assertEquals(Math.min(retry, TIMEOUT), dispatcher.remainingNs(now()));
    window.returned(1);
    assertEquals(retry, dispatcher.remainingNs(now()));
    rig.device.faults().clear();
    rig.clock.advance(retry);
    run();
    assertEquals(Long.MAX_VALUE, dispatcher.remainingNs(now()));
  }

  @Test
  @DisplayName("A13: a run that fails is reported, and another one follows for what is left")
  void fails() {
    rig.hub.bus(null);
    throwing = true;
    offer(2);
    run();
    assertEquals(
        List.of(
            "fake0: the event dispatcher failed, and goes on:"
                + " java.lang.IllegalStateException: planted"),
        rig.reports.troubles);
    assertFalse(dispatcher.claim(), "it is queued already");
    dispatcher.run();
    assertEquals(List.of(1L, 2L), numbers());
  }

  @Test
  @DisplayName("A13: a dispatcher that gets no thread is reported, and the next event tries again")
  void noThread() {
    rig.hub.bus(null);
    poster.open();
    rig.starts.failing = true;
    offer(1);
    dispatcher.schedule();
    assertEquals(
        List.of("fake0: cannot start the event dispatcher: java.lang.OutOfMemoryError: planted"),
        rig.reports.troubles);
    rig.starts.failing = false;
    run();
    assertEquals(List.of(1L), numbers());
  }
}
