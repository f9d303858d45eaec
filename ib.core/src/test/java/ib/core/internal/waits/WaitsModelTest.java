package ib.core.internal.waits;

import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.testing.Interleavings;
import ib.core.testing.Interleavings.Result;
import ib.core.testing.Interleavings.Scenario;
import ib.core.testing.Weave;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every schedule with up to two preemptions of the graph's own code. */
@Tag("finding")
@DisplayName("B15: the wait-for graph, explored")
class WaitsModelTest {
  private static final int PREEMPTIONS = 2;

  @ParameterizedTest(name = "{0}")
  @ValueSource(
      classes = {
        WaitsScenarios.Cross.class,
        WaitsScenarios.Ranks.class,
        WaitsScenarios.NoCycle.class,
      })
  @DisplayName("a cycle is always refused, the right wait yields, never without a cycle")
  void everyInterleaving(Class<? extends Scenario> scenario) {
    Result r = Interleavings.explore(scenario, PREEMPTIONS);
    assertNull(r.failure());
    assertTrue(r.schedules() > 20, "only " + r.schedules() + " schedules");
  }

  @ParameterizedTest(name = "{0}")
  @ValueSource(
      classes = {
        WaitsScenarios.LateRunner.class,
        WaitsScenarios.TwoSections.class,
        WaitsScenarios.Unwoken.class,
      })
  @DisplayName("E9: planted bugs of those who use the graph are found")
  void plantedUses(Class<? extends Scenario> scenario) {
    assertNotNull(Interleavings.explore(scenario, PREEMPTIONS).failure(), "not caught");
  }

  private static void caught(Class<? extends Scenario> scenario, Weave weave) {
    assertNotNull(Interleavings.explore(scenario, PREEMPTIONS, weave).failure(), "not caught");
  }

  private static Weave dropped(String method, String call) {
    return Weave.CORE.with("ib.core.internal.waits." + method, call, Weave.Kind.DROPPED);
  }

  @Test
  @DisplayName("E9: planted: a wait is not entered, so that no search finds it")
  void plantedNotEntered() {
    caught(WaitsScenarios.Cross.class, dropped("WaitGraph.begin", "enter"));
  }

  @Test
  @DisplayName("E9: planted: a wait that is over is left in the graph")
  void plantedNotLeft() {
    caught(WaitsScenarios.NoCycle.class, dropped("WaitGraph.await", "leave"));
  }

  @Test
  @DisplayName("E9: planted: the ranks are not looked at, the last to come always yields")
  void plantedRanks() {
    caught(
        WaitsScenarios.Ranks.class,
        Weave.CORE.with("ib.core.internal.waits.WaitGraph.makeWay", "equals", Weave.Kind.TRUE));
  }

  @Test
  @DisplayName("E9: planted: a wait that was given up stays where it was")
  void plantedVictimStays() {
    caught(WaitsScenarios.Ranks.class, dropped("WaitGraph.makeWay", "giveUp"));
  }
}
