package ib.engine.ring;

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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every schedule, up to a number of preemptions, of the product's own code. */
@Tag("finding")
@DisplayName("B6: rings and claim token, explored; bugs planted into their own code are found")
class RingModelTest {
  private static final String ENGINE_PACKAGES = "ib.engine.";
  private static final Weave ENGINE = Weave.of(ENGINE_PACKAGES);

  private static Class<? extends Scenario> scenario(String name) throws ClassNotFoundException {
    String type =
        name.matches("ThreePosters|Kill|TwoControls")
            ? "run.ClaimScenarios$"
            : name.contains("$") ? "ring." : "ring.RingScenarios$";
    return Class.forName(ENGINE_PACKAGES + type + name).asSubclass(Scenario.class);
  }

  @ParameterizedTest(name = "{0}, {1} preemptions")
  @CsvSource({
    "Sends, 3",
    "RoomAfterLap, 3",
    "RoomForBoth, 4",
    "ToldScenarios$Both, 2",
    "ToldScenarios$First, 2",
    "ToldScenarios$Second, 2",
    "ToldScenarios$None, 2",
    "ToldScenarios$Pollers, 3",
    "Seal, 6",
    "Receives, 3",
    "Completions, 2",
    "Packets, 3",
    "ThreePosters, 3",
    "Kill, 3",
    "TwoControls, 2",
  })
  @DisplayName("D4, D5, S6, S7, S18, S48, B20: no schedule breaks it")
  void everyInterleaving(String name, int preemptions) throws ClassNotFoundException {
    Result r = Interleavings.explore(scenario(name), preemptions, ENGINE);
    assertNull(r.failure());
    assertTrue(r.schedules() > 20, "only " + r.schedules() + " schedules");
  }

  @ParameterizedTest(name = "{1}: {2} is {3}, seen by {0}")
  @CsvSource({
    "Sends, ring.SlotRing.claim, compareAndSet, TORN",
    "Sends, ring.RingScenarios$Sends.post, publish, DROPPED",
    "RoomForBoth, ring.SlotRing.claim, compareAndSet, TORN",
    "ToldScenarios$Pollers, ring.SlotRing.release, compareAndSet, TORN",
    "ToldScenarios$Both, ring.ToldScenarios$Requests.tell, tell, DROPPED",
    "Seal, ring.SlotRing.seal, getAndBitwiseOr, TORN",
    "Seal, ring.SlotRing.retract, compareAndSet, TRUE",
    "Seal, ring.SlotRing.kill, getAndSet, TORN",
    "Receives, ring.SlotRing.take, compareAndSet, TORN",
    "Completions, cq.CompletionRing.claim, getAndAdd, TORN",
    "Completions, cq.CompletionRing.take, compareAndSet, TORN",
    "Packets, wire.PacketQueue.push, compareAndSet, TORN",
    "Packets, wire.PacketQueue.turn, getAndSet, TORN",
    "ThreePosters, run.ClaimToken.schedule, compareAndSet, TORN",
    "ThreePosters, run.ClaimToken.release, compareAndSet, TORN",
    "Kill, run.ClaimToken.release, compareAndSet, TORN",
    "Kill, run.ClaimToken.want, getAndBitwiseOr, TORN",
    "TwoControls, run.ClaimToken.unwant, compareAndSet, TORN",
  })
  @DisplayName("canaries: one access of the product's own code weakened")
  void canary(String name, String method, String call, Kind kind) throws ClassNotFoundException {
    Weave planted = ENGINE.with(ENGINE_PACKAGES + method, call, kind);
    assertNotNull(Interleavings.explore(scenario(name), 3, planted).failure(), "not caught");
  }

  @ParameterizedTest
  @ValueSource(strings = {"CanaryToldLate", "CanaryHeadReadLast"})
  @DisplayName("S48 canaries: toldEnd is written after the head; the head is read last")
  void told(String name) throws ClassNotFoundException {
    assertNotNull(
        Interleavings.explore(scenario("ToldScenarios$" + name), 2, ENGINE).failure(),
        "not caught");
  }

  @Test
  @DisplayName("S48 canary: the guess of the head is read back after it was written")
  void guess() {
    assertNotNull(
        Interleavings.explore(RingScenarios.CanaryGuessReadBack.class, 3, ENGINE).failure());
  }
}
