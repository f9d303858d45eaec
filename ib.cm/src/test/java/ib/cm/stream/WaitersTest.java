package ib.cm.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import ib.core.testing.Wait;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Who is woken up by whom. */
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class WaitersTest {
  private final ReentrantLock lock = new ReentrantLock();
  private final Waiters waiters = new Waiters(lock);

  @Test
  @DisplayName(
      "F8: a thread that has looked itself is no reason to look again, but wakes the others")
  void others() throws InterruptedException {
    lock.lock();
    int seen = waiters.enter();
    waiters.wakeOthers();
    assertEquals(seen, waiters.changes(), "nobody else waits");
    CountDownLatch woken = new CountDownLatch(1);
    CountDownLatch waits = new CountDownLatch(1);
    Thread other =
        Thread.startVirtualThread(
            () -> {
              lock.lock();
              int known = waiters.enter();
              waits.countDown();
              waiters.park(known, Long.MAX_VALUE);
              waiters.leave();
              lock.unlock();
              woken.countDown();
            });
    lock.unlock();
    waits.await();
    lock.lock(); // which the other has let go, so it sleeps, or will
    waiters.wakeOthers();
    assertNotEquals(seen, waiters.changes());
    waiters.leave();
    waiters.wakeOthers(); // also the caller that does not wait itself
    lock.unlock();
    woken.await();
    other.join();
  }

  /**
   * A thread that is unparked looks at the number of changes, and sleeps for good if that is the
   * old one. Here it has much time to look, because {@code wake} unparks it first, and this thread,
   * which is in the list many times, afterwards.
   */
  @Test
  @DisplayName("F8: a change is counted before the threads that wait for it are unparked")
  void countedFirst() throws InterruptedException {
    int rounds = 50;
    Semaphore asleep = new Semaphore(0);
    Thread sleeper =
        Thread.ofPlatform()
            .daemon()
            .start(
                () -> {
                  lock.lock();
                  for (int i = 0; i < rounds; i++) {
                    int seen = waiters.enter();
                    asleep.release();
                    waiters.park(seen, Long.MAX_VALUE);
                    waiters.leave();
                  }
                  lock.unlock();
                });
    for (int i = 0; i < rounds; i++) {
      asleep.acquire();
      lock.lock(); // which the sleeper has let go
      for (int n = 0; n < 3_000; n++) {
        waiters.enter();
      }
      lock.unlock();
      Wait.asleep(sleeper);
      waiters.wake();
      lock.lock();
      waiters.leave();
      lock.unlock();
    }
    sleeper.join();
  }
}
