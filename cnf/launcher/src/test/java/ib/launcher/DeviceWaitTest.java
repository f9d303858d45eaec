package ib.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("issue 2, section 1: exec waits for the devices that are configured")
class DeviceWaitTest {
  @TempDir private Path conf;

  @Test
  @DisplayName("the key name, else the instance of the file name; other files ask for nothing")
  void configured() throws IOException {
    write("ib.driver.soft-soft0.cfg", "# a comment\nname = fast \n");
    write("ib.driver.soft-soft1.cfg", "ports = 1\n");
    write("ib.driver.rxe-a-b.cfg", "");
    write("ib.driver.soft.cfg", "name = singleton\n");
    write("ib.core.cfg", "");
    write("ib.driver.soft-soft2.cfg.bak", "");
    assertEquals(
        Map.of(
            "fast", "ib.driver.soft-soft0.cfg",
            "soft1", "ib.driver.soft-soft1.cfg",
            "a-b", "ib.driver.rxe-a-b.cfg"),
        DeviceWait.configured(conf));
  }

  private void write(String name, String text) throws IOException {
    Files.writeString(conf.resolve(name), text);
  }
}
