package ib.core.internal.event;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.client.EventTopics;
import ib.core.testing.FakeDevice;
import ib.core.verbs.EventType;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbEventHandler;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("D8: one event, and the clock of the event path")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DeviceEventTest {
  private static Map<String, Object> properties(EventType type, int port, int lost) {
    return new DeviceEvent(type, port, lost, 5, 40).properties("d0");
  }

  @Test
  @DisplayName("D8: an event has a port if it is a port's, and losses if it stands for some")
  void properties() {
    Map<String, Object> all =
        Map.of(EventTopics.DEVICE, "d0", EventTopics.SEQUENCE, 5L, EventTopics.TIME, 40L);
    assertEquals(all, properties(EventType.DEVICE_FATAL, 0, 0));
    Map<String, Object> port = properties(EventType.LID_CHANGE, 1, 0);
    assertEquals(1, port.get(EventTopics.PORT));
    assertFalse(port.containsKey(EventTopics.LOST));
    Map<String, Object> overflow = properties(EventType.EVENT_OVERFLOW, 0, 1);
    assertEquals(1, overflow.get(EventTopics.LOST));
    assertFalse(overflow.containsKey(EventTopics.PORT));
    assertEquals(4, port.size());
    assertEquals(4, overflow.size());
  }

  @Test
  @DisplayName("D8: the topic names the type; a handler is given the port, or how many were lost")
  void topic() {
    DeviceEvent port = new DeviceEvent(EventType.LID_CHANGE, 2, 0, 5, 40);
    assertEquals("ib/event/LID_CHANGE", port.topic());
    assertEquals(2, port.portOrLost());
    assertEquals(7, new DeviceEvent(EventType.EVENT_OVERFLOW, 0, 7, 5, 40).portOrLost());
  }

  @Test
  @DisplayName("D8: the clock is the machine's; it waits for what is to come, not for what was")
  void clock() {
    EventClock clock = EventClock.SYSTEM;
    long before = System.nanoTime();
    long now = clock.nanoTime();
    assertTrue(now - before >= 0 && System.nanoTime() - now >= 0);
    clock.parkUntil(this, now);
    AtomicBoolean over = new AtomicBoolean();
    Thread sleeper = Thread.ofPlatform().daemon().start(() -> sleep(clock, over));
    Rig.until(() -> sleeper.getState() == Thread.State.TIMED_WAITING);
    over.set(true);
    LockSupport.unpark(sleeper);
    Rig.until(() -> !sleeper.isAlive());
  }

  private static void sleep(EventClock clock, AtomicBoolean over) {
    while (!over.get()) {
      clock.parkUntil(over, clock.nanoTime() + Long.MAX_VALUE / 2);
    }
  }

  @Test
  @DisplayName("CC-17: handlers of a device without threads of its own are never run inside")
  void neverInside() {
    FakeDevice device = new FakeDevice("fake0");
    EventHandlers plain =
        new EventHandlers() {
          @Override
          public void register(IbDevice owner, IbEventHandler handler) {}

          @Override
          public void unregister(IbDevice owner, IbEventHandler handler) {}

          @Override
          public void close(IbDevice owner, long timeoutNs) {}
        };
    assertFalse(plain.inside(new Recorder(device)));
  }
}
