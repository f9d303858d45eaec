package ib.tidy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class PomsTest {
  private static final Path ROOT = Path.of("../..");
  private static final String NO_JAR = "<id>default-jar</id><phase>none</phase>";
  private static final String NO_INSTALL = "<maven.install.skip>true</maven.install.skip>";

  private static List<Path> poms() throws IOException {
    List<Path> poms = new ArrayList<>();
    for (String folder : List.of("", "cnf", "ib.engine")) {
      try (Stream<Path> rooms = Files.list(ROOT.resolve(folder))) {
        rooms.map(r -> r.resolve("pom.xml")).filter(Files::exists).forEach(poms::add);
      }
    }
    return poms;
  }

  @Test
  @DisplayName("U20: mvn install works in a clone: a module that makes no jar installs none")
  void installs() throws IOException {
    List<Path> without = new ArrayList<>();
    List<Path> bad = new ArrayList<>();
    for (Path pom : poms()) {
      String text = Files.readString(pom);
      if (text.contains(NO_JAR)) {
        without.add(pom);
        if (!text.contains(NO_INSTALL)) {
          bad.add(pom);
        }
      }
    }
    assertTrue(without.size() >= 2, "the rule finds no module: " + without);
    assertEquals(List.of(), bad);
  }
}
