package ib.ulp.ipoib;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.config.ConfigKey;
import ib.core.testing.ConfigManual;
import ib.core.verbs.IbInvalidException;
import ib.ulp.ipoib.IpoibKeys.Stacks;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("F25: the configuration is declared once")
class IpoibConfigTest {
  @Test
  @DisplayName("F25: the metatype file and the table in docs/configuration.md")
  void manual() throws Exception {
    ConfigManual.check(IpoibKeys.SCHEMA);
  }

  @Test
  @DisplayName("F25: the file of the distribution names each key with its default")
  void file() throws Exception {
    ConfigManual.checkFile(IpoibKeys.SCHEMA, "ib.ulp.ipoib.cfg.example", Set.of());
  }

  @Test
  @DisplayName("F25: the declared defaults are the configuration without any value")
  void defaults() {
    Map<String, Object> values = new TreeMap<>();
    IpoibKeys.SCHEMA.keys().forEach(key -> values.put(key.name(), key.standardText()));
    assertEquals(IpoibConfig.read(Map.of()), IpoibConfig.read(values));
    assertEquals(Stacks.JVM, IpoibConfig.read(Map.of("unknown", "ignored")).stacks());
  }

  @Test
  @DisplayName("F25: a wrong value is refused with its key, the value and what is allowed")
  void wrong() {
    for (ConfigKey key : IpoibKeys.SCHEMA.keys()) {
      for (Object bad :
          key instanceof ConfigKey.Whole whole
              ? List.of(whole.least() - 1, whole.most() + 1, "x", "")
              : List.of("x")) {
        String text =
            assertThrows(
                    IbInvalidException.class,
                    () -> IpoibConfig.read(Map.of(key.name(), bad)),
                    key.name())
                .getMessage();
        assertTrue(text.contains("key " + key.name() + " is "), text);
        assertTrue(text.contains(key.allowed()), text);
      }
    }
  }

  @Test
  @DisplayName("F25: all numbers and words that are wrong are named at once")
  void together() {
    String text =
        assertThrows(
                IbInvalidException.class,
                () -> IpoibConfig.read(Map.of("queues", 0, "mode", "fast", "umcast", "perhaps")))
            .getMessage();
    for (String key : List.of("queues", "mode", "umcast")) {
      assertTrue(text.contains("key " + key), text);
    }
  }
}
