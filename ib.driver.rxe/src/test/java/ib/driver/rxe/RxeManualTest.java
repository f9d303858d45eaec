package ib.driver.rxe;

import static org.junit.jupiter.api.Assertions.assertEquals;

import ib.core.config.ConfigKey;
import ib.core.testing.ConfigManual;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("F25 what users read about the configuration is what its declaration says")
final class RxeManualTest {
  @Test
  @DisplayName("F25 the metatype file and the table in docs/configuration.md")
  void manual() throws Exception {
    ConfigManual.check(RxeKeys.SCHEMA);
  }

  @Test
  @DisplayName("F25 the file of the distribution")
  void file() throws Exception {
    Set<String> omitted = new TreeSet<>(RxeKeys.SCHEMA.names());
    omitted.removeAll(
        List.of("name", "address", "interface", "port", "mtu", "busy_poll", "window", "guid"));
    omitted.removeAll(
        List.of(
            "io",
            "source_ports",
            "id_check",
            "local",
            "guard_violations",
            "guard_probes",
            "guard_mute"));
    ConfigManual.checkFile(RxeKeys.SCHEMA, "ib.driver.rxe-rxe0.cfg.example", omitted);
  }

  @Test
  @DisplayName("F25 the declared defaults are a configuration, the one without any value")
  void defaults() {
    Map<String, Object> values = new TreeMap<>();
    for (ConfigKey key : RxeKeys.SCHEMA.keys()) {
      if (!key.standardText().isEmpty()) {
        values.put(key.name(), key.standardText());
      }
    }
    values.put("address", "10.0.0.1");
    assertEquals(RxeReader.read("x", Map.of("address", "10.0.0.1")), RxeReader.read("x", values));
  }
}
