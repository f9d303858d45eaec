package ib.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class FootprintTest {
  @Test
  @DisplayName(
      "D4: each of 10,000 queue pairs, new or connected, is small beside its rings; 100,000 of depth"
          + " 4 fit in 1 GiB")
  void small() throws IOException, InterruptedException {
    String path =
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    Process program =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx1g",
                "-XX:+UseSerialGC",
                "-cp",
                path,
                Footprint.class.getName())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    List<String> lines =
        new String(program.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
            .lines()
            .toList();
    assertEquals(0, program.waitFor());
    assertAtMost(6, 1_450, lines.get(0));
    assertAtMost(8, 1_600, lines.get(1));
    assertAtMost(25, 3_300, lines.get(2)); // rings and the core's objects too; 1 GiB: 10,737 B
  }

  private static void assertAtMost(int objects, int bytes, String found) {
    String[] words = found.split(" ");
    assertTrue(
        Integer.parseInt(words[0]) <= objects && Integer.parseInt(words[1]) <= bytes,
        () -> "objects and bytes: " + found);
  }
}
