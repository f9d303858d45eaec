package ib.driver.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.testing.ConfigManual;
import ib.core.verbs.IbInvalidException;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("F25 what users read about the configuration is what its declaration says")
final class VerbsManualTest {
  @Test
  @DisplayName("F25 the metatype file and the table in docs/configuration.md")
  void manual() throws Exception {
    ConfigManual.check(VerbsKeys.SCHEMA);
  }

  @Test
  @DisplayName("F25 the file of the distribution")
  void file() throws Exception {
    ConfigManual.checkFile(VerbsKeys.SCHEMA, "ib.driver.verbs.cfg.example", Set.of());
  }

  private static boolean takes(String devices, String name) {
    return VerbsReader.selection(Map.of("devices", devices)).takes(name);
  }

  @Test
  @DisplayName("issue 17, V1: the last pattern that fits decides which devices are taken")
  void patterns() {
    assertTrue(VerbsReader.selection(Map.of()).takes("mlx5_0"), "the default are all");
    assertTrue(takes("*, !mlx5_1", "mlx5_0"));
    assertFalse(takes("*, !mlx5_1", "mlx5_1"));
    assertTrue(takes("*, !mlx5_*, mlx5_0", "mlx5_0"));
    assertFalse(takes("rxe0", "rxe01"));
    assertFalse(takes("rxe.", "rxe0"), "a dot is a dot");
    assertEquals("host-", VerbsReader.selection(Map.of("prefix", "host-")).prefix());
  }

  @Test
  @DisplayName("F25 wrong values are refused, each by name")
  void refused() {
    IbInvalidException e =
        assertThrows(
            IbInvalidException.class,
            () -> VerbsReader.selection(Map.of("devices", "a b", "prefix", "9", "device", "x")));
    for (String word : new String[] {"devices", "prefix", "device"}) {
      assertTrue(e.getMessage().contains(word), e.getMessage());
    }
  }
}
