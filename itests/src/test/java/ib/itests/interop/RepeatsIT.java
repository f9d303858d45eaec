package ib.itests.interop;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;

import java.util.concurrent.ExecutionException;
import org.junit.Test;

/**
 * Findings B13: nothing is run a second time silently, nor for another reason, nor a third time.
 */
public class RepeatsIT {
  private final Repeats repeats = new Repeats();
  private int runs;

  private void run(int failures, boolean sentAgain) throws Exception {
    repeats.run(
        () -> {
          if (runs++ < failures) {
            throw new ExecutionException(new IllegalStateException("planted"));
          }
        },
        () -> sentAgain);
  }

  @Test
  public void whatHoldsIsRunOnce() throws Exception {
    run(0, true);
    assertEquals(1, runs);
    assertEquals(0, repeats.names().size());
  }

  @Test
  public void aFailureOfOursIsNotRunAgain() {
    assertThrows(ExecutionException.class, () -> run(1, false));
    assertEquals(1, runs);
    assertEquals(0, repeats.names().size());
  }

  @Test
  public void aFailureAfterSomethingWasSentAgainIsRunOnceMoreAndNamed() throws Exception {
    run(1, true);
    assertEquals(2, runs);
    assertEquals(1, repeats.names().size());
  }

  @Test
  public void theSecondFailureCounts() {
    assertThrows(ExecutionException.class, () -> run(2, true));
    assertEquals(2, runs);
    assertEquals(1, repeats.names().size());
  }

  @Test
  public void tooManyFail() throws Exception {
    for (int i = 0; i < Repeats.MAX_REPEATS; i++) {
      runs = 0;
      run(1, true);
    }
    repeats.check();
    runs = 0;
    run(1, true);
    assertThrows(AssertionError.class, repeats::check);
  }
}
