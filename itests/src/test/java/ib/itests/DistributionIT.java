package ib.itests;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import ib.launcher.RunDescriptor;
import ib.launcher.RunDescriptor.RunBundle;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedMethod;
import jdk.jfr.consumer.RecordingFile;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** The distribution folder, used as a user uses it. */
public class DistributionIT {
  @Rule public final TemporaryFolder folder = new TemporaryFolder();

  @Test
  public void issue2Section1TheFoldersHoldTheBundlesOfTheRunDescriptor() throws IOException {
    assertEquals(names(b -> b.startLevel() != RunDescriptor.HOT), jars("bundles"));
    assertEquals(names(b -> b.startLevel() == RunDescriptor.HOT), jars("deploy"));
  }

  @Test
  public void issue2Section1ExecPrintsTheOutputOfTheCommandsOnly() throws Exception {
    Program run = Program.ib(Distro.HOME, "", "exec", "lb -s");
    assertEquals(run.err(), 0, run.status());
    assertEquals("", run.err());
    assertTrue(run.out(), run.out().startsWith("START LEVEL"));
    for (RunBundle bundle : Distro.descriptor().bundles()) {
      assertTrue(run.out(), run.out().contains(bundle.symbolicName() + " ("));
    }
    assertFalse(run.out(), run.out().contains("|Installed") || run.out().contains("|Resolved"));
  }

  @Test
  public void issue2Section1ExecEndsWithTheStatusOfItsCommands() throws Exception {
    Program run = Program.ib(Distro.HOME, "", "exec", "echo a; echo b\nexit 3; echo c");
    assertEquals(run.err(), 3, run.status());
    assertEquals("a\nb\n", run.out());
  }

  /**
   * The processor registers itself before it looks for commands. A shell that starts on this
   * service event reads its profile too early by chance, and prints "Command not found: try".
   */
  @Test
  public void u4TheShellStartsWhenTheCommandProcessorHasFoundTheCommands() {
    int processor = level("org.apache.felix.gogo.runtime");
    int shell = level("org.apache.felix.gogo.jline");
    assertTrue("the shell at " + shell, processor < shell);
    assertTrue("the processor at " + processor, level("ib.tools") < processor);
  }

  private static int level(String bundle) {
    return Distro.descriptor().bundles().stream()
        .filter(b -> b.symbolicName().equals(bundle))
        .mapToInt(RunBundle::startLevel)
        .findFirst()
        .orElseThrow();
  }

  /** So it meets a shell that the runtime starts while it stops: bundles go one after the other. */
  @Test
  public void u4AShellWithoutTheCommandsOfIbPrintsNoStack() throws Exception {
    Folder copy = Folder.copy(folder.getRoot().toPath().resolve("ib"));
    copy.deploy("ib.tools", "0.1.0", Map.of());
    Files.move(
        copy.home().resolve("deploy/ib.tools.jar"),
        copy.home().resolve("bundles/ib.tools.jar"),
        StandardCopyOption.REPLACE_EXISTING);
    Program run = Program.ib(copy.home(), "", "exec", "echo a");
    assertEquals("a\n", run.out());
    assertEquals("", run.err());
    assertEquals(0, run.status());
  }

  @Test
  public void issue2Section1ExecOfAnUnknownCommandFails() throws Exception {
    Program run = Program.ib(Distro.HOME, "", "exec", "nosuchcommand; echo c");
    assertEquals(1, run.status());
    assertEquals("", run.out());
    assertEquals("nosuchcommand: no such command; help lists the commands\n", run.err());
  }

  @Test
  public void findingU6ACommandThatIsMeantIsNamed() throws Exception {
    Program run = Program.ib(Distro.HOME, "", "exec", "ib:perfqueri -x");
    assertEquals(1, run.status());
    assertEquals("ib:perfqueri: no such command; did you mean perfquery?\n", run.err());
    Program own = Program.ib(Distro.HOME, "", "exec", "ib:unplg soft0");
    assertEquals("ib:unplg: no such command; did you mean ib:unplug?\n", own.err());
  }

