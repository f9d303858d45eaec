package ib.core.internal.event;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.client.EventTopics;
import ib.core.verbs.EventType;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The poster alone, with room for four affiliated events on the bus and for eight in all. */
@DisplayName("D8: affiliated events that were not posted are reported when there is room")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PosterLossTest {
  private static final long STRANGE_KEY = -5;

  private final Rig rig = new Rig(4, 4);
  private final Poster poster = new Poster(rig.hub, rig.events);
  private final HeldBus bus = new HeldBus();

  @AfterEach
  void end() {
    rig.close();
    poster.wake();
    Rig.until(poster.end()::over);
  }

  private void mirror(int count) {
    for (int i = 0; i < count; i++) {
      assertTrue(poster.mirror(EventType.QP_FATAL, Map.of(), 40 + i));
    }
  }

  private long mirrored() {
    return rig.events.stats().mirrored();
  }

  private void assertLost(int count) {
    HeldBus.Post loss = bus.take();
    assertEquals("ib/event/EVENT_OVERFLOW", loss.topic());
    assertEquals(
        Map.of(
            EventTopics.DEVICE,
            "fake0",
            EventTopics.TIME,
            rig.clock.nanoTime(),
            EventTopics.LOST,
            count),
        loss.properties());
  }

  @Test
  @DisplayName("D8: what came while there was no bus is one loss, posted once, before what follows")
  void withoutBus() {
    rig.hub.bus(null);
    mirror(3);
    poster.returned(STRANGE_KEY);
    assertEquals(0, mirrored());
    assertEquals(0, rig.events.stats().unposted(), "there was no bus to post on");
    rig.hub.bus(bus);
    mirror(1);
    assertEquals(2, mirrored());
    poster.open(); // with work
    assertLost(3);
    assertEquals("ib/event/QP_FATAL", bus.take().topic());
    poster.returned(STRANGE_KEY);
    assertEquals(2, mirrored(), "nothing is missing any more");
  }

  @Test
  @DisplayName("D8: what came while the bus was full is posted when enough has come back")
  void fullBus() {
    rig.hub.bus(bus);
    poster.open();
    mirror(4);
    DeviceEvent event = new DeviceEvent(EventType.LID_CHANGE, 1, 0, 1, 7);
    assertSame(bus, poster.offer(event, rig.clock.nanoTime()));
    poster.wake(); // as after a run of the dispatcher
    mirror(2);
    assertEquals(4, mirrored());
    assertEquals(2, rig.events.stats().unposted());
    for (int i = 0; i < 4; i++) {
      assertEquals("ib/event/QP_FATAL", bus.take().topic());
    }
    assertEquals("ib/event/LID_CHANGE", bus.take().topic());
    poster.returned(STRANGE_KEY); // four are left on the bus
    assertEquals(4, mirrored());
    poster.returned(STRANGE_KEY);
    assertLost(2);
    assertEquals(5, mirrored());
    assertEquals(2, rig.events.stats().unposted());
  }

  @Test
  @DisplayName("D8: a bus with nothing missing gets nothing when an event comes back")
  void nothingMissing() {
    rig.hub.bus(bus);
    poster.returned(STRANGE_KEY);
    assertEquals(0, mirrored());
  }

  @Test
  @DisplayName("F24: without a bus no event of the device is queued, and none is counted")
  void offerWithoutBus() {
    rig.hub.bus(null);
    assertNull(poster.offer(new DeviceEvent(EventType.LID_CHANGE, 1, 0, 1, 7), 0));
    assertEquals(0, rig.events.stats().unposted());
  }
}
