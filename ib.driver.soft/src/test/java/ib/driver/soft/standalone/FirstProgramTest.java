package ib.driver.soft.standalone;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("U19: the program of docs/first-program.md")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class FirstProgramTest {
  private static final int MAX_LINES = 20;

  /** What stands between the marks of Java text. */
  private static List<String> program() throws Exception {
    List<String> page = Files.readAllLines(Path.of("../docs/first-program.md"));
    int begin = page.indexOf("```java") + 1;
    return page.subList(begin, begin + page.subList(begin, page.size()).indexOf("```"));
  }

  /** What a plain Java program has: nothing of OSGi, and no log. */
  private static String classPath() {
    String all =
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    return List.of(all.split(File.pathSeparator)).stream()
        .filter(p -> !p.contains("osgi") && !p.contains("felix") && !p.contains("logback"))
        .reduce((a, b) -> a + File.pathSeparator + b)
        .orElseThrow();
  }

  @Test
  @DisplayName(
      "has at most 20 lines, is compiled and runs as it stands, without OSGi, and says hello")
  void runs(@TempDir Path directory) throws Exception {
    List<String> lines = program();
    assertTrue(lines.size() <= MAX_LINES, () -> lines.size() + " lines");
    Path source = Files.write(directory.resolve("First.java"), lines);
    Path out = directory.resolve("out");
    Path err = directory.resolve("err");
    Process run =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                classPath(),
                source.toString())
            .redirectOutput(out.toFile())
            .redirectError(err.toFile())
            .start();
    try {
      assertTrue(run.waitFor(10, TimeUnit.MINUTES), "it does not end");
    } finally {
      run.destroyForcibly();
    }
    String said = Files.readString(err, StandardCharsets.UTF_8);
    assertEquals("hello\n", Files.readString(out, StandardCharsets.UTF_8), said);
    assertEquals(0, run.exitValue(), said);
  }
}
