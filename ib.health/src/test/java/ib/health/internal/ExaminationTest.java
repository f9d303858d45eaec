package ib.health.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.client.ClientStatus;
import ib.core.client.Violation;
import ib.core.spi.DeviceSlot;
import ib.core.verbs.LinkLayer;
import ib.core.verbs.PortAttr;
import ib.core.verbs.PortState;
import ib.driver.soft.standalone.SoftFabric;
import ib.health.Finding;
import ib.health.Finding.Verdict;
import ib.health.FindingSource;
import ib.health.Health;
import ib.health.internal.Examination.BundleState;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("U17: an examination names what is wrong, and what to do")
final class ExaminationTest {
  private static final BundleState RUNS = new BundleState("ib.core", 1, true, true);
  private static final Slot PLUGGED = new Slot("soft0", true);

  private static SoftFabric fabric;

  @BeforeAll
  static void open() {
    fabric = SoftFabric.open("soft0");
  }

  @AfterAll
  static void close() {
    fabric.close();
  }

  private record Slot(String name, BooleanSupplier look) implements DeviceSlot {
    Slot(String name, boolean plugged) {
      this(name, () -> plugged);
    }

    @Override
    public boolean plugged() {
      return look.getAsBoolean();
    }

    @Override
    public void plug() {
      throw new UnsupportedOperationException();
    }

    @Override
    public void unplug() {
      throw new UnsupportedOperationException();
    }
  }

  private static List<Finding> found(Slot slot, BundleState bundle, Map<String, ?> answers) {
    return new Examination(
            Altered.core(fabric.core(), answers), List.of(slot), List.of(RUNS, bundle), List.of())
        .findings();
  }

  private static void assertOk(List<Finding> all) {
    assertTrue(all.stream().allMatch(f -> f.verdict() == Verdict.OK), all::toString);
  }

  private static Finding only(List<Finding> all, Verdict verdict) {
    List<Finding> bad = all.stream().filter(f -> f.verdict() == verdict).toList();
    assertEquals(1, bad.size(), all::toString);
    return bad.getFirst();
  }

  private static Finding only(Verdict verdict, Map<String, ?> answers) {
    return only(found(PLUGGED, RUNS, answers), verdict);
  }

  @Test
  @DisplayName("all is well: one finding for each check")
  void well() {
    List<Finding> all = found(PLUGGED, RUNS, Map.of());
    assertOk(all);
    assertEquals(Health.CHECKS, all.stream().map(Finding::check).toList());
  }

  @Test
  @DisplayName("an unplugged device is a warning, no device and one that is not known are failures")
  void devices() {
    Finding warning = only(found(new Slot("soft1", false), RUNS, Map.of()), Verdict.WARN);
    assertEquals(
        "soft1 is unplugged, try ib:plug soft1", warning.text() + ", try " + warning.instead());
    assertEquals(
        "soft1 is plugged, and the midlayer does not have it",
        only(found(new Slot("soft1", true), RUNS, Map.of()), Verdict.FAIL).text());
    List<Finding> none = found(new Slot("soft0", false), RUNS, Map.of("devices", List.of()));
    assertEquals("there is no device", only(none, Verdict.FAIL).text());
    assertEquals(
        Health.CHECKS, none.stream().map(Finding::check).distinct().toList(), none::toString);
  }

  @Test
  @DisplayName("a device that is just being plugged or unplugged is no finding")
  void devicesThatComeOrGo() {
    assertOk(found(new Slot("soft0", false), RUNS, Map.of()));
    AtomicInteger looks = new AtomicInteger();
    assertOk(found(new Slot("soft1", () -> looks.getAndIncrement() == 0), RUNS, Map.of()));
    assertEquals(2, looks.get());
  }

  private static String judged(PortAttr.Builder port) {
    List<Finding> found = new ArrayList<>();
    boolean active = Examination.port(found, "soft0/1", port.build());
    return active
        + found.stream().map(f -> " " + f.verdict() + " " + f.text()).reduce("", String::concat);
  }

