package ib.itests;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;
import static org.junit.Assert.fail;

import ib.itests.Transcript.Step;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.BeforeClass;
import org.junit.ClassRule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/**
 * The README and the guide in {@code docs}: each command of a {@code console} block runs, in the
 * order of the page, in a folder that looks like a clone, and prints what the page says. With
 * {@code -Dib.manual=write} the page of all commands is written.
 */
public class GuideIT {
  @ClassRule public static final TemporaryFolder TEMPORARY = new TemporaryFolder();

  private static final Path DOCS = Path.of("../docs");
  private static final Path COMMANDS = DOCS.resolve("commands.md");

  /** The kinds of blocks; what stands in {@code sh} needs root, other programs, or a clone. */
  private static final Set<String> KINDS = Set.of("console", "java", "xml", "sh");

  /** Commands that help does not list: of a bundle that is not installed, or without a line. */
  private static final Set<String> UNLISTED = Set.of("netif", "verifier");

  private static Path clone;

  @BeforeClass
  public static void makeClone() throws Exception {
    clone = TEMPORARY.getRoot().toPath();
    Path home = Folder.copy(clone.resolve("cnf/target/ib")).home();
    Files.writeString(clone.resolve("ib"), "exec sh '" + home + "/bin/ib' \"$@\"\n");
    assertTrue(clone.resolve("ib").toFile().setExecutable(true));
    Path cache = home.resolve("bin/make-start-cache"); // as ./ib does after a build
    assertEquals(0, Program.run(List.of("sh", cache.toString()), "", Map.of()).status());
  }

  @Test
  public void everyCommandPrintsWhatTheReadmeSays() throws Exception {
    assertTrue(run(Path.of("../README.md")) >= 3);
  }

  @Test
  public void u24EveryCommandPrintsWhatTheGuideSays() throws Exception {
    int steps = 0;
    for (Path page : pages()) {
      steps += run(page);
    }
    assertTrue(steps + " commands", steps >= 15);
  }

  private static int run(Path page) throws Exception {
    List<Step> steps = Transcript.read(page).steps();
    for (Step step : steps) {
      List<String> shell = List.of("sh", "-c", "cd '" + clone + "'\n" + step.command());
      Program run = Program.run(shell, "", Map.of());
      String both = run.out() + run.err();
      String at = page.getFileName() + ": " + step.command() + "\n";
      assertEquals(at + both, 0, run.status());
      if (!step.accepts(run.out(), run.err())) { // an assertion that shows both
        String expected = Transcript.form(String.join("\n", step.expected()));
        assertEquals(at + both, expected, Transcript.form(both));
        fail(at + both);
      }
    }
    return steps.size();
  }

  private static List<Path> pages() throws IOException {
    try (Stream<Path> files = Files.list(DOCS)) {
      return files.filter(f -> f.toString().endsWith(".md")).sorted().toList();
    }
  }

  @Test
  public void u24TheGuideHasAtMostFifteenPagesAndNoBlockThatNothingChecks() throws Exception {
    List<Path> pages = new ArrayList<>(pages());
    assertTrue(pages.size() + " pages", pages.size() <= 15);
    pages.add(Path.of("../README.md"));
    Set<String> kinds = new TreeSet<>();
    for (Path page : pages) {
      boolean inside = false;
      for (String line : Files.readAllLines(page)) {
        if (line.startsWith("```")) {
          inside = !inside;
          String kind = line.substring(3);
          if (inside && !KINDS.contains(kind)) {
            kinds.add(page.getFileName() + ": " + line);
          }
        }
      }
    }
    assertEquals(Set.of(), kinds);
  }

  @Test
  public void u24ThePageOfAllCommandsIsWhatTheCommandsSay() throws Exception {
    CommandsPage now = CommandsPage.of(Distro.HOME);
    if ("write".equals(System.getProperty("ib.manual"))) {
      Files.writeString(COMMANDS, now.text());
    }
    assertEquals(
        "run this test with -Dib.manual=write, and look at what has changed",
        now.text(),
        Files.readString(COMMANDS));
    Set<String> known = new TreeSet<>(now.names());
    known.addAll(UNLISTED);
    List<Path> pages = new ArrayList<>(pages());
    pages.add(Path.of("../README.md"));
    for (Path page : pages) {
      Matcher named =
          Pattern.compile("[` (;]ib:([a-z_]+)(?![.\\w])").matcher(Files.readString(page));
      while (named.find()) {
        String name = named.group(1);
        boolean jmx = name.equals("type"); // names of beans and of artifacts are no commands
        assertTrue(page + " names " + named.group(), jmx || known.contains(name));
      }
    }
    assertFalse(known.contains("nosuch"));
  }
}
