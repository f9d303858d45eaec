package ib.core.internal.callback;

import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.testing.Interleavings;
import ib.core.testing.Interleavings.Result;
import ib.core.testing.Weave;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Every schedule with up to three preemptions of the product's own code. */
@Tag("finding")
@DisplayName("S23, S24: runs that a driver's thread keeps, explored")
class KeptModelTest {
  private static final int PREEMPTIONS = 3;

  @Test
  @DisplayName("each runs once, on the thread that keeps it or at its place")
  void everyInterleaving() {
    Result r = Interleavings.explore(KeptScenarios.GivenUp.class, PREEMPTIONS);
    assertNull(r.failure());
    assertTrue(r.schedules() > 20, "only " + r.schedules() + " schedules");
  }

  @Test
  @DisplayName("a run that does not return keeps at most the next one from its place")
  void stuck() {
    Result r = Interleavings.explore(KeptScenarios.Stuck.class, PREEMPTIONS);
    assertNull(r.failure());
    assertTrue(r.schedules() > 20, "only " + r.schedules() + " schedules");
  }

  @Test
  @DisplayName("E9: planted: the thread takes the next run by a read and a write")
  void plantedNext() {
    Weave weave = Weave.CORE.with("ib.core.serial.KeptRuns.next", "compareAndSet", Weave.Kind.TORN);
    assertNotNull(
        Interleavings.explore(KeptScenarios.GivenUp.class, PREEMPTIONS, weave).failure(),
        "not caught");
  }
}
