package ib.core.internal.event;

import static org.junit.jupiter.api.Assertions.assertThrows;

import ib.core.testing.Starts;
import ib.core.testing.Thrown;
import java.util.AbstractMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@DisplayName("A13 ib-events-watch")
@Timeout(60)
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
