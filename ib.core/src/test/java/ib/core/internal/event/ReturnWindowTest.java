package ib.core.internal.event;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.EventType;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.Function;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class ReturnWindowTest {
  private static final int TIMEOUT = 250;

  private final List<Long> handed = new ArrayList<>();
  private final LongAdder detours = new LongAdder();
  private final ReturnWindow window = new ReturnWindow(4, detours, e -> handed.add(e.sequence()));

  @Test
  @DisplayName("D8: an event is handed on when it comes back, in order, with those before it")
  void reordered() {
    post(1, 2, 3, 4);
    window.returned(2); // the bus keeps order: it has dropped the first
    assertEquals(List.of(1L, 2L), handed);
    window.returned(1);
    window.returned(2);
    assertEquals(List.of(1L, 2L), handed);
    window.returned(4);
    window.returned(3);
    assertEquals(List.of(1L, 2L, 3L, 4L), handed);
    assertEquals(0, detours.sum());
  }

  @Test
  @DisplayName("D8: the return of an event that was never posted is ignored, then and later")
  void forged() {
    post(1, 2);
    assertEquals(2, window.expire(TIMEOUT));
    assertFalse(window.returned(3));
    assertTrue(window.detour());
    assertFalse(window.posted(event(3), TIMEOUT));
    assertTrue(window.returned(3));
    post(4);
    assertFalse(window.returned(5));
    assertEquals(List.of(1L, 2L, 3L), handed);
    assertEquals(0, window.remainingNs(TIMEOUT));
  }

  @Test
  @DisplayName("D8: when the oldest is overdue, all go, and those after until the bus catches up")
  void detour() {
    post(1, 2);
    assertEquals(0, window.expire(TIMEOUT - 1));
    assertEquals(2, window.expire(TIMEOUT));
    assertTrue(window.detour());
    assertFalse(window.posted(event(3), 2 * TIMEOUT));
    assertEquals(List.of(1L, 2L, 3L), handed);
    assertFalse(window.returned(1));
    assertTrue(window.detour());
    assertTrue(window.returned(3), "the dispatcher tells of the end");
    assertFalse(window.detour());
    assertFalse(window.returned(3), "once");
    assertTrue(window.posted(event(4), 2 * TIMEOUT));
    assertEquals(List.of(1L, 2L, 3L), handed);
    window.returned(4);
    assertEquals(List.of(1L, 2L, 3L, 4L), handed);
  }

  @Test
  @DisplayName("D8: what is not posted follows what was")
  void direct() {
    post(1, 2);
    window.direct(event(3));
    window.returned(1);
    assertEquals(List.of(1L, 2L, 3L), handed);
  }

  @Test
  @DisplayName("CC-16: a closed window waits for nothing")
  void closed() {
    post(1);
    window.close();
    assertTrue(window.posted(event(2), TIMEOUT), "the end of a device is no detour");
    assertEquals(0, detours.sum());
    assertEquals(List.of(1L, 2L), handed);
    assertEquals(Long.MAX_VALUE, window.remainingNs(0));
  }

  @Test
  @DisplayName("D8: the window bounds what is on the bus")
  void full() {
    post(1, 2, 3, 4);
    assertTrue(window.full());
    assertTrue(window.returned(1));
    assertFalse(window.full());
    assertFalse(window.returned(2), "it was not full before");
    post(5, 6);
    assertTrue(window.full());
    assertFalse(window.returned(2), "again");
    assertTrue(window.full());
  }

  @Test
  @DisplayName("D8: detours are counted, each event once; a window that is not full makes no room")
  void counted() {
    post(1, 2);
    assertFalse(window.returned(1));
    assertEquals(0, detours.sum());
    post(3);
    assertEquals(2, window.expire(TIMEOUT));
    assertEquals(0, window.expire(TIMEOUT));
    assertEquals(2, detours.sum());
    assertFalse(window.posted(event(4), 2 * TIMEOUT));
    assertEquals(3, detours.sum());
    assertEquals(0, window.flush());
    window.returned(4);
    post(5, 6);
    assertEquals(2, window.flush());
    assertEquals(3, detours.sum(), "a flush is no detour");
    assertEquals(List.of(1L, 2L, 3L, 4L, 5L, 6L), handed);
  }

  @Test
  @DisplayName("D8: the oldest event that waits says when the window is overdue")
  void remaining() {
    assertEquals(Long.MAX_VALUE, window.remainingNs(100));
    assertEquals(0, window.expire(Long.MAX_VALUE));
    assertTrue(window.posted(event(1), 300));
    assertTrue(window.posted(event(2), 500));
    assertEquals(200, window.remainingNs(100));
    window.returned(1);
    assertEquals(400, window.remainingNs(100));
  }

  @Test
  @DisplayName("D8: 2,000 random buses: exactly once and in order")
  void anyBus() {
    for (int seed = 0; seed < 2_000; seed++) {
      List<String> faults = play(seed, sink -> new ReturnWindow(8, new LongAdder(), sink));
      assertEquals(List.of(), faults, "seed " + seed);
    }
  }

  @Test
  @DisplayName("D8: canary: a window that hands on at every return is caught")
  void canaryRepeats() {
    assertTrue(caught(Repeating::new));
  }

  @Test
  @DisplayName("D8: canary: a window that forgets what waits when it takes a detour is caught")
  void canaryForgets() {
    assertTrue(caught(Forgetting::new));
  }

  private static boolean caught(Function<Consumer<DeviceEvent>, ReturnWindow> planted) {
    for (int seed = 0; seed < 100; seed++) {
      if (!play(seed, planted).isEmpty()) {
        return true;
      }
    }
    return false;
  }

  /** A bus that returns at random, late, repeatedly, out of order or never. */
  private static List<String> play(
      int seed, Function<Consumer<DeviceEvent>, ReturnWindow> factory) {
    Random random = new Random(seed);
    Checker checker = new Checker(0);
    ReturnWindow w = factory.apply(e -> checker.event(e.type(), e.sequence(), e.lost()));
    long now = 0;
    long next = 1;
    for (int step = 0; step < 200; step++) {
      switch (random.nextInt(8)) {
        case 0, 1, 2 -> {
          if (!w.full()) {
            w.posted(event(next++), now + TIMEOUT);
          }
        }
        case 3, 4 -> w.returned(1 + random.nextLong(next));
        case 5 -> w.returned(next - 1);
        case 6 -> now += random.nextInt(TIMEOUT);
        default -> {
          if (random.nextInt(4) == 0) {
            w.direct(event(next++));
          }
        }
      }
      w.expire(now);
    }
    w.close();
    checker.event(EventType.PORT_ACTIVE, next, 0); // all up to here were handed on
    return checker.faults();
  }

  /** Plants: no memory of what was handed on. */
  private static final class Repeating extends ReturnWindow {
    private final Consumer<DeviceEvent> sink;

    Repeating(Consumer<DeviceEvent> sink) {
      super(8, new LongAdder(), sink);
      this.sink = sink;
    }

    @Override
    synchronized boolean returned(long sequence) {
      sink.accept(event(sequence));
      return false;
    }
  }

  /** Plants: what waits is left waiting while later events take the detour. */
  private static final class Forgetting extends ReturnWindow {
    private final Consumer<DeviceEvent> sink;

    Forgetting(Consumer<DeviceEvent> sink) {
      super(8, new LongAdder(), sink);
      this.sink = sink;
    }

    @Override
    synchronized void direct(DeviceEvent event) {
      sink.accept(event);
    }
  }

  private void post(long... sequences) {
    for (long s : sequences) {
      assertTrue(window.posted(event(s), TIMEOUT));
    }
  }

  private static DeviceEvent event(long sequence) {
    return new DeviceEvent(EventType.PORT_ACTIVE, 1, 0, sequence, 0);
  }
}
