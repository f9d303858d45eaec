package ib.core.internal.mad;

import ib.core.testing.Thrown;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@DisplayName("A13 the threads of the MAD layer")
@Timeout(600)
class ThreadsTest {
  @ParameterizedTest
  @MethodSource("ib.core.testing.Thrown#kinds")
  @DisplayName("A13 an alarm, or work, throws: the next ones are done")
  void goOn(Throwable thrown) throws InterruptedException {
    try (Threads threads = new Threads()) {
      CountDownLatch thrower = new CountDownLatch(2);
      CountDownLatch done = new CountDownLatch(2);
      Runnable bad =
          () -> {
            thrower.countDown();
            throw Thrown.sneak(thrown);
          };
      threads.after(0, bad);
      threads.execute(bad);
      Thrown.assertReached(thrower);
      threads.after(0, done::countDown);
      threads.execute(done::countDown);
      Thrown.assertReached(done);
    }
  }
}
