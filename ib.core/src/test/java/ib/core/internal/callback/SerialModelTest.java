package ib.core.internal.callback;

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

/** Every schedule with up to two preemptions of the product's own code. */
@Tag("finding")
@DisplayName("D13: serials and mailboxes, explored")
class SerialModelTest {
  private static final int PREEMPTIONS = 2;

  @ParameterizedTest(name = "{0}")
  @ValueSource(
      classes = {
        SerialScenarios.Reopened.class,
        SerialScenarios.Throws.class,
        SerialScenarios.Refused.class,
        SerialScenarios.Overflow.class,
        SerialScenarios.Drain.class,
        SerialScenarios.DrainBesideItems.class,
        SerialScenarios.DrainBesideLoss.class,
      })
  @DisplayName(
      "S24, B7, F22: one at a time, none lost unless reported, in order, fenced, whatever throws")
  void everyInterleaving(Class<? extends Scenario> scenario) {
    Result r = Interleavings.explore(scenario, PREEMPTIONS);
    assertNull(r.failure());
    assertTrue(r.schedules() > 20, "only " + r.schedules() + " schedules");
  }

  @Test
  @DisplayName("a run hears a portion, and the next run the rest")
  void portions() {
    assertNull(Interleavings.explore(SerialScenarios.Portions.class, 1).failure());
  }

  private static void caught(
      Class<? extends Scenario> scenario, String method, String call, Weave.Kind kind) {
    Weave weave = Weave.CORE.with("ib.core.serial." + method, call, kind);
    assertNotNull(Interleavings.explore(scenario, PREEMPTIONS, weave).failure(), "not caught");
  }

  @Test
  @DisplayName("E9: planted: a wake-up is a read and a write")
  void plantedWake() {
    caught(SerialScenarios.Throws.class, "Serial.wake", "compareAndSet", Weave.Kind.TORN);
  }

  @Test
  @DisplayName("E9: planted: the end of a run is a read and a write")
  void plantedEnd() {
    caught(SerialScenarios.Throws.class, "Serial.end", "compareAndSet", Weave.Kind.TORN);
  }

  @Test
  @DisplayName("E9: planted: a run that is due again is not submitted")
  void plantedSubmit() {
    caught(SerialScenarios.Throws.class, "Serial.run", "submit", Weave.Kind.DROPPED);
  }

  @Test
  @DisplayName("E9: planted: a refused claim is kept")
  void plantedClaimKept() {
    caught(SerialScenarios.Refused.class, "Serial.submit", "getAndBitwiseAnd", Weave.Kind.DROPPED);
  }

  @Test
  @DisplayName("E9: planted: what is left of a portion is not asked for")
  void plantedPortion() {
    caught(SerialScenarios.Portions.class, "Mailbox.call", "again", Weave.Kind.DROPPED);
  }

  @Test
  @DisplayName("E9: planted: a closed mailbox is not emptied before it opens again")
  void plantedStale() {
    caught(SerialScenarios.Reopened.class, "Mailbox.discard", "close", Weave.Kind.DROPPED);
  }

  @Test
  @DisplayName("E9: planted: losses are handled before the items that were taken ahead of them")
  void plantedOrder() {
    caught(SerialScenarios.Overflow.class, "Mailbox.call", "hasLoss", Weave.Kind.TRUE);
  }

  @Test
  @DisplayName("E9: planted: a drain takes the mailbox for closed")
  void plantedDrain() {
    caught(SerialScenarios.Drain.class, "Mailbox$SoFar.over", "isClosed", Weave.Kind.TRUE);
  }
}
