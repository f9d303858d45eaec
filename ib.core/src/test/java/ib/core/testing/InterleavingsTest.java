package ib.core.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;

import ib.core.testing.Interleavings.Result;
import ib.core.testing.Interleavings.Scenario;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("finding")
class InterleavingsTest {

  /** An explored thread needs a lock, as a logger's, that a thread of the outside world holds. */
  public static final class ForeignLock implements Scenario {
    private final ReentrantLock lock = new ReentrantLock(); // this class is not woven
    private int taken;

    private void takeIt() {
      Interleavings.step();
      lock.lock();
      taken++;
      lock.unlock();
      Interleavings.step();
    }

    private void holdUntilAsked(CountDownLatch held) {
      lock.lock();
      held.countDown();
      while (!lock.hasQueuedThreads()) {
        Thread.onSpinWait();
      }
      lock.unlock();
    }

    @Override
    public void setUp() {
      CountDownLatch held = new CountDownLatch(1);
      Thread.ofPlatform().daemon().start(() -> holdUntilAsked(held));
      Interleavings.spawn("a", false, this::takeIt);
      Interleavings.spawn("b", false, this::takeIt);
      try {
        held.await();
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }

    @Override
    public void check() {
      assertEquals(2, taken);
      assertFalse(lock.hasQueuedThreads());
    }
  }

  @Test
  @DisplayName("an explored thread that waits for a thread of the outside world goes on after it")
  void foreignLock() {
    Result r = Interleavings.explore(ForeignLock.class, 2);
    assertNull(r.failure());
  }
}
