package ib.core.internal.callback;

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

/** Every schedule with up to three preemptions of the product's own code. */
@Tag("finding")
@DisplayName("S23, S24, E2: hand-over to a vector, explored")
class TaskModelTest {
  private static final int PREEMPTIONS = 3;

  @ParameterizedTest(name = "{0}")
  @ValueSource(
      classes = {
        TaskScenarios.TwoWakers.class,
        TaskScenarios.TwoQueues.class,
        TaskScenarios.HereAndThere.class,
        TaskScenarios.Fence.class,
        TaskScenarios.CloseVector.class,
      })
  @DisplayName("S24, B8: never two at once, nothing lost, nothing after the fence")
  void s24EveryInterleaving(Class<? extends Scenario> scenario) {
    explore(scenario, PREEMPTIONS);
  }

  @ParameterizedTest(name = "{0}")
  @ValueSource(
      classes = {
        WakeScenarios.Managed.class,
        WakeScenarios.ArmThenPoll.class,
        WakeScenarios.ReportMissed.class,
      })
  @DisplayName("B7: completions at each point between the last poll and the arm are heard of")
  void b7EveryInterleaving(Class<? extends Scenario> scenario) {
    explore(scenario, PREEMPTIONS + 1);
  }

  @Test
  @DisplayName("S45: events raised before and after the object is published are heard in order")
  void s45EveryInterleaving() {
    explore(EventScenarios.RaiseAndOpen.class, 1);
  }

  private static void explore(Class<? extends Scenario> scenario, int preemptions) {
    Result r = Interleavings.explore(scenario, preemptions);
    assertNull(r.failure());
    assertTrue(r.schedules() > 20, "only " + r.schedules() + " schedules");
  }

  @ParameterizedTest(name = "{0}")
  @ValueSource(
      classes = {
        TaskScenarios.CanaryLost.class,
        TaskScenarios.CanaryTwoAtOnce.class,
        TaskScenarios.CanaryAsleep.class,
        WakeScenarios.CanaryPollThenArm.class,
      })
  @DisplayName("E9: planted bugs are found")
  void e9CanariesAreCaught(Class<? extends Scenario> scenario) {
    assertNotNull(Interleavings.explore(scenario, PREEMPTIONS).failure(), "not caught");
  }
}
