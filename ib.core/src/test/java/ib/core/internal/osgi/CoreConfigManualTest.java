package ib.core.internal.osgi;

import ib.core.internal.CoreConfig;
import ib.core.testing.ConfigManual;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A14, F25: what users read about the configuration is what its declaration says")
class CoreConfigManualTest {
  @Test
  @DisplayName("F25: the metatype file and the table in docs/configuration.md")
  void manual() throws Exception {
    ConfigManual.check(CoreConfig.SCHEMA);
  }

  @Test
  @DisplayName("A14: the file of the distribution names each key with its default")
  void file() throws Exception {
    ConfigManual.checkFile(CoreConfig.SCHEMA, "ib.core.cfg", Set.of());
  }
}