  @Test
  public void findingU4NoEscapeSequencesWhereNoPersonLooks() throws Exception {
    Program run = Program.ib(Distro.HOME, "", "exec", "echo abc | grep b");
    assertEquals("abc\n", run.out());
    Program shell = Program.ib(Distro.HOME, "echo abc | grep b\nexit\n");
    assertTrue(shell.out(), shell.out().contains("abc\n"));
    assertFalse(shell.out(), shell.out().contains("\u001b"));
    assertFalse("a greeting is for people", shell.out().contains("try: "));
  }

  @Test
  public void findingU2ASignalEndsACommandOfExecWithItsStatisticsAndWithoutAnException()
      throws Exception {
    ProcessBuilder builder =
        new ProcessBuilder("sh", Distro.HOME.resolve("bin/ib").toString(), "exec", "ibping 2");
    builder.environment().put("IB_JAVA", System.getProperty("java.home") + "/bin/java");
    Process process = builder.redirectErrorStream(true).start();
    try (BufferedReader reader = process.inputReader()) {
      StringBuilder all = new StringBuilder();
      while (all.indexOf("Pong") < 0) {
        all.append(Objects.requireNonNull(reader.readLine(), all::toString)).append('\n');
      }
      process.toHandle().destroy(); // SIGTERM; the output stays open
      reader.lines().forEach(line -> all.append(line).append('\n'));
      String text = all.toString();
      assertTrue(text, text.contains(" ibping statistics ---"));
      assertFalse(text, text.contains("Exception"));
      assertTrue(process.waitFor(Await.HANG_S, TimeUnit.SECONDS));
    } finally {
      process.destroyForcibly();
    }
  }

  @Test
  public void issue2Section1TheShellEndsWithTheStatusOfExit() throws Exception {
    Program run = Program.ib(Distro.HOME, "echo in-the-shell\nexit 5\n");
    assertEquals(run.err(), 5, run.status());
    assertTrue(run.out(), run.out().contains("in-the-shell"));
    assertEquals("", run.err());
  }

  @Test
  public void issue2Section5ABundleThatDoesNotResolveSaysWhatIsMissing() throws Exception {
    Folder copy = copy();
    copy.deploy("lonely", "1.0.0", Map.of("Import-Package", "no.such.place"));
    Program run = Program.ib(copy.home(), "", "exec", "lb -s lonely");
    assertEquals(run.err(), 0, run.status());
    assertTrue(run.out(), run.out().contains("|Installed"));
    String missing =
        "Unable to resolve lonely: missing requirement [lonely] osgi.wiring.package;"
            + " (osgi.wiring.package=no.such.place)\n";
    assertTrue(run.err(), run.err().contains(missing));
    assertFalse("a stack trace helps nobody here:\n" + run.err(), run.err().contains("\tat "));
  }

  @Test
  public void issue2Section1WithoutAJdk25OneSentenceSaysWhatToInstall() throws Exception {
    Path home = copy().home();
    Path search = home.resolve("bin/find-java");
    String strict = Files.readString(search).replace("-ge 25", "-ge 2500");
    Files.writeString(search, strict);
    Program run = Program.ib(home, "", "exec", "lb -s");
    assertEquals(1, run.status());
    assertEquals("", run.out());
    assertEquals(
        "ib needs a JDK 25 or newer: install one (for example Temurin 25) or set JAVA_HOME to it.\n",
        run.err());
  }

  @Test
  public void issue2Section1ExecAndCommandsFromAPipeSayWhichConfiguredDeviceDidNotCome()
      throws Exception {
    Folder copy = copy();
    copy.configure("ib.driver.none-x.cfg", "name = ghost0\n");
    Map<String, String> soon = Map.of("IB_OPTS", "-Dib.exec.wait.s=1");
    Program run = Program.ib(copy.home(), "", soon, "exec", "echo never");
    assertEquals(1, run.status());
    assertEquals("", run.out());
    String missing = "ib: device ghost0 of conf/ib.driver.none-x.cfg is not there after 1 s\n";
    assertTrue(run.err(), run.err().contains(missing));
    Program shell = Program.ib(copy.home(), "echo goes on\n", soon);
    assertTrue(shell.err(), shell.err().contains(missing));
    assertTrue(shell.out(), shell.out().contains("goes on"));
  }

