package ib.driver.soft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import ib.core.config.ConfigKey;
import ib.core.testing.ConfigManual;
import ib.core.verbs.IbInvalidException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("F25 what users read about the configurations is what their declarations say")
final class SoftManualTest {
  private static final List<String> KEYS_IN_FILE =
      List.of(
          "name",
          "guid",
          "link",
          "pkeys",
          "switch",
          "ports",
          "mtu",
          "comp_vectors",
          "max_qp",
          "max_qp_wr",
          "max_cq",
          "max_cqe");

  @Test
  @DisplayName("F25 the metatype files and the tables in docs/configuration.md")
  void manual() throws Exception {
    ConfigManual.check(ConfigReader.SCHEMA);
    ConfigManual.check(Medium.SCHEMA);
  }

  @Test
  @DisplayName("F25 the files of the distribution")
  void files() throws Exception {
    Set<String> omitted = new TreeSet<>(ConfigReader.SCHEMA.names());
    omitted.removeAll(KEYS_IN_FILE);
    ConfigManual.checkFile(ConfigReader.SCHEMA, "ib.driver.soft-soft0.cfg", omitted);
  }

  @Test
  @DisplayName("F25 the fabric's reader knows its keys and their ranges")
  void fabric() {
    SharedFabric reader = new SharedFabric();
    try {
      reader.configure(Map.of("ibsim.port", "0"));
      for (Object bad : new Object[] {65_472, -1, "x"}) {
        refused(reader, "ibsim.port", bad);
      }
      refused(reader, "port", 7070);
      reader.configure(Map.of("sm.priority", 15));
      assertEquals(15, reader.fabric().smPriority());
      reader.configure(Map.of());
      assertEquals(0, reader.fabric().smPriority());
      refused(reader, "sm.priority", 16);
      assertEquals(1, reader.fabric().smKey());
      reader.configure(Map.of("sm.key", "0xfeedfacecafebeef"));
      assertEquals(0xfeedfacecafebeefL, reader.fabric().smKey());
      assertFalse(refused(reader, "sm.key", "secret!").contains("secret!"));
    } finally {
      reader.deactivate();
    }
  }

  private static String refused(SharedFabric reader, String key, Object value) {
    return assertThrows(IbInvalidException.class, () -> reader.configure(Map.of(key, value)))
        .getMessage();
  }

  @Test
  @DisplayName("F25 the declared defaults are a configuration, the one without any value")
  void defaults() {
    Map<String, Object> values = new TreeMap<>();
    for (ConfigKey key : ConfigReader.SCHEMA.keys()) {
      if (!key.standardText().isEmpty()) {
        values.put(key.name(), key.standardText());
      }
    }
    assertEquals(ConfigReader.read("x", Map.of()), ConfigReader.read("x", values));
  }
}
