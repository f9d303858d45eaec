package ib.core.client;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("issue 15, point 2: how a violation reads")
class ViolationTest {
  private static String report(String instead, List<String> stack, List<String> other) {
    return new Violation("S26", "ulp", "slept", instead, stack, other).report();
  }

  @Test
  @DisplayName("the place first; frames of the core, the framework and the JDK are folded")
  void folded() {
    List<String> stack =
        List.of(
            "ib.core.internal.callback.Contract.report(Contract.java:1)",
            "java.base/java.lang.Thread.sleep(Thread.java:2)",
            "my.Handler.complete(Handler.java:3)",
            "app//ib.core.internal.callback.RawCompletions.run(RawCompletions.java:4)",
            "ib.core.internal.callback.CompletionVector.run(CompletionVector.java:5)",
            "java.base/java.lang.Thread.run(Thread.java:6)");
    List<String> other = List.of("my.Driver.post(Driver.java:7)");
    assertEquals(
        """
        S26 ulp: slept
          instead: poll
            at my.Handler.complete(Handler.java:3)
            at … 2 frames of the core
            at java.base/java.lang.Thread.run(Thread.java:6)
          while
            at my.Driver.post(Driver.java:7)""",
        report("poll", stack, other));
  }

  @Test
  @DisplayName("what nothing is known of is left out, and what is all of one part is not")
  void sparse() {
    assertEquals("S26 ulp: slept", report("", List.of(), List.of()));
    List<String> core = List.of("ib.core.A.a(A.java:1)", "ib.core.B.b(B.java:2)");
    assertEquals("S26 ulp: slept\n    at … 2 frames of the core", report("", core, List.of()));
  }
}
