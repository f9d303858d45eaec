package ib.core.internal.event;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.client.EventTopics;
import ib.core.verbs.EventType;
import ib.core.verbs.Gid;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("findings B6: what an event costs, and what is said of a busy bus")
class RefreshTest {
  private static final long MINUTE_NS = TimeUnit.MINUTES.toNanos(1);

  private final AtomicInteger posts = new AtomicInteger();

  private static int hits(Rig rig) {
    return rig.device.faults().hits("queryGid") + rig.device.faults().hits("queryPkey");
  }

  private static int costs(Rig rig, EventType type) {
    int before = hits(rig);
    long dispatched = rig.events.stats().delivered();
    rig.dispatch(type);
    Rig.until(() -> rig.events.stats().delivered() > dispatched);
    return hits(rig) - before;
  }

  @Test
  @DisplayName("B6: with numbers only the table that has changed is read again; always that one")
  void numbers() {
    try (Rig rig = new Rig()) {
      rig.device.ports().numbered = true;
      rig.open();
      Recorder r = rig.handler();
      int table = hits(rig) / 4; // two ports, two tables
      assertTrue(table > 0);
      for (EventType type :
          new EventType[] {
            EventType.CLIENT_REREGISTER,
            EventType.SM_CHANGE,
            EventType.LID_CHANGE,
            EventType.PORT_ERR,
            EventType.PORT_ACTIVE
          }) {
        assertEquals(0, costs(rig, type), type.name());
      }
      assertEquals(table, costs(rig, EventType.GID_CHANGE), "the event speaks of it");
      assertEquals(table, costs(rig, EventType.PKEY_CHANGE), "the event speaks of it");
      Gid gid = new Gid(1, 2);
      rig.device.ports().gid(1, 1, gid);
      assertEquals(table, costs(rig, EventType.CLIENT_REREGISTER), "its number is another");
      assertEquals(gid, rig.events.caches().gid(1, 1));
      rig.device.ports().pkey(1, 1, 0x1234);
      rig.device.ports().gid(1, 2, gid);
      assertEquals(2 * table, costs(rig, EventType.GID_CHANGE));
      assertEquals(0x1234, rig.events.caches().pkey(1, 1));
      assertEquals(gid, rig.events.caches().gid(1, 2));
      assertEquals(9, r.await(9).heard().size());
    }
  }

  @Test
  @DisplayName("findings B6: without numbers everything is read, as ever")
  void unknown() {
    try (Rig rig = new Rig()) {
      rig.open();
      Recorder r = rig.handler();
      int everything = hits(rig) / 2;
      assertEquals(everything, costs(rig, EventType.CLIENT_REREGISTER));
      r.await(1);
    }
  }

  private void detour(Rig rig, Recorder r, int nth) {
    rig.dispatch(1);
    Rig.until(() -> posts.get() == nth);
    rig.clock.advance(Rig.TIMEOUT_NS);
    r.await(nth);
  }

  private static void back(Rig rig, long sequence) {
    rig.hub.onEvent(
        "ib/event/PORT_ACTIVE",
        Map.of(EventTopics.DEVICE, "fake0", EventTopics.SEQUENCE, sequence));
  }

  @Test
  @DisplayName(
      "B6: a detour's begin and end are a line each, with the count; a storm is two a minute")
  void storm() {
    try (Rig rig = new Rig()) {
      rig.hub.bus((topic, properties) -> posts.incrementAndGet() > 0); // swallows everything
      rig.open();
      Recorder r = rig.handler();
      detour(rig, r, 1);
      Rig.until(() -> rig.reports.tellsOf("event 1 did not come back"));
      rig.dispatch(2);
      r.await(3);
      back(rig, 3);
      Rig.until(() -> rig.reports.tellsOf("is back: handlers got 3 events directly, in 1 "));
      assertEquals(2, rig.reports.troubles.size());
      for (int n = 4; n < 24; n++) { // 20 more within the minute
        detour(rig, r, n);
        back(rig, n);
      }
      assertEquals(2, rig.reports.troubles.size());
      rig.clock.advance(MINUTE_NS);
      detour(rig, r, 24);
      Rig.until(() -> rig.reports.tellsOf("event 24 did not come back"));
      assertTrue(rig.reports.tellsOf("20 times unreported"));
      rig.clock.advance(MINUTE_NS);
      rig.dispatch(1);
      r.await(25);
      Rig.until(() -> rig.reports.tellsOf("still held up: handlers got 22 events"));
      rig.dispatch(1);
      r.await(26);
      back(rig, 26);
      Rig.until(() -> rig.reports.tellsOf("is back: handlers got 23 events directly, in 21"));
      assertEquals(5, rig.reports.troubles.size());
    }
  }
}
