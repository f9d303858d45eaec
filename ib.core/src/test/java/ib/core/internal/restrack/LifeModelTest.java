package ib.core.internal.restrack;

import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.testing.Interleavings;
import ib.core.testing.Interleavings.Result;
import ib.core.testing.Interleavings.Scenario;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every schedule with up to two preemptions of the product's own code. */
@Tag("finding")
@DisplayName("B9, B11, I8: use, close and sweep, explored")
class LifeModelTest {
  @ParameterizedTest(name = "{0}")
  @ValueSource(
      classes = {
        LifeScenarios.UseAndClose.class,
        LifeScenarios.MakeAndSweep.class,
        LifeScenarios.CloseTwiceAndMake.class,
      })
  @DisplayName("B9, I8: nothing is destroyed while in use, and nothing is left")
  void b9EveryInterleaving(Class<? extends Scenario> scenario) {
    Result r = Interleavings.explore(scenario, 2);
    assertNull(r.failure());
    assertTrue(r.schedules() > 20, "only " + r.schedules() + " schedules");
  }

  @Test
  @DisplayName("B9: the planted bug is found")
  void b9Canary() {
    assertNotNull(Interleavings.explore(LifeScenarios.CanaryCheckThenClose.class, 2).failure());
  }
}
