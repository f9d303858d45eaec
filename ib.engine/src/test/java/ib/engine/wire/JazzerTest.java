package ib.engine.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * F-01, F-40: fuzzing guided by coverage, in a JVM of its own because Jazzer instruments all of it.
 * {@code -Dib.fuzz.jazzer=20000000} says how many executions each target gets.
 */
@DisplayName("F-01, F-40: Jazzer")
class JazzerTest {
  private static final long RUNS = Long.getLong("ib.fuzz.jazzer", 0);
  private static final long CANARY_RUNS = 1_000_000;
  private static final int FOUND = 77; // libFuzzer's exit code for a finding

  @TempDir Path folder;

  private static boolean present() {
    try {
      Class.forName(
          "com.code_intelligence.jazzer.Jazzer", false, JazzerTest.class.getClassLoader());
      return true;
    } catch (ClassNotFoundException e) {
      return false;
    }
  }

  private Path corpus(String name) throws IOException {
    Path kept = Files.createDirectory(folder.resolve("kept"));
    int i = 0;
    for (byte[] input : Corpus.of(name, 0).inputs()) {
      Files.write(kept.resolve(name + i++), input);
    }
    return kept;
  }

  private int fuzz(String target, String corpus, long runs) throws Exception {
    String classPath =
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-cp", absolute(classPath), "com.code_intelligence.jazzer.Jazzer"));
    command.add("--target_class=" + target);
    command.add("--instrumentation_includes=ib.**");
    command.addAll(List.of("-runs=" + runs, "-seed=1", "-timeout=10"));
    command.add(Files.createDirectory(folder.resolve("grown")).toString());
    command.add(corpus(corpus).toString());
    Path log = folder.resolve("log");
    Process process =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    int code;
    try {
      code = process.waitFor();
    } finally {
      process.destroyForcibly();
    }
    String text = Files.readString(log);
    assertTrue(code == 0 || code == FOUND, () -> "exit code " + code + "\n" + text);
    assertTrue(text.contains("INFO: Instrumented ib.engine.wire"), text);
    return code;
  }

  private static String absolute(String classPath) {
    List<String> parts = new ArrayList<>();
    for (String part : classPath.split(File.pathSeparator, -1)) {
      parts.add(new File(part).getAbsolutePath());
    }
    return String.join(File.pathSeparator, parts);
  }

  private static void required() {
    assumeTrue(RUNS > 0, "asked for with -Dib.fuzz.jazzer=<executions>");
    assumeTrue(present(), "Jazzer is not on the class path");
  }

  @ParameterizedTest
  @CsvSource({"RoceFuzz, roce", "LinkFuzz, link", "MadFuzz, mad"})
  @DisplayName("finds nothing")
  void findsNothing(String target, String corpus) throws Exception {
    required();
    assertEquals(0, fuzz("ib.engine.wire." + target, corpus, RUNS));
  }

  @Test
  @DisplayName("canary: finds a planted overflow of a sequence number")
  void findsPlanted() throws Exception {
    required();
    assertEquals(FOUND, fuzz("ib.engine.wire.PlantedFuzz", "roce", CANARY_RUNS));
  }
}