  @Test
  public void goalG17ExecTakesTheSerialCollectorAndTheQuickCompilerUnlessTheUserChooses()
      throws Exception {
    String print = "-XX:+PrintFlagsFinal";
    Program usual = Program.ib(Distro.HOME, "", Map.of("IB_OPTS", print), "exec", "lb -s");
    assertEquals(usual.err(), 0, usual.status());
    assertTrue(usual.err(), usual.err().matches("(?s).* UseSerialGC += true .*"));
    assertTrue(usual.err(), usual.err().matches("(?s).* TieredStopAtLevel += 1 .*"));
    Map<String, String> chosen = Map.of("IB_OPTS", print + " -XX:+UseG1GC -XX:TieredStopAtLevel=4");
    Program other = Program.ib(Distro.HOME, "", chosen, "exec", "lb -s");
    assertEquals(other.err(), 0, other.status());
    assertTrue(other.err(), other.err().matches("(?s).* UseG1GC += true .*"));
    assertTrue(other.err(), other.err().matches("(?s).* TieredStopAtLevel += 4 .*"));
  }

  @Test
  public void issue2Section1RunsDoNotShareOrLeaveAnything() throws Exception {
    Path temporary = folder.newFolder("tmp").toPath();
    String options = "-Djava.io.tmpdir=" + temporary;
    CompletableFuture<Program> other =
        CompletableFuture.supplyAsync(() -> quietly(Distro.HOME, options));
    Program one = quietly(Distro.HOME, options);
    assertEquals(one.err(), 0, one.status());
    assertEquals(other.join().err(), 0, other.join().status());
    try (Stream<Path> left = Files.list(temporary)) {
      assertEquals(List.of(), left.toList());
    }
  }

  @Test
  public void findingB7ExitEndsTheRuntimeThoughItsInputStaysOpen() throws Exception {
    Shell shell = new Shell(Distro.HOME);
    assertTrue(shell.run("echo up").contains("up"));
    shell.close(); // says exit, waits for the end, and closes the input only then
  }

  @Test
  public void findingA13WithoutMemoryTheRuntimeEndsWithAStatusAndASentence() throws Exception {
    Folder copy = copy();
    for (int i = 2; i < 300; i++) {
      copy.configure("ib.driver.soft-soft" + i + ".cfg", "name = soft" + i + "\n");
    }
    Map<String, String> small = Map.of("IB_OPTS", "-Xmx40m -Dib.exec.wait.s=300");
    Program run = Program.ib(copy.home(), "", small, "exec", "echo never");
    assertEquals(run.err(), 3, run.status());
    assertEquals("", run.out());
    assertTrue(run.err(), run.err().contains("Terminating due to java.lang.OutOfMemoryError"));
  }

  @Test
  public void theFlightRecorderTracesTheMethodsOfBundles() throws Exception {
    Path recording = folder.getRoot().toPath().resolve("calls.jfr");
    String traced = "ib.core.internal.hotplug.Hotplug";
    String options =
        "-Xlog:jfr+startup=off -XX:StartFlightRecording:method-trace=%s,filename=%s"
            .formatted(traced, recording);
    Program run = Program.ib(Distro.HOME, "", Map.of("IB_OPTS", options), "exec", "ibv_devices");
    assertEquals(run.err(), 0, run.status());
    assertEquals("", run.err());
    try (RecordingFile calls = new RecordingFile(recording)) {
      boolean found = false;
      while (!found && calls.hasMoreEvents()) {
        RecordedEvent event = calls.readEvent();
        found =
            event.getEventType().getName().equals("jdk.MethodTrace")
                && event.<RecordedMethod>getValue("method").getType().getName().equals(traced);
      }
      assertTrue("no call of " + traced, found);
    }
  }

  private static Program quietly(Path home, String options) {
    try {
      return Program.ib(home, "", Map.of("IB_OPTS", options), "exec", "lb -s");
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private Folder copy() throws IOException {
    return Folder.copy(folder.getRoot().toPath().resolve("ib"));
  }

  private static Set<String> names(Predicate<RunBundle> wanted) {
    return Distro.descriptor().bundles().stream()
        .filter(wanted)
        .map(RunBundle::symbolicName)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static Set<String> jars(String folder) throws IOException {
    try (Stream<Path> files = Files.list(Distro.HOME.resolve(folder))) {
      return files
          .map(file -> file.getFileName().toString().replaceFirst("\\.jar$", ""))
          .collect(Collectors.toCollection(TreeSet::new));
    }
  }
}
