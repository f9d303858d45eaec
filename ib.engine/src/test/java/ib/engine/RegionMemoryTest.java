package ib.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class RegionMemoryTest {
  private static final int CONNECTIONS = 300;
  private static final int LEFT = 32;

  private static int grownBy(int left) throws Exception {
    String classPath =
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    List<String> parts = new ArrayList<>();
    for (String part : classPath.split(File.pathSeparator, -1)) {
      parts.add(new File(part).getAbsolutePath());
    }
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:NativeMemoryTracking=summary",
                "-Xmx256m",
                "-cp",
                String.join(File.pathSeparator, parts),
                RegionMemory.class.getName(),
                "" + CONNECTIONS,
                "" + left)
            .inheritIO()
            .start();
    try {
      return process.waitFor();
    } finally {
      process.destroyForcibly();
    }
  }

  @Test
  @Timeout(600)
  @DisplayName("B15: the memory of regions that came and went is given back; what is left is seen")
  void bounded() throws Exception {
    assertEquals(0, grownBy(0), "MiB of " + 2 * CONNECTIONS + " that were registered");
    int seen = grownBy(LEFT);
    assertTrue(seen >= LEFT - 1 && seen <= LEFT + 1, seen + " MiB of " + LEFT + " left on purpose");
  }
}
