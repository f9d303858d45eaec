package ib.driver.soft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.IbAgainException;
import ib.core.verbs.IbInvalidException;
import ib.driver.base.Devices;
import ib.driver.base.Slot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("B5: a device whose topology is refused does not come up on another net")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class RefusedTopologyTest {
  private static final String GOOD = "Switch 36 \"left\"\nCa 1 \"d0\"\n[1] \"left\"[1]\n";

  @TempDir private Path folder;
  private final Lab lab = new Lab().quiet();
  private final Medium medium = new Medium(line -> {});
  private final List<String> errors = new CopyOnWriteArrayList<>();
  private final Devices<SoftConfig> devices =
      new Devices<>(
          ConfigReader::read,
          config -> SoftDevice.plug(medium.fabric, config, "0"),
          lab,
          (text, why) -> errors.add(text));

  @BeforeEach
  void listen() {
    medium.fabric.rearranged(devices::review);
  }

  @AfterEach
  void end() {
    devices.stop();
    medium.close();
    lab.close();
  }

  private Map<String, Object> topology(String text) throws IOException {
    Path file = Files.createTempFile(folder, "topology", ".net");
    return Map.of("topology", Files.writeString(file, text).toString());
  }

  private void refuse(Map<String, ?> values) {
    assertThrows(IbInvalidException.class, () -> medium.configure(values));
    devices.slots().forEach(Slot::quiesce);
  }

  private void configured() {
    devices.configure("ib.driver.soft~d0", Map.of());
    devices.slots().forEach(Slot::quiesce);
  }

  private List<String> plugged() {
    devices.slots().forEach(Slot::quiesce);
    return lab.plugged().stream().map(SoftDevice::name).toList();
  }

  @ParameterizedTest(name = "the device before the topology: {0}")
  @ValueSource(booleans = {false, true})
  @DisplayName("absent, with the reason; there when the topology is mended, or given up")
  void absent(boolean deviceFirst) throws IOException {
    if (deviceFirst) {
      configured();
      assertEquals(List.of("d0"), plugged());
    }
    refuse(topology("Switch 36 \"left\"\nnonsense\n"));
    if (!deviceFirst) {
      configured();
    }
    assertEquals(List.of(), plugged());
    assertEquals(1, errors.size(), errors.toString());
    assertTrue(
        errors.getFirst().matches("device d0: .*topology is refused: .*line 2.*"),
        errors::toString);
    assertThrows(IbAgainException.class, () -> devices.slots().getFirst().plug());
    medium.configure(topology(GOOD));
    assertEquals(List.of("d0"), plugged());
    assertEquals(1, medium.fabric.subnets().size());
  }

  @Test
  @DisplayName("a name that no file can have is refused as a file that is not there")
  void noFile() {
    configured();
    refuse(Map.of("topology", "a\0b"));
    assertEquals(List.of(), plugged());
    medium.configure(Map.of());
    assertEquals(List.of("d0"), plugged());
  }

  @Test
  @DisplayName("a topology beside another wrong value is refused with it")
  void beside() throws IOException {
    configured();
    refuse(Map.of("topology", topology(GOOD).get("topology"), "sm.priority", "16"));
    assertEquals(List.of(), plugged());
    medium.configure(Map.of());
    assertEquals(List.of("d0"), plugged());
  }

  @Test
  @DisplayName(
      "a later configuration without a topology, wrong in another value, refuses no device")
  void givenUp() throws IOException {
    configured();
    refuse(topology("nonsense"));
    assertEquals(List.of(), plugged());
    refuse(Map.of("sm.priority", "16"));
    assertEquals(List.of("d0"), plugged());
  }

  @Test
  @DisplayName("D21: an Error while a configuration is read lifts no refusal")
  void error() throws IOException {
    configured();
    refuse(topology("nonsense"));
    Object fails =
        new Object() {
          @Override
          public String toString() {
            throw new StackOverflowError("planned");
          }
        };
    assertThrows(StackOverflowError.class, () -> medium.configure(Map.of("sm.priority", fails)));
    assertEquals(List.of(), plugged());
  }

  @Test
  @DisplayName("what there is goes on: a running topology, and a fabric without one")
  void goesOn() throws IOException {
    configured();
    refuse(Map.of("sm.priority", "16"));
    assertEquals(List.of("d0"), plugged());
    medium.configure(topology(GOOD));
    refuse(topology("nonsense"));
    assertEquals(List.of("d0"), plugged());
    assertEquals(List.of(), errors);
  }
}
