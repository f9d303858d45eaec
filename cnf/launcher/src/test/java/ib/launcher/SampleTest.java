package ib.launcher;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("U22: ib new copies a sample under another name")
final class SampleTest {
  private static final Path SAMPLES = Path.of("../../samples");

  @TempDir Path folder;
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

  private int copy(String... args) {
    PrintStream out = new PrintStream(bytes, true, UTF_8);
    return new Sample(SAMPLES, out, out).copy(folder, List.of(args));
  }

  private String said() {
    return bytes.toString(UTF_8);
  }

  @ParameterizedTest
  @CsvSource({
    "ulp, 'Echo|echo|samples[./]ulp', src/main/java/com/acme/mirror/Mirror.java",
    "driver, 'Cable[A-Z]|cable[01]|samples[./]driver', src/main/java/com/acme/mirror/MirrorDevice.java"
  })
  @DisplayName("no word of the sample's own name is left, in no file and no file name")
  void renames(String kind, String own, String file) throws IOException {
    assertEquals(0, copy(kind, "com.acme.mirror"), this::said);
    Path made = folder.resolve("mirror");
    String source = Files.readString(made.resolve(file));
    assertTrue(source.startsWith("package com.acme.mirror;\n"), source);
    String pom = Files.readString(made.resolve("pom.xml"));
    assertTrue(pom.contains("<artifactId>mirror</artifactId>"), pom);
    Pattern left = Pattern.compile(own);
    try (Stream<Path> files = Files.walk(made)) {
      for (Path each : files.filter(Files::isRegularFile).toList()) {
        String all = made.relativize(each) + "\n" + Files.readString(each);
        assertTrue(!left.matcher(all).find(), all);
      }
    }
    assertTrue(said().contains("mirror && mvn -B package\n"), said());
  }

  @ParameterizedTest
  @ValueSource(strings = {"Mirror", "com.Acme", "a..b", "com.new", "../x", "1a", ""})
  @DisplayName("a name that is no package is refused, and nothing is made")
  void wrongNames(String name) throws IOException {
    assertEquals(1, copy("ulp", name));
    assertTrue(said().endsWith(" Try: com.example.mirror\n"), said());
    try (Stream<Path> files = Files.list(folder)) {
      assertEquals(0, files.count());
    }
  }

  @Test
  @DisplayName("a folder that is there stays as it is; other kinds get the usage")
  void refusals() throws IOException {
    Files.createDirectory(folder.resolve("mirror"));
    assertEquals(1, copy("driver", "mirror"));
    assertTrue(said().endsWith(" is there already. Try: another name\n"), said());
    assertEquals(2, copy("kv", "x"));
    assertEquals(2, copy("ulp"));
    assertTrue(said().contains("usage: ib new driver NAME"), said());
  }
}
