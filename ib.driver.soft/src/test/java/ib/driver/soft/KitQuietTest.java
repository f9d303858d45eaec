package ib.driver.soft;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.client.IbCore;
import ib.core.verbs.EventType;
import ib.driver.soft.flawed.Flaw;
import ib.kit.Bench;
import ib.kit.Catalogue;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.opentest4j.TestAbortedException;

@DisplayName("the suite on devices that raise no event when their peer has broken a rule")
final class KitQuietTest {

  /** The devices of another bench, of which is said that they raise no such event. */
  private record Quiet(SoftBench of) implements Bench {
    @Override
    public IbCore core() {
      return of.core();
    }

    @Override
    public List<String> devices() {
      return of.devices();
    }

    @Override
    public void unplug(String device) {
      of.unplug(device);
    }

    @Override
    public void plug(String device) {
      of.plug(device);
    }

    @Override
    public boolean raises(EventType type) {
      return false;
    }

    @Override
    public void close() {
      of.close();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"ERR-001", "ERR-051", "ERR-053", "ATOM-031", "ATOM-034", "FLUSH-062", "EVENT-001"})
  @DisplayName("a case whose event is not raised is skipped by name when all else holds")
  void skipped(String id) {
    try (Bench bench = new Quiet(new SoftBench())) {
      TestAbortedException e =
          assertThrows(TestAbortedException.class, () -> Catalogue.find(id).run(bench));
      assertTrue(e.getMessage().contains("all holds but that the devices raise no "), e::toString);
      assertTrue(e.getMessage().contains(id), e::toString);
    }
  }

  @Test
  @DisplayName("what else is wrong fails the case, and is not skipped with the event")
  void stillCaught() {
    try (Bench bench = new Quiet(SoftBench.flawed(Flaw.WRONG_STATUS, Map.of()))) {
      assertThrows(AssertionError.class, () -> Catalogue.find("ERR-001").run(bench));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"ERR-004", "ERR-025", "ERR-070", "ERR-106", "ERR-131", "PAIR-303"})
  @DisplayName("no case about keys and arenas is skipped on a device of the engine")
  void whole(String id) {
    try (SoftBench bench = new SoftBench()) {
      assertDoesNotThrow(() -> Catalogue.find(id).run(bench));
    }
  }
}
