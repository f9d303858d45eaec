package ib.tools.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.client.ClientStatus;
import ib.core.client.Violation;
import ib.core.spi.DeviceSlot;
import ib.tools.output.Listing;
import ib.tools.testing.FakeCore;
import ib.tools.testing.Rxe;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("U17: ib:doctor names what is wrong, and what to do")
final class DoctorTest {
  private static final Doctor.Module RUNS = new Doctor.Module("ib.core", 1, true, true);

  private final FakeCore core = new FakeCore(Rxe.hca("soft0", 0, 1));

  private record Slot(String name, boolean plugged) implements DeviceSlot {
    @Override
    public void plug() {
      throw new UnsupportedOperationException();
    }

    @Override
    public void unplug() {
      throw new UnsupportedOperationException();
    }
  }

  private Listing<Finding> found(DeviceSlot slot, Doctor.Module bundle) {
    return Doctor.run(core, List.of(slot), List.of(bundle));
  }

  private static Finding only(Listing<Finding> all, Finding.Verdict verdict) {
    List<Finding> bad = all.stream().filter(f -> f.verdict() == verdict).toList();
    assertEquals(1, bad.size(), bad::toString);
    return bad.getFirst();
  }

  private Listing<Finding> healthy() {
    return found(new Slot("soft0", true), RUNS);
  }

  @Test
  @DisplayName("all is well: a line for each check, status 0")
  void well() {
    Listing<Finding> all = healthy();
    assertTrue(all.stream().allMatch(f -> f.verdict() == Finding.Verdict.OK), all.text());
    assertEquals(
        List.of("devices", "ports", "clients", "events", "contract", "bundles"),
        all.stream().map(Finding::check).toList());
    assertEquals(0, all.getAsInt());
    assertTrue(all.text().startsWith("CHECK"), all.text());
  }

  @Test
  @DisplayName("an unplugged device is a warning, no device and one that is not known are failures")
  void devices() {
    Listing<Finding> all = found(new Slot("soft1", false), RUNS);
    Finding warning = only(all, Finding.Verdict.WARN);
    assertEquals(
        "soft1 is unplugged, try ib:plug soft1", warning.text() + ", try " + warning.instead());
    assertEquals(0, all.getAsInt());
    all = found(new Slot("soft1", true), RUNS);
    assertEquals(
        "soft1 is plugged, and the midlayer does not have it",
        only(all, Finding.Verdict.FAIL).text());
    assertEquals(1, all.getAsInt());
    core.devices.clear();
    assertEquals(
        "there is no device",
        only(found(new Slot("soft0", false), RUNS), Finding.Verdict.FAIL).text());
  }

  @Test
  @DisplayName("a client that was rejected or revoked")
  void clients() {
    var binding = new ClientStatus.Binding("soft0", ClientStatus.State.BROKEN, 1, 2, "stuck");
    core.clients.add(new ClientStatus("ulp", 3, List.of(), List.of(binding)));
    assertEquals("ulp on soft0 is BROKEN: stuck", only(healthy(), Finding.Verdict.FAIL).text());
  }

  @Test
  @DisplayName("broken clauses, by party")
  void contract() {
    core.violations.add(new Violation("S26", "u", "slept", List.of("a"), List.of()));
    core.violations.add(new Violation("S26", "u", "slept", List.of("b"), List.of()));
    Finding broken = only(healthy(), Finding.Verdict.FAIL);
    assertEquals("S26 by u, at 2 places", broken.text());
    assertEquals("ib:violations -v", broken.instead());
  }

  @Test
  @DisplayName("a bundle that cannot run, or was not started")
  void bundles() {
    Slot slot = new Slot("soft0", true);
    assertEquals(
        "b misses what it requires",
        only(found(slot, new Doctor.Module("b", 17, false, false)), Finding.Verdict.FAIL).text());
    assertEquals(
        "b is not started",
        only(found(slot, new Doctor.Module("b", 17, true, false)), Finding.Verdict.WARN).text());
  }
}
