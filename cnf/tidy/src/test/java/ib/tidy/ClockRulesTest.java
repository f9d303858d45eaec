package ib.tidy;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("tests know no clock: a busy machine fails none of them")
class ClockRulesTest {
  private static final String PATH = "ib.core/src/test/java/XTest.java";

  private static final Map<String, String> EXCEPTIONS =
      Map.ofEntries(
          Map.entry(
              "itests/src/test/java/ib/itests/EventsIT.java: a wait of seconds",
              "six seconds are to pass: more than the service waits for a handler"),
          Map.entry(
              "ib.driver.soft/src/test/java/ib/driver/soft/Opensm.java: a wait of seconds",
              "a process that does not end at a signal is killed after five seconds"),
          Map.entry(
              "ib.engine/stress/src/test/java/ib/engine/cq/NotifyStress.java: a constant of seconds",
              "a lost notification, which is the finding, is known by it"),
          Map.entry(
              "ib.ulp.ipoib/src/test/java/ib/ulp/ipoib/FrameFuzzTest.java: a constant of seconds",
              "of one try of many: datagrams may be lost"),
          Map.entry(
              "ib.driver.soft/src/test/java/ib/driver/soft/SlotWaitTest.java: a test's limit below ten minutes",
              "fails if a slot waits for its own bound of 120 s"),
          Map.entry(
              "ib.cm/src/test/java/ib/cm/stream/StreamTest.java: a test's limit below ten minutes",
              "fails if a stream polls for its own bound of a minute"),
          Map.entry(
              "ib.core/src/test/java/ib/core/client/ViolationTest.java: a sleep",
              "a line of a stack, as text"),
          Map.entry(
              "ib.core/src/test/java/ib/core/internal/BlockingClientTest.java: a sleep",
              "a callback that blocks is the subject"),
          Map.entry(
              "ib.verifier/src/test/java/ib/verifier/bundles/Sleepers.java: a sleep",
              "what the verifier must find"),
          Map.entry(
              "ib.verifier/src/test/java/ib/verifier/bundles/Notifiers.java: a sleep",
              "what the verifier must find"),
          Map.entry(
              "ib.verifier/src/test/java/ib/verifier/bundles/Handlers.java: a sleep",
              "what the verifier must find"),
          Map.entry(
              "itests/src/test/java/ib/itests/verify/SleepyUlp.java: a sleep",
              "what the verifier must find"),
          Map.entry(
              "ib.driver.verbs/src/test/java/ib/driver/verbs/HostConnectionsTest.java: a sleep",
              "a pause between two looks at another process, minutes of them"),
          Map.entry(
              "ib.driver.verbs/src/test/java/ib/driver/verbs/ToolLines.java: a sleep",
              "a pause between two looks at another process, minutes of them"),
          Map.entry(
              "ib.engine/src/test/java/ib/engine/verbs/Probe.java: a sleep",
              "a pause between two looks at all queue pairs, minutes of them"));

  @Test
  @DisplayName("no test of the house has a bound of seconds or sleeps, but those listed")
  void house() throws IOException {
    List<Source> sources = new House(Path.of("../..").toRealPath()).sources();
    assertEquals(List.of(), ClockRules.check(sources, EXCEPTIONS));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "boolean b = latch.await(30, TimeUnit.SECONDS);",
        "Object o = queue.poll(5,\n SECONDS);",
        "Object o = future.get(30, TimeUnit.SECONDS);",
        "future.orTimeout(1, TimeUnit.SECONDS);",
        "process.waitFor(5, TimeUnit.SECONDS);",
        "thread.join(10_000);",
        "thread.join(TimeUnit.SECONDS.toMillis(30));",
        "thread.join(Duration.ofSeconds(30));",
        "long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);",
        "long end = System.nanoTime() + 10_000_000_000L;",
        "if (System.nanoTime() - start > TimeUnit.SECONDS.toNanos(30)) {}",
        "private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(30);",
        "private static final long PATIENCE_NS = 5_000_000_000L;",
        "static final int SA_TIMEOUT_MS = 20_000;",
        "static final int WAIT_S = 5;",
        "Thread.sleep(1);",
        "TimeUnit.MILLISECONDS.sleep(200);",
      })
  @DisplayName("canary: a wait of seconds and a sleep are found in a test, not in the product")
  void canary(String statement) {
    String text = "class X { void f() { " + statement + " } }";
    assertEquals(1, ClockRules.check(Source.parse(PATH, text)).size());
    Source product = Source.parse("ib.core/src/main/java/X.java", text);
    assertEquals(List.of(), ClockRules.check(product));
  }

  @ParameterizedTest
  @ValueSource(strings = {"@Timeout(50)", "@Timeout(value = 300, threadMode = X)"})
  @DisplayName("canary: a test's limit below ten minutes is found")
  void limitCanary(String limit) {
    assertEquals(1, ClockRules.check(Source.parse(PATH, limit + " class X {}")).size());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "boolean b = latch.await(10, TimeUnit.MINUTES);",
        "Object o = future.get(HANG_S, TimeUnit.SECONDS);",
        "Object o = future.get(600, TimeUnit.SECONDS);",
        "thread.join();",
        "String s = String.join(\",\", list);",
        "long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(5);",
        "lab.clock.addAndGet(TimeUnit.SECONDS.toNanos(5));",
        "host.map.get(key); delay(3, TimeUnit.SECONDS);",
      })
  @DisplayName("canary: bounds of minutes, and seconds of a test's own clock, stay silent")
  void silent(String statement) {
    String text = "@Timeout(600) class X { void f() { " + statement + " } }";
    assertEquals(List.of(), ClockRules.check(Source.parse(PATH, text)));
  }

  @Test
  @DisplayName("canary: an exception excuses its file, and one that excuses nothing is found")
  void exceptions() {
    Source sleeps = Source.parse(PATH, "class X { void f() { Thread.sleep(1); } }");
    assertEquals(List.of(), ClockRules.check(List.of(sleeps), Map.of(PATH + ": a sleep", "why")));
    Source rests = Source.parse(PATH, "class X {}");
    assertEquals(
        List.of(PATH + ": a sleep: an exception that excuses nothing"),
        ClockRules.check(List.of(rests), Map.of(PATH + ": a sleep", "why")));
    Source waits = Source.parse(PATH, "class X { void f() { latch.await(3, SECONDS); } }");
    assertEquals(
        2, ClockRules.check(List.of(waits), Map.of(PATH + ": a sleep", "why")).size(), "another");
  }
}
