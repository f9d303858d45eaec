package ib.driver.rxe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class RxeFootprintTest {
  @Test
  @DisplayName(
      "D4, issue 12 stage 3: a queue pair of rxe has at most 4 KiB beside its rings: each of 10,000"
          + " new ones, and each of 500 that have sent and received by packets and are idle")
  void small() throws IOException, InterruptedException {
    String path =
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    Process program =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx1g",
                "-XX:+UseSerialGC",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                path,
                RxeFootprint.class.getName())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    String text =
        new String(program.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    assertEquals(0, program.waitFor());
    List<String> found = text.lines().filter(line -> !line.startsWith(" ")).toList();
    assertEquals(2, found.size(), text);
    assertAtMost(8, 1_600, found.get(0), text);
    assertAtMost(60, 4_096, found.get(1), text);
  }

  private static void assertAtMost(int objects, int bytes, String found, String text) {
    String[] words = found.split(" ");
    int bytesFound = Integer.parseInt(words[1]);
    assertTrue(bytesFound > 500, text);
    assertTrue(Integer.parseInt(words[0]) <= objects && bytesFound <= bytes, text);
  }
}
