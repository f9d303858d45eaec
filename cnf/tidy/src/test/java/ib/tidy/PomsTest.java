package ib.tidy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class PomsTest {
  private static final Path ROOT = Path.of("../..");
  private static final String NO_JAR = "<id>default-jar</id><phase>none</phase>";
  private static final String NO_INSTALL = "<maven.install.skip>true</maven.install.skip>";

  private static final String FORKS = "<forkCount>";
  private static final Pattern NEW_JDK_PROFILE =
      Pattern.compile(
          "<profile>(?:(?!</profile>).)*<jdk>\\[25,\\)</jdk>(?:(?!</profile>).)*</profile>",
          Pattern.DOTALL);

  private static List<Path> poms() throws IOException {
    List<Path> poms = new ArrayList<>();
    for (String folder : List.of("", "cnf", "ib.engine", "itests")) {
      try (Stream<Path> rooms = Files.list(ROOT.resolve(folder))) {
        rooms.map(r -> r.resolve("pom.xml")).filter(Files::exists).forEach(poms::add);
      }
    }
    return poms;
  }

  /** Of a POM's text: what stands outside of the profiles that only a Maven on JDK 25 has. */
  private static String onAnyJdk(String pom) {
    return NEW_JDK_PROFILE.matcher(pom).replaceAll("");
  }

  @Test
  @DisplayName("Maven on an older JDK runs the tests, too: no module asks for several JVMs of it")
  void testsOnOlderMaven() throws IOException {
    List<Path> bad = new ArrayList<>();
    int several = 0;
    for (Path pom : poms()) {
      String text = Files.readString(pom);
      several += text.contains(FORKS) ? 1 : 0;
      if (onAnyJdk(text).contains(FORKS)) {
        bad.add(pom);
      }
    }
    assertTrue(several >= 1, "the rule finds no module");
    assertEquals(List.of(), bad);
    assertTrue(onAnyJdk("<profile><id>a</id></profile>" + FORKS + "2").contains(FORKS), "canary");
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
