package ib.core.internal.event;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("D8: bounds of the event path")
class BusLagTest {
  private static final long PROBE_NS = 100;

  private final BusLag lag = new BusLag(4, PROBE_NS);

  private void post(long... keys) {
    for (long key : keys) {
      lag.posted(key, 0);
    }
  }

  @Test
  @DisplayName("D8: the bus gets so many events and no more; mirrored ones get half of the room")
  void limit() {
    post(1);
    assertTrue(lag.mayPost(0, true));
    post(2);
    assertFalse(lag.mayPost(0, true));
    post(3);
    assertTrue(lag.mayPost(0, false));
    post(4);
    assertFalse(lag.mayPost(0, false));
    lag.returned(1);
    assertTrue(lag.mayPost(0, false));
    assertFalse(lag.mayPost(0, true));
  }

  @Test
  @DisplayName("D8: when the latest is back nothing is out, and repeated returns make no room")
  void returns() {
    post(1, 2, 3, 4);
    lag.returned(4);
    assertTrue(lag.mayPost(0, true));
    lag.returned(1);
    lag.returned(2);
    post(5, 6);
    assertFalse(lag.mayPost(0, true));
    post(7, 8);
    assertFalse(lag.mayPost(0, false));
  }

  @Test
  @DisplayName("D8: beyond the limit one event goes out per probe time, since the last one")
  void probes() {
    post(1, 2, 3, 4);
    assertFalse(lag.mayPost(PROBE_NS - 1, false));
    assertTrue(lag.mayPost(PROBE_NS, false));
    assertTrue(lag.mayPost(PROBE_NS, true));
    lag.posted(5, PROBE_NS);
    assertFalse(lag.mayPost(2 * PROBE_NS - 1, false));
    assertTrue(lag.mayPost(2 * PROBE_NS, false));
  }

  private static EventConfig config(int queue, int handler, long a, long b) {
    return new EventConfig(queue, handler, a, b);
  }

  @Test
  @DisplayName("D8: sizes and times out of range are refused, their ends are not")
  void ranges() {
    int most = 1 << 20;
    assertEquals(2, config(2, 1, 1, 1).queueCapacity());
    assertEquals(most, config(most, most, 1, 1).handlerCapacity());
    for (int bad : new int[] {1, most + 1}) {
      assertThrows(IllegalArgumentException.class, () -> config(bad, 1, 1, 1));
    }
    for (int bad : new int[] {0, most + 1}) {
      assertThrows(IllegalArgumentException.class, () -> config(2, bad, 1, 1));
    }
    assertThrows(IllegalArgumentException.class, () -> config(2, 1, 0, 1));
    assertThrows(IllegalArgumentException.class, () -> config(2, 1, 1, 0));
    EventConfig d = EventConfig.DEFAULT;
    assertEquals(TimeUnit.MILLISECONDS.toNanos(250), d.returnTimeoutNs());
    assertEquals(1024, d.queueCapacity());
  }

  @Test
  @DisplayName("D8: each counter has its name")
  void counters() {
    var named = new EventStats(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12).named();
    assertEquals(
        List.of(
            "dispatched",
            "delivered",
            "detours",
            "overflows",
            "lost",
            "handler_lost",
            "early",
            "late",
            "handler_errors",
            "refresh_errors",
            "mirrored",
            "unposted"),
        List.copyOf(named.keySet()));
    assertEquals(
        List.of(1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L, 10L, 11L, 12L), List.copyOf(named.values()));
  }
}
