package ib.launcher;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.launcher.service.RunFolder;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("finding A7: start, status and stop say what is, whatever has happened before")
@Tag("finding")
@Timeout(1_800)
final class BackgroundModelTest {
  private static final int STEPS = 200;
  private static final int NOT_RUNNING = 3;
  private static final int UNKNOWN = 4;
  private static final String JAVA =
      Path.of(System.getProperty("java.home"), "bin", "java").toString();

  @TempDir Path home;
  private final ByteArrayOutputStream said = new ByteArrayOutputStream();

  // the model
  private boolean runs;
  private boolean lost; // its socket's file, since the last answer

  private int starters;

  /** What a user or a fault does. */
  private enum Step {
    START,
    STOP,
    STATUS,
    KILL,
    LOSE,
    STOP_WHILE_IT_STARTS,
    START_TWICE
  }

  @BeforeEach
  void makeHome() throws IOException {
    Files.createDirectories(home.resolve("bin"));
    Files.writeString(
        home.resolve("bin/ib"),
        "exec '%s' -XX:TieredStopAtLevel=1 -Xshare:auto -cp '%s' ib.launcher.service.StubService '%s'\n"
            .formatted(JAVA, System.getProperty("java.class.path"), home));
  }

  @AfterEach
  void stop() throws Exception {
    Files.deleteIfExists(home.resolve("slow"));
    background().stop();
  }

  private Background background() {
    said.reset();
    PrintStream out = new PrintStream(said, true, UTF_8);
    return new Background(home, out, out);
  }

  private String said() {
    return said.toString(UTF_8);
  }

  private ProcessHandle process() throws IOException {
    ProcessHandle process = RunFolder.of(home).process();
    assertNotNull(process);
    return process;
  }

  /** Runs {@code ib start} in a program of its own. */
  private Process starter() throws IOException {
    return new ProcessBuilder(
            JAVA,
            "-XX:TieredStopAtLevel=1",
            "-Dib.home=" + home,
            "-cp",
            System.getProperty("java.class.path"),
            "ib.launcher.Launcher",
            "start")
        .redirectErrorStream(true)
        .redirectOutput(home.resolve("starter%d.txt".formatted(++starters)).toFile())
        .start();
  }

  @Test
  @DisplayName("200 steps of start, stop, status, kill -9 and lost files against a model")
  void modelHolds() throws Exception {
    long seed = System.nanoTime();
    SplittableRandom random = new SplittableRandom(seed);
    List<Step> often = List.of(Step.START, Step.STOP, Step.STATUS, Step.KILL, Step.LOSE);
    for (int i = 0; i < STEPS; i++) {
      Step step =
          random.nextInt(20) == 0
              ? Step.values()[5 + random.nextInt(2)]
              : often.get(random.nextInt(often.size()));
      take(step, "seed %d, step %d: %s while runs=%s".formatted(seed, i, step, runs));
    }
  }

  private void take(Step step, String where) throws Exception {
    switch (step) {
      case START -> {
        assertEquals(0, background().start(), where);
        assertTrue(
            said().matches("ib 1\\.2\\.3 runs since .*" + (runs ? " already\\R" : "\\R")),
            where + said());
        runs = true;
        lost = false;
      }
      case STOP -> {
        assertEquals(0, background().stop(), where + said());
        assertEquals(runs ? "ib has stopped\n" : "ib does not run\n", said(), where);
        runs = false;
        lost = false;
      }
      case STATUS -> {
        int status = background().status();
        assertTrue(
            runs ? status == 0 || lost && status == UNKNOWN : status == NOT_RUNNING,
            where + ": " + status + " " + said());
        lost &= status != 0;
      }
      case KILL -> {
        if (runs) {
          ProcessHandle killed = process();
          assertTrue(killed.destroyForcibly());
          killed.onExit().get(10, TimeUnit.MINUTES);
        }
        runs = false;
        lost = false;
      }
      case LOSE -> {
        lost |= Files.deleteIfExists(RunFolder.of(home).socket()) && runs;
      }
      case STOP_WHILE_IT_STARTS -> stopWhileItStarts(where);
      case START_TWICE -> startTwice(where);
    }
  }

  private void stopWhileItStarts(String where) throws Exception {
    take(Step.STOP, where);
    Files.createFile(home.resolve("slow"));
    Process starter = starter();
    while (RunFolder.of(home).process() == null) {
      assertFalse(Thread.currentThread().isInterrupted(), where); // by the timeout
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
    }
    assertEquals(UNKNOWN, background().status(), where + said());
    assertEquals(0, background().stop(), where);
    assertEquals("ib has stopped\n", said(), where);
    assertTrue(starter.waitFor(10, TimeUnit.MINUTES), where);
    assertEquals(1, starter.exitValue(), where);
    Files.delete(home.resolve("slow"));
    take(Step.STATUS, where);
  }

  private void startTwice(String where) throws Exception {
    List<Process> both = IntStream.range(0, 2).mapToObj(i -> started(where)).toList();
    for (Process starter : both) {
      assertTrue(starter.waitFor(10, TimeUnit.MINUTES), where);
      assertEquals(0, starter.exitValue(), where + text());
    }
    runs = true;
    lost = false;
    try (Stream<Path> left = Files.list(RunFolder.of(home).path())) {
      assertEquals(0, left.filter(f -> f.getFileName().toString().startsWith("pid.")).count());
    }
    assertTrue(process().isAlive(), where);
  }

  private Process started(String where) {
    try {
      return starter();
    } catch (IOException e) {
      throw new AssertionError(where, e);
    }
  }

  /** {@return what the last two have said} */
  private String text() {
    try {
      return Files.readString(home.resolve("starter%d.txt".formatted(starters - 1)))
          + Files.readString(home.resolve("starter%d.txt".formatted(starters)));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
