package ib.engine.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.classfile.CodeTransform;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The checkers prove themselves: each of the deliberate bugs is caught, and nothing else is. */
@Tag("finding")
@DisplayName("the simulator catches deliberate bugs")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PlantedBugsTest {
  private static final int MAX_SEEDS = 100;

  @ParameterizedTest
  @EnumSource
  @DisplayName("planted into the engine's own class at load, caught within 100 seeds")
  void caught(Bug bug, TestReporter reporter) {
    Plant plant = bug.plant();
    String found = null;
    int seed = 0;
    while (found == null && seed < MAX_SEEDS) {
      found = plant.run(++seed, bug.profile);
    }
    assertTrue(bug.places.get() > 0, bug + ": the place where it belongs is not there any more");
    assertNotNull(found, bug + " was not caught in " + MAX_SEEDS + " seeds of " + bug.profile);
    reporter.publishEntry(bug.name(), "seed " + seed + ": " + found.lines().findFirst().orElse(""));
  }

  @Test
  @DisplayName("the same loader without a bug finds nothing")
  void control() {
    Plant nothing = new Plant("ib.core.wire.Psn", "diff", CodeTransform.ACCEPT_ALL);
    for (Profile profile : Profile.values()) {
      if (!profile.bulk() && profile != Profile.SILENT && profile != Profile.SOAK) {
        assertNull(nothing.run(profile.ordinal(), profile));
      }
    }
  }

  @Test
  @DisplayName("bytes that change on the way and no check sees are seen at the end")
  void wrongBytes() {
    int caught = 0;
    for (int seed = 1; seed <= 20; seed++) {
      String found = Sim.verdict(seed, Profile.SILENT.name());
      caught += found != null && found.contains("wrong bytes") ? 1 : 0;
    }
    assertTrue(caught > 10, "caught in " + caught + " of 20 seeds");
    assertEquals(33, Bug.values().length, "at least the 12 of the issue");
  }
}
