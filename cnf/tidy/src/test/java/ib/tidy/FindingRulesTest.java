package ib.tidy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("a failure that does not come again: listed on CI, or a finding")
class FindingRulesTest {
  private static final Path AGAIN = Path.of("../../.ci/again").toAbsolutePath();
  private static final String FLAKY =
      "<testcase name=\"%s\" classname=\"a.%s\" time=\"1\"><flakyFailure type=\"x\">"
          + "<stackTrace><![CDATA[it failed]]></stackTrace></flakyFailure></testcase>";

  @TempDir Path folder;

  @Test
  @DisplayName("models, explored interleavings, jcstress, seeds and the kit say that they find")
  void house() throws IOException {
    List<String> found =
        new House(Path.of("../..").toRealPath())
            .sources().stream().flatMap(s -> FindingRules.check(s).stream()).toList();
    assertEquals(List.of(), found);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "class X { void f() { Interleavings.explore(a, 2, w); } }",
        "class X extends DeviceContract {}",
      })
  @DisplayName("canary: a class that explores without a word is caught, one with the tag passes")
  void canary(String text) {
    String path = "ib.core/src/test/java/XTest.java";
    assertEquals(1, FindingRules.check(Source.parse(path, text)).size());
    String tagged = "@Tag(\"finding\") " + text;
    assertEquals(List.of(), FindingRules.check(Source.parse(path, tagged)));
    String fuzz = "ib.core/src/test/java/XFuzzTest.java";
    assertEquals(1, FindingRules.check(Source.parse(fuzz, "class X {}")).size());
    assertEquals(List.of(), FindingRules.check(Source.parse(path, "class X {}")));
  }

  @Test
  @DisplayName("nothing that was repeated: nothing is said")
  void none() throws Exception {
    report("<testcase name=\"f\" classname=\"a.X\" time=\"1\"/><testcase name=\"g\"/>");
    assertEquals("", again(0));
  }

  @Test
  @DisplayName("what failed and then passed is named, with its first failure, which is kept")
  void listed() throws Exception {
    String quiet = "<testcase name=\"e\" classname=\"a.X\" time=\"1\"/>";
    report(quiet + FLAKY.formatted("f", "X") + quiet);
    assertEquals("again: a.X.f\n    it failed\n", again(0));
    assertTrue(Files.exists(folder.resolve("target/again/TEST-a.xml")));
  }

  @Test
  @DisplayName("more than three end the run")
  void many() throws Exception {
    report(FLAKY.formatted("f", "X").repeat(3));
    again(0);
    report(FLAKY.formatted("f", "X").repeat(4));
    assertTrue(again(1).endsWith("4 tests passed when they were repeated, at most 3 may\n"));
  }

  @Test
  @DisplayName("one of a class in which a failure is a finding ends the run")
  void finding() throws Exception {
    Path source = folder.resolve("room/src/test/java/a/X.java");
    Files.createDirectories(source.getParent());
    Files.writeString(source, "package a; @Tag(\"finding\") class X {}");
    report(FLAKY.formatted("f", "X$Inner"));
    assertTrue(again(1).startsWith("again: a.X$Inner.f (a failure of this class is a finding)\n"));
    report(FLAKY.formatted("f", "Y"));
    again(0);
  }

  private void report(String cases) throws IOException {
    Path file = folder.resolve("room/target/surefire-reports/TEST-a.xml");
    Files.createDirectories(file.getParent());
    Files.writeString(file, "<testsuite name=\"a\">" + cases + "</testsuite>");
  }

  private String again(int status) throws Exception {
    Process run =
        new ProcessBuilder("perl", AGAIN.toString())
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .start();
    String says = new String(run.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(status, run.waitFor(), says);
    return says;
  }
}
