package ib.core.internal.event;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.internal.waits.WaitGraph;
import ib.core.testing.FakeDevice;
import ib.core.testing.Starts;
import ib.core.testing.Thrown;
import ib.core.verbs.EventType;
import ib.core.verbs.IbDevice;
import java.util.AbstractMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@DisplayName("A13 ib-events-watch")
@Timeout(600)
class EventWatchTest {
  /** Devices of which nobody can look at the first two times. */
  private static final class Devices extends AbstractMap<String, DeviceEvents> {
    final CountDownLatch looks = new CountDownLatch(3);
    private final Throwable thrown;

    Devices(Throwable thrown) {
      this.thrown = thrown;
    }

    @Override
    public Set<Map.Entry<String, DeviceEvents>> entrySet() {
      looks.countDown();
      if (looks.getCount() > 0) {
        throw Thrown.sneak(thrown);
      }
      return Set.of();
    }
  }

  /** The machine's time, on which a rest without an end is seen. */
  private static final class Clock implements EventClock {
    private static final long FAR_NS = TimeUnit.HOURS.toNanos(1);
    final CountDownLatch rests = new CountDownLatch(1);

    @Override
    public long nanoTime() {
      return System.nanoTime();
    }

    @Override
    public void parkUntil(Object blocker, long deadlineNs) {
      if (deadlineNs - nanoTime() > FAR_NS) {
        rests.countDown();
      }
      SYSTEM.parkUntil(blocker, deadlineNs);
    }
  }

  @Test
  @DisplayName("the watch of an idle device rests, and an event that the bus keeps ends the rest")
  void rests() {
    Clock clock = new Clock();
    EventHub hub =
        new EventHub(
            EventConfig.DEFAULT,
            new Reports(),
            AtomicSection.NONE,
            clock,
            Thread.ofVirtual().factory(),
            new WaitGraph());
    hub.bus((topic, properties) -> true); // takes events, and gives none back
    FakeDevice device = new FakeDevice("fake0", 1);
    DeviceEvents events = hub.device(device);
    device.connect(events.sink(), null);
    events.open();
    IbDevice client = new FakeDevice("client's handle");
    Recorder handler = new Recorder(client);
    events.register(client, handler);
    try {
      Rig.await(clock.rests);
      device.dispatchEvent(EventType.PORT_ACTIVE, 1);
      assertTrue(handler.await(1, TimeUnit.MINUTES.toNanos(5)), "the watch still rests");
    } finally {
      assertTrue(events.closeAndDrain(Rig.FOREVER));
      hub.close();
    }
  }

  @ParameterizedTest
  @MethodSource("ib.core.testing.Thrown#kinds")
  @DisplayName("A13 a turn throws: it goes on")
  void goesOn(Throwable thrown) throws InterruptedException {
    try (Rig rig = new Rig().open()) {
      Devices devices = new Devices(thrown);
      EventWatch watch = new EventWatch(rig.hub, devices);
      watch.wake();
      try {
        Thrown.assertReached(devices.looks);
      } finally {
        watch.close();
      }
    }
  }

  @Test
  @DisplayName("A13 the watch cannot start: the next device tries again")
  void startsAgain() throws InterruptedException {
    try (Rig rig = new Rig().open()) {
      Devices devices = new Devices(new IllegalStateException("planted"));
      Starts starts = new Starts(Thread.ofPlatform().daemon().factory());
      EventWatch watch = new EventWatch(rig.hub, devices, starts);
      starts.failing = true;
      assertThrows(OutOfMemoryError.class, watch::wake);
      starts.failing = false;
      watch.wake();
      try {
        Thrown.assertReached(devices.looks);
      } finally {
        watch.close();
      }
    }
  }
}
