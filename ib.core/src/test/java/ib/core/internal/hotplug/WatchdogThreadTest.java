package ib.core.internal.hotplug;

import ib.core.testing.Thrown;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@DisplayName("A13 ib-watchdog")
@Timeout(60)
class WatchdogThreadTest {
  @ParameterizedTest
  @MethodSource("ib.core.testing.Thrown#kinds")
  @DisplayName("A13 a look throws: it looks again")
  void looksAgain(Throwable thrown) throws InterruptedException {
    CountDownLatch looks = new CountDownLatch(2);
    WatchdogThread watchdog =
        new WatchdogThread(
            System::nanoTime,
            now -> {
              looks.countDown();
              if (looks.getCount() > 0) {
                throw Thrown.sneak(thrown);
              }
              return Sync.Alarm.NEVER;
            });
    watchdog.due(System.nanoTime());
    try {
      Thrown.assertReached(looks);
    } finally {
      watchdog.stop();
    }
  }
}
