package ib.kit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.opentest4j.AssertionFailedError;

/** The judge of "never blocks" (S2 to S10), judged: {@link Blocked} blames the call alone. */
final class BlockedTest {
  private static final int ROUNDS = 2_000;
  private static final int NANOS = 1_000_000;

  /** The caller waits for the watch to end, and that wait is none of the call's. */
  @Test
  void theWaitForTheWatchIsNotTheCalls() {
    for (int i = 0; i < ROUNDS; i++) {
      assertEquals("", Blocked.where(() -> {}));
    }
  }

  @Test
  void aCallThatParksIsReportedWithItsStack() {
    Runnable parks = () -> LockSupport.parkNanos(NANOS);
    AssertionFailedError e =
        assertThrows(AssertionFailedError.class, () -> Blocked.never("a park", parks));
    assertTrue(e.getMessage().contains("LockSupport.parkNanos"), e.getMessage());
    assertTrue(e.getMessage().contains("a park blocked the caller "), e.getMessage());
  }

  @Test
  void aCallThatOnlyComputesPasses() {
    Blocked.never("nothing", () -> {});
  }
}
