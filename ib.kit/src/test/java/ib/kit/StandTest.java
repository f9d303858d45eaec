package ib.kit;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * The look by which a case of {@link DeadlockCases} knows that the first thread waits, so that the
 * second one closes the cycle.
 */
final class StandTest {
  private static final String LOCKS = "java.util.concurrent.locks.";
  private static final String UNREGISTER = "ib.core.internal.hotplug.Actor.perform";
  private static final String ENTER = "ib.kit.Stand.enter";

  private static StackTraceElement[] stack(String... methods) {
    List<StackTraceElement> frames = new ArrayList<>();
    for (String method : methods) {
      int dot = method.lastIndexOf('.');
      frames.add(new StackTraceElement(method.substring(0, dot), method.substring(dot + 1), "", 0));
    }
    return frames.toArray(StackTraceElement[]::new);
  }

  @Test
  void aThreadThatTheMidlayerParksWaits() {
    assertTrue(
        Stand.waits(
            stack(
                "jdk.internal.misc.Unsafe.park",
                LOCKS + "LockSupport.park",
                LOCKS + "AbstractQueuedSynchronizer.acquire",
                "java.util.concurrent.CountDownLatch.await",
                UNREGISTER,
                ENTER)));
    assertTrue(
        Stand.waits(stack("java.lang.Object.wait0", "java.lang.Object.wait", UNREGISTER, ENTER)));
  }

  @Test
  @DisplayName("a thread that was parked by the kit a moment ago, and runs now, does not wait yet")
  void aThreadThatRunsDoesNotWait() {
    assertFalse(Stand.waits(stack(UNREGISTER, ENTER)));
    assertFalse(Stand.waits(stack(LOCKS + "LockSupport.unpark", UNREGISTER, ENTER)));
    assertFalse(Stand.waits(Thread.currentThread()));
  }

  @Test
  void aThreadThatTheKitParksDoesNotWait() {
    assertFalse(
        Stand.waits(
            stack(
                "jdk.internal.misc.Unsafe.park",
                LOCKS + "LockSupport.parkNanos",
                "ib.kit.Await.until",
                ENTER,
                "ib.core.internal.hotplug.Bindings.add")));
    assertFalse(Stand.waits((Thread) null));
  }

  @Test
  @DisplayName("a thread that stands before the lock of the wait-for graph does not wait yet")
  void aThreadBeforeALockDoesNotWait() {
    assertFalse(
        Stand.waits(
            stack(
                "jdk.internal.misc.Unsafe.park",
                LOCKS + "LockSupport.park",
                LOCKS + "AbstractQueuedSynchronizer.acquire",
                LOCKS + "ReentrantLock.lock",
                "ib.core.internal.hotplug.Book.compute",
                UNREGISTER,
                ENTER)));
  }
}
