package ib.driver.rxe.udp;

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

/** Every schedule with up to three preemptions of the product's own code. */
@Tag("finding")
@DisplayName("A spare thread takes the duty over from one that is in a handler, explored")
class ReliefModelTest {
  private static final int PREEMPTIONS = 3;
  private static final Weave WEAVE =
      new Weave(n -> n.startsWith("ib.driver.rxe.udp."), n -> true, false, List.of());

  @ParameterizedTest(name = "{0}")
  @ValueSource(classes = {ReliefScenarios.Handlers.class, ReliefScenarios.Stuck.class})
  @DisplayName("exactly one thread has the duty, and one that is stuck is relieved")
  void everyInterleaving(Class<? extends Scenario> scenario) {
    Result r = Interleavings.explore(scenario, PREEMPTIONS, WEAVE);
    assertNull(r.failure());
    assertTrue(r.schedules() > 20, "only " + r.schedules() + " schedules");
  }

  private static void caught(
      Class<? extends Scenario> scenario, String method, String call, Weave.Kind kind) {
    Weave weave = WEAVE.with("ib.driver.rxe.udp.Relief." + method, call, kind);
    assertNotNull(Interleavings.explore(scenario, PREEMPTIONS, weave).failure(), "not caught");
  }

  @Test
  @DisplayName("E9: planted: the spare takes over by a read and a write")
  void plantedTakeOver() {
    caught(ReliefScenarios.Handlers.class, "takeOver", "compareAndSet", Weave.Kind.TORN);
  }

  @Test
  @DisplayName("E9: planted: the thread comes back by a read and a write")
  void plantedBack() {
    caught(ReliefScenarios.Handlers.class, "back", "compareAndSet", Weave.Kind.TORN);
  }

  @Test
  @DisplayName("E9: planted: a thread that leaves does not wake the spare")
  void plantedNoWake() {
    caught(ReliefScenarios.Stuck.class, "leave", "unpark", Weave.Kind.DROPPED);
  }
}
