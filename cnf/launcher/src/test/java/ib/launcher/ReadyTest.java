package ib.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** When a shell waits for its devices. */
class ReadyTest {
  private final ByteArrayOutputStream said = new ByteArrayOutputStream();
  private int waits;

  private String ready(boolean terminal, Callable<List<String>> missing) {
    PrintStream err = new PrintStream(said, true, StandardCharsets.UTF_8);
    new Ready(
            () -> terminal,
            () -> {
              waits++;
              return missing.call();
            },
            err)
        .ready();
    return said.toString(StandardCharsets.UTF_8);
  }

  @Test
  @DisplayName(
      "issue 2, section 1: commands from a pipe wait for the devices, a person at a terminal does not")
  void waits() {
    assertEquals("", ready(true, () -> List.of("soft1 is missing")));
    assertEquals(0, waits);
    String line = "soft1 is missing" + System.lineSeparator();
    assertEquals(line, ready(false, () -> List.of("soft1 is missing")));
    assertEquals(1, waits);
  }

  @Test
  @DisplayName("issue 2, section 1: a wait that fails is said, and the shell goes on")
  void fails() {
    String text =
        ready(
            false,
            () -> {
              throw new IOException("conf/ cannot be read");
            });
    assertEquals(
        "ib: the devices are not waited for: java.io.IOException: conf/ cannot be read",
        text.strip());
  }
}
