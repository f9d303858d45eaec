package ib.core.internal.hotplug;

import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.internal.hotplug.CrossScenarios.Kind;
import ib.core.testing.Interleavings;
import ib.core.testing.Interleavings.Result;
import ib.core.testing.Weave;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every schedule with one preemption of two threads that wait for each other, kind by kind. */
@Tag("finding")
@DisplayName("B15: waits of all kinds cross, explored")
class CrossModelTest {
  private static final int PREEMPTIONS = 1;

  /**
   * The leaf lock, parking and looking again are enough: all that is shared is under the lock. The
   * hundred looks before a wait is entered are left out: each would give the turn away.
   */
  private static final Weave LOCKS =
      Weave.CORE
          .stoppingIn()
          .with("ib.core.internal.waits.WaitGraph.await", "onSpinWait", Weave.Kind.DROPPED);

  static Stream<Arguments> pairs() {
    return Arrays.stream(Kind.values())
        .flatMap(
            a ->
                Arrays.stream(Kind.values())
                    .filter(b -> b.compareTo(a) >= 0)
                    .map(b -> Arguments.of(a, b)));
  }

  private static Result explore(Weave weave, Kind a, Kind b) {
    return Interleavings.explore(CrossScenarios.Pair.class, PREEMPTIONS, weave, a.name(), b.name());
  }

  @ParameterizedTest(name = "{0} and {1}")
  @MethodSource("pairs")
  @DisplayName(
      "one of two gives way, the one of the lower rank, and no watchdog is needed; a change of"
          + " configuration waits for nothing, so that none gives way")
  void pair(Kind a, Kind b) {
    Result r = explore(LOCKS, a, b);
    assertNull(r.failure());
    assertTrue(r.schedules() > 5, "only " + r.schedules() + " schedules");
  }

  private static void caught(Kind a, Kind b, String method, String call, Weave.Kind bug) {
    assertNotNull(explore(LOCKS.with(method, call, bug), a, b).failure(), "not caught");
  }

  @Test
  @DisplayName("E9: planted: a wait for an operation is not in the graph")
  void plantedOperation() {
    caught(
        Kind.REMOVE,
        Kind.CALLBACK,
        "ib.core.internal.hotplug.Actor.await",
        "enter",
        Weave.Kind.DROPPED);
  }

  @Test
  @DisplayName("E9: planted: the same, for an agent whose queue is drained")
  void plantedAgent() {
    caught(
        Kind.REMOVE,
        Kind.AGENT,
        "ib.core.internal.hotplug.Actor.await",
        "enter",
        Weave.Kind.DROPPED);
  }

  @Test
  @DisplayName("E9: planted: what waits for the end of a callback is not entered into the graph")
  void plantedFence() {
    caught(
        Kind.CALLBACK,
        Kind.AGENT,
        "ib.core.internal.waits.WaitGraph.begin",
        "enter",
        Weave.Kind.DROPPED);
  }

  @Test
  @DisplayName("E9: planted: a wait for leases is not in the graph")
  void plantedLeases() {
    caught(
        Kind.LEASE,
        Kind.CALLBACK,
        "ib.core.internal.hotplug.Teardown.awaitLeases",
        "enter",
        Weave.Kind.DROPPED);
  }

  @Test
  @DisplayName("E9: planted: who gives way in a removal does not hand it to a helper")
  void plantedHandOff() {
    caught(
        Kind.LEASE,
        Kind.CALLBACK,
        "ib.core.internal.hotplug.Actor.handOff",
        "takeOver",
        Weave.Kind.DROPPED);
  }

  @Test
  @DisplayName("E9: planted: who gives way is not woken")
  void plantedUnwoken() {
    caught(
        Kind.REMOVE,
        Kind.CALLBACK,
        "ib.core.internal.hotplug.Actor.giveUp",
        "fire",
        Weave.Kind.DROPPED);
  }

  @Test
  @DisplayName("E9: planted: the last to come always yields")
  void plantedRanks() {
    caught(
        Kind.SERVICE,
        Kind.CALLBACK,
        "ib.core.internal.waits.WaitGraph.makeWay",
        "equals",
        Weave.Kind.TRUE);
  }
}
