package ib.core.internal.event;

import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.testing.Interleavings;
import ib.core.testing.Interleavings.Result;
import ib.core.testing.Interleavings.Scenario;
import ib.core.testing.Weave;
import ib.core.testing.Weave.Kind;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every schedule of the product's own code, with up to three preemptions. */
@Tag("finding")
@DisplayName("S12, CC-16: the ring of events, explored; planted bugs are found")
class EventRingModelTest {
  private static final int PREEMPTIONS = 3;

  private static Class<? extends Scenario> scenario(String name) throws ClassNotFoundException {
    return Class.forName(EventRingScenarios.class.getName() + "$" + name)
        .asSubclass(Scenario.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"TwoPosters", "Losses", "Close"})
  @DisplayName("S12: each event once, or counted as lost where it was lost")
  void everyInterleaving(String name) throws ClassNotFoundException {
    Result r = Interleavings.explore(scenario(name), PREEMPTIONS);
    assertNull(r.failure());
    assertTrue(r.schedules() > 100, "only " + r.schedules() + " schedules");
  }

  @ParameterizedTest(name = "{1} in {0} is {2}")
  @CsvSource({
    "TwoPosters, offer, compareAndSet, TORN",
    "Losses, poll, compareAndSet, TORN",
    "Losses, offer, compareAndSet, TORN",
    "TwoPosters, offer, set, DROPPED",
    "Close, offer, compareAndSet, TORN",
  })
  @DisplayName("canaries: one step of the product's own code weakened")
  void canary(String name, String method, String call, Kind kind) throws ClassNotFoundException {
    Weave planted = Weave.CORE.with(EventRing.class.getName() + "." + method, call, kind);
    assertNotNull(
        Interleavings.explore(scenario(name), PREEMPTIONS, planted).failure(), "not caught");
  }
}