  @Test
  @DisplayName("a port is active in ACTIVE and in ACTIVE_DEFER; each other state is a failure")
  void ports() {
    PortAttr.Builder port = PortAttr.builder().linkLayer(LinkLayer.INFINIBAND).smLid(1);
    assertEquals("true", judged(port.state(PortState.ACTIVE)));
    assertEquals("true", judged(port.state(PortState.ACTIVE_DEFER)));
    for (PortState state : List.of(PortState.INIT, PortState.ARMED)) {
      assertEquals(
          "false FAIL soft0/1 is " + state.label() + ": no subnet manager has made it active",
          judged(port.state(state)));
    }
    assertEquals("false FAIL soft0/1 is PORT_DOWN", judged(port.state(PortState.DOWN)));
    port.smLid(0);
    assertEquals(
        "true WARN soft0/1 is active, and knows no subnet manager",
        judged(port.state(PortState.ACTIVE_DEFER)));
    port.linkLayer(LinkLayer.ETHERNET);
    assertEquals("true", judged(port.state(PortState.ACTIVE_DEFER)));
    assertEquals("false FAIL soft0/1 is PORT_INIT", judged(port.state(PortState.INIT)));
  }

  @Test
  @DisplayName("a client that was rejected or revoked")
  void clients() {
    var binding = new ClientStatus.Binding("soft0", ClientStatus.State.BROKEN, 1, 2, "stuck");
    List<ClientStatus> clients = List.of(new ClientStatus("ulp", 3, List.of(), List.of(binding)));
    assertEquals(
        "ulp on soft0 is BROKEN: stuck", only(Verdict.FAIL, Map.of("clients", clients)).text());
  }

  @Test
  @DisplayName("events that were lost")
  void events() {
    Finding lost = only(Verdict.WARN, Map.of("eventCounters", Map.of("lost", 3L, "sent", 9L)));
    assertEquals("soft0: lost 3", lost.text());
    assertEquals("ib:events soft0", lost.instead());
  }

  @Test
  @DisplayName("broken clauses, by party")
  void contract() {
    List<Violation> violations =
        List.of(
            new Violation("S26", "u", "slept", List.of("a"), List.of()),
            new Violation("S26", "u", "slept", List.of("b"), List.of()));
    Finding broken = only(Verdict.FAIL, Map.of("violations", violations));
    assertEquals("S26 by u, at 2 places", broken.text());
    assertEquals("ib:violations -v", broken.instead());
  }

  @Test
  @DisplayName("a bundle that cannot run, or was not started")
  void bundles() {
    BundleState unresolved = new BundleState("b", 17, false, false);
    assertEquals(
        "b misses what it requires",
        only(found(PLUGGED, unresolved, Map.of()), Verdict.FAIL).text());
    BundleState stopped = new BundleState("b", 17, true, false);
    assertEquals("b is not started", only(found(PLUGGED, stopped, Map.of()), Verdict.WARN).text());
  }

  @Test
  @DisplayName("A10 findings of others are added, and one that throws is a finding itself")
  void others() {
    Finding idle = new Finding("bundles", Verdict.WARN, "x.jar does not run", "");
    List<Finding> all =
        new Examination(fabric.core(), List.of(PLUGGED), List.of(RUNS), List.of(idle)).findings();
    assertEquals(idle, only(all, Verdict.WARN));
    for (Throwable thrown : List.of(new AssertionError("e"), new IllegalStateException("e"))) {
      FindingSource throwing = () -> sneak(thrown);
      Finding says = HealthComponent.find(throwing).findFirst().orElseThrow();
      assertEquals("bundles " + Verdict.FAIL, says.check() + " " + says.verdict());
      assertTrue(says.text().endsWith(" cannot look: " + thrown), says::text);
    }
  }

  @SuppressWarnings("unchecked")
  private static <T, E extends Throwable> T sneak(Throwable thrown) throws E {
    throw (E) thrown;
  }
}
