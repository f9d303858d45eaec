package ib.tidy;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What pages, samples, lessons and recipes teach about waiting for a completion. */
class PollLoopTest {
  @Test
  @DisplayName("what people copy waits with await: a loop on an empty poll hides a failed poll")
  void house() throws IOException {
    assertEquals(List.of(), new House(Path.of("../..").toRealPath()).spins());
  }

  @ParameterizedTest
  @DisplayName("canary: a loop on an empty poll is caught in a page, a sample and a lesson")
  @ValueSource(
      strings = {
        "while (cq.poll(done, 1) == 0) {\n  Thread.onSpinWait();\n}",
        "while (cq.poll(new WorkCompletion[] {new WorkCompletion()}, 1) == 0) Thread.onSpinWait();",
        "while (cq.poll(done, 1) == 0) {}",
        "while (!stop && end.cq().poll(done, 1) <= 0);",
        "for (int i = 0; cq.poll(done, 1) != 1; i++) {}",
        "while ((n = cq.poll(done, 1)) == 0) {}",
        "int n;\ndo {\n  n = cq.poll(done, 1);\n} while (n == 0);",
        "int n = cq.poll(done, 1);\nwhile (n == 0) {\n  n = cq.poll(done, 1);\n}",
      })
  void canary(String loop) {
    for (String path :
        List.of(
            "docs/x.md", "samples/a/src/X.java", "ib.tools/src/main/java/ib/tools/lesson/X.java")) {
      assertEquals(1, House.spins(path, loop).size(), path);
    }
    assertEquals(List.of(), House.spins("ib.kit/src/main/java/X.java", loop));
    String drain = "while (end == null && cq.poll(one, 1) == 1) { use(one); }";
    String queue = "while (events.poll(1, TimeUnit.MINUTES) == null) {}";
    assertEquals(List.of(), House.spins("docs/x.md", drain + queue));
  }
}
