package ib.verifier.check;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("V4: the check of objects for one thread at a time")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class OneThreadTest {
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
  private static final int ROUNDS = 5;
  private static final int TURNS = 100_000;
  private static final int BITS = 14; // of a hash that two objects have in common

  private final OneThread check = new OneThread(new Reports(() -> null));

  /** {@return two objects that a map or an array of queues has at one place} */
  private static Object[] neighbours() {
    Map<Integer, Object> seen = new HashMap<>();
    while (true) {
      Object one = new Object();
      int hash = System.identityHashCode(one);
      Object other = seen.put((hash ^ hash >>> 16) & (1 << BITS) - 1, one);
      if (other != null && (System.identityHashCode(other) & 0x3ff) == (hash & 0x3ff)) {
        return new Object[] {one, other};
      }
    }
  }

  private void use(Object object) {
    check.begin(object, "a call", "a bundle");
    check.begin(object, "a call inside", "a bundle");
    check.end(object);
    check.end(object);
  }

  private static long blocked() {
    return THREADS.getThreadInfo(Thread.currentThread().threadId()).getBlockedCount();
  }

  /**
   * The probes run in methods that any context may call: a monitor there blocked a post, and the
   * kit blamed the driver (CTX-008). The JVM blocks a thread, once, whose class is being loaded.
   */
  @Test
  @DisplayName("S2, S9: the check blocks no thread, whichever objects others use at the same time")
  void neverBlocks() throws Exception {
    Object[] objects = neighbours();
    AtomicBoolean over = new AtomicBoolean();
    CountDownLatch runs = new CountDownLatch(1);
    Thread other =
        Thread.ofPlatform()
            .daemon()
            .start(
                () -> {
                  use(objects[1]);
                  runs.countDown();
                  while (!over.get()) {
                    use(objects[1]);
                  }
                });
    use(objects[0]);
    runs.await();
    int bad = 0;
    for (int i = 0; i < ROUNDS; i++) {
      long before = blocked();
      for (int turn = 0; turn < TURNS; turn++) {
        use(objects[0]);
      }
      bad += blocked() > before ? 1 : 0;
    }
    over.set(true);
    other.join();
    assertTrue(bad <= 1, bad + " of " + ROUNDS + " rounds were blocked");
  }
}
