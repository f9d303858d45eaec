package ib.driver.rxe.udp;

import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.testing.Interleavings;
import ib.core.testing.Interleavings.Result;
import ib.core.testing.Weave;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Every schedule with up to three preemptions of the product's own code. */
@Tag("finding")
@DisplayName("The receiving thread takes over from a consumer, explored")
class ReceiverModelTest {
  private static final int PREEMPTIONS = 3;
  private static final Weave WEAVE =
      new Weave(n -> n.startsWith("ib.driver.rxe.udp."), n -> true, false, List.of())
          .stoppingIn("Receiver");

  @Test
  @DisplayName("acknowledgements that a consumer's run has held back are sent in every schedule")
  void everyInterleaving() {
    Result r = Interleavings.explore(ReceiverScenarios.Rest.class, PREEMPTIONS, WEAVE);
    assertNull(r.failure());
    assertTrue(r.schedules() > 20, "only " + r.schedules() + " schedules");
  }

  @Test
  @DisplayName("E9: planted: a consumer that received does not wake the receiving thread")
  void plantedNoWake() {
    Weave weave = WEAVE.with("ib.driver.rxe.udp.Receiver.leaveSockets", "wake", Weave.Kind.DROPPED);
    assertNotNull(
        Interleavings.explore(ReceiverScenarios.Rest.class, PREEMPTIONS, weave).failure(),
        "not caught");
  }

  @Test
  @DisplayName("the same with a consumer that is doubted, and polls once")
  void doubted() {
    Result r = Interleavings.explore(ReceiverScenarios.Doubted.class, PREEMPTIONS, WEAVE);
    assertNull(r.failure());
    assertTrue(r.schedules() > 20, "only " + r.schedules() + " schedules");
  }

  @Test
  @DisplayName("planted: a doubted consumer that received does not wake the receiving thread")
  void plantedNoLook() {
    Weave weave = WEAVE.with("ib.driver.rxe.udp.Receiver.askForLook", "wake", Weave.Kind.DROPPED);
    assertNotNull(
        Interleavings.explore(ReceiverScenarios.Doubted.class, PREEMPTIONS, weave).failure(),
        "not caught");
  }
}
