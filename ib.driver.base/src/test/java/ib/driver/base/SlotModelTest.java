package ib.driver.base;

import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.testing.Interleavings;
import ib.core.testing.Interleavings.Result;
import ib.core.testing.Interleavings.Scenario;
import ib.core.testing.Weave;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every schedule with up to two preemptions of the product's own code. */
@Tag("finding")
@DisplayName("D13: a slot without a lock, explored")
class SlotModelTest {
  private static final int PREEMPTIONS = 2;
  private static final Weave WEAVE =
      new Weave(
              n -> n.startsWith("ib.driver.base.") || n.startsWith("ib.core.serial."),
              n -> true,
              false,
              List.of())
          .stoppingIn("Slot", "Slot$Worker"); // the serial is explored by itself

  @ParameterizedTest(name = "{0}")
  @ValueSource(
      classes = {
        SlotScenarios.Opposite.class,
        SlotScenarios.Renamed.class,
        SlotScenarios.Again.class,
        SlotScenarios.Ends.class,
      })
  @DisplayName(
      "F19, F25, F35: the last wish wins, each wish is reached, a name is claimed while it is in "
          + "use, nothing is plugged after the end")
  void everyInterleaving(Class<? extends Scenario> scenario) {
    Result r = Interleavings.explore(scenario, PREEMPTIONS, WEAVE);
    assertNull(r.failure());
    assertTrue(r.schedules() > 20, "only " + r.schedules() + " schedules");
  }

  private static void caught(
      Class<? extends Scenario> scenario, String method, String call, Weave.Kind kind) {
    Weave weave = WEAVE.with("ib.driver.base." + method, call, kind);
    assertNotNull(Interleavings.explore(scenario, PREEMPTIONS, weave).failure(), "not caught");
  }

  @Test
  @DisplayName("E9: planted: a request does not wake the worker")
  void plantedWake() {
    caught(SlotScenarios.Opposite.class, "Slot.request", "schedule", Weave.Kind.DROPPED);
  }

  @Test
  @DisplayName("E9: planted: the worker's progress overwrites a request that came meanwhile")
  void plantedLostWish() {
    caught(SlotScenarios.Opposite.class, "Slot.update", "compareAndSet", Weave.Kind.TORN);
  }

  @Test
  @DisplayName("E9: planted: the pause before another try ends without a request")
  void plantedRetry() {
    caught(SlotScenarios.Again.class, "Slot.tryAgain", "compareAndSet", Weave.Kind.TRUE);
  }

  @Test
  @DisplayName("E9: planted: the pause does not wake the worker")
  void plantedRetryWake() {
    caught(SlotScenarios.Again.class, "Slot.tryAgain", "schedule", Weave.Kind.DROPPED);
  }

  @Test
  @DisplayName("E9: planted: a wait is over before the wish was carried out")
  void plantedWait() {
    caught(SlotScenarios.Ends.class, "Settled.over", "reached", Weave.Kind.TRUE);
  }
}
