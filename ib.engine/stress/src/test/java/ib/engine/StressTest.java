package ib.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.openjdk.jcstress.Main;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.infra.Status;
import org.openjdk.jcstress.infra.collectors.DiskReadCollector;
import org.openjdk.jcstress.infra.collectors.InProcessCollector;
import org.openjdk.jcstress.infra.collectors.TestResult;
import org.openjdk.jcstress.infra.runners.TestList;

/**
 * Runs every jcstress test of this module and judges: a forbidden outcome fails, and so does a
 * canary without one.
 */
@Tag("finding")
@DisplayName("B6: the lock-free classes under the memory model, each with a canary")
class StressTest {
  private static final boolean LONG = System.getProperty("ib.stress", "quick").equals("long");
  private static final Path WORK = Path.of("target", "jcstress").toAbsolutePath();
  private static final long MAX_MINUTES = 15; // of a busy machine, which runs few actors at once
  private static final int MAX_SECONDS = 10; // of one test in one run

  /**
   * JVMs with a randomized compiler for each test, where jcstress would start five: the same
   * canaries are caught in the first run, and those that are not are the ones that the next runs
   * are for.
   */
  private static final String STRESS_FORKS = "2";

  private static final int MIN_SAMPLES = 1_000;
  private static final Map<String, List<TestResult>> RESULTS = new TreeMap<>();

  @BeforeAll
  static void run() throws Exception {
    assumeTrue(Runtime.getRuntime().availableProcessors() >= 2, "jcstress needs two processors");
    RESULTS.putAll(run("ib\\..*", LONG ? 1000 : 400));
    long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(MAX_MINUTES);
    String unseen = unseen();
    for (int i = 1; !unseen.isEmpty() && System.nanoTime() - end < 0; i++) {
      RESULTS.putAll(run(unseen, 1000 * Math.min(i, MAX_SECONDS)));
      unseen = unseen();
    }
  }

  /**
   * {@return the canaries that are not caught, and the tests with too few samples, as a pattern}
   */
  private static String unseen() {
    return Stream.concat(tests(true).filter(t -> !caught(t)), tests(false).filter(StressTest::few))
        .map(t -> t.replace(".", "\\.") + "$")
        .collect(Collectors.joining("|"));
  }

  /** Runs jcstress in a process of its own; results by test. */
  private static Map<String, List<TestResult>> run(String tests, int millis) throws Exception {
    Path folder = Files.createDirectories(WORK.resolve("run-" + System.nanoTime()));
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx256m", "--sun-misc-unsafe-memory-access=allow"));
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), Main.class.getName()));
    command.addAll(List.of("-t", tests, "-r", "report", "-f", "1", "-time", "" + millis));
    if (LONG) {
      command.addAll(List.of("-iters", "5"));
    } else {
      command.addAll(List.of("-iters", "1", "-sc", "false", "-af", "NONE", "-pth", "false"));
      command.addAll(List.of("-fsm", STRESS_FORKS));
      command.addAll(
          List.of(
              "-jvmArgs",
              "-Xmx256m --enable-native-access=ALL-UNNAMED --sun-misc-unsafe-memory-access=allow"));
    }
    Path log = folder.resolve("log");
    Process p =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    try {
      assertTrue(p.waitFor(LONG ? 12 * 60 : 10, TimeUnit.MINUTES), "no end: " + log);
    } finally {
      p.descendants().forEach(ProcessHandle::destroyForcibly);
      p.destroyForcibly();
    }
    return read(folder, log);
  }

  private static Map<String, List<TestResult>> read(Path folder, Path log) throws Exception {
    List<Path> files;
    try (Stream<Path> all = Files.list(folder)) {
      files = all.filter(f -> f.toString().endsWith(".bin.gz")).toList();
    }
    assertEquals(1, files.size(), () -> text(log));
    InProcessCollector collector = new InProcessCollector();
    DiskReadCollector reader = new DiskReadCollector(files.getFirst().toString(), collector);
    reader.dump();
    reader.close();
    Collection<TestResult> results = collector.getTestResults();
    return results.stream().collect(Collectors.groupingBy(TestResult::getName));
  }

  private static String text(Path log) {
    try {
      return Files.readString(log);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @TestFactory
  @DisplayName("R-08, B7, S6, S7, S13, S14, S18, S24, D4, D5: no forbidden outcome")
  Stream<DynamicTest> product() {
    return tests(false).map(t -> DynamicTest.dynamicTest(t, () -> assertClean(t)));
  }

  @TestFactory
  @DisplayName("canaries: a weakened copy shows its forbidden outcome")
  Stream<DynamicTest> canaries() {
    return tests(true)
        .map(t -> DynamicTest.dynamicTest(t, () -> assertTrue(caught(t), "not seen")));
  }

  @Test
  @DisplayName("every test file has a canary")
  void canaryForEach() {
    List<String> files = tests(false).map(StressTest::file).distinct().toList();
    assertTrue(files.size() >= 13, "" + files);
    for (String f : files) {
      assertTrue(tests(true).anyMatch(t -> file(t).equals(f)), "no canary in " + f);
    }
  }

  private static String file(String test) {
    return test.substring(0, test.lastIndexOf('.'));
  }

  private static Stream<String> tests(boolean canary) {
    return TestList.tests().stream().filter(t -> t.contains(".Canary") == canary).sorted();
  }

  private static void assertClean(String test) {
    List<TestResult> results = RESULTS.getOrDefault(test, List.of());
    assertFalse(results.isEmpty(), "did not run");
    for (TestResult r : results) {
      assertEquals(Status.NORMAL, r.status(), () -> r.getMessages() + "\n" + r.getVmErr());
      assertTrue(r.getTotalCount() > MIN_SAMPLES, () -> "only " + r.getTotalCount() + " samples");
      assertTrue(r.grading().isPassed, () -> r.grading().failureMessages + " " + counts(r));
    }
  }

  /** {@return whether a test without a failure had too few samples; a failure is never repeated} */
  private static boolean few(String test) {
    List<TestResult> results = RESULTS.getOrDefault(test, List.of());
    return !results.isEmpty()
        && results.stream().allMatch(r -> r.status() == Status.NORMAL && r.grading().isPassed)
        && results.stream().anyMatch(r -> r.getTotalCount() <= MIN_SAMPLES);
  }

  private static boolean caught(String test) {
    return RESULTS.getOrDefault(test, List.of()).stream()
        .flatMap(r -> r.grading().gradingResults.values().stream())
        .anyMatch(g -> g.expect == Expect.FORBIDDEN && g.count > 0);
  }

  private static String counts(TestResult r) {
    return r.getStateKeys().stream()
        .map(k -> k + " x " + r.getCount(k))
        .collect(Collectors.joining("; "));
  }
}
