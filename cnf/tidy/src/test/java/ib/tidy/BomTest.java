package ib.tidy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("U23: bom/pom.xml manages each artifact that a project can depend on")
class BomTest {
  private static final Path ROOT = Path.of("../..");
  private static final Pattern MODULE = Pattern.compile("<module>(ib\\.[\\w.]+)</module>");
  private static final Pattern MANAGED =
      Pattern.compile(
          "<groupId>ib</groupId><artifactId>([\\w.]+)</artifactId><version>\\$\\{project.version}");
  private static final Pattern VERSION =
      Pattern.compile("<artifactId>ib(?:\\.bom)?</artifactId>\\s+<version>([^<]+)<");

  private static TreeSet<String> all(Pattern pattern, String text) {
    return pattern
        .matcher(text)
        .results()
        .map(m -> m.group(1))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  @Test
  @DisplayName("the modules ib.* and no others, in the version of this build")
  void complete() throws IOException {
    String build = Files.readString(ROOT.resolve("pom.xml"));
    String bom = Files.readString(ROOT.resolve("bom/pom.xml"));
    assertTrue(all(MODULE, build).contains("ib.core"));
    assertEquals(all(MODULE, build), all(MANAGED, bom));
    assertEquals(all(VERSION, build), all(VERSION, bom));
  }
}
