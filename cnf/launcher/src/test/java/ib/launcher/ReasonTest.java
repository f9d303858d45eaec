package ib.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("B17: a failure in one sentence, with its cause")
class ReasonTest {
  private static final String FILE = "Failed to install artifact: ";

  @Test
  @DisplayName("a full disk: what Felix says, and why")
  void causes() {
    IOException disk = new IOException("No space left on device");
    assertEquals(
        "Unable to cache bundle: file:/x.jar: No space left on device",
        Reason.of(new IllegalStateException("Unable to cache bundle: file:/x.jar", disk)));
    assertEquals(
        "x: y", Reason.of(new IllegalStateException("x", new IOException("java.io.A: y"))));
    assertEquals("y", Reason.of(new IllegalStateException(new IOException("y"))));
    assertEquals("NullPointerException", Reason.of(new NullPointerException()));
  }

  @Test
  @DisplayName("a class name before the message is left out")
  void classes() {
    assertEquals(
        "Unable to parse unicode value: ZZZZ",
        Reason.of(
            new IOException(
                "java.lang.IllegalArgumentException: Unable to parse unicode value: ZZZZ")));
  }

  @Test
  @DisplayName("a file that has gone is no failure; one that is there is")
  void gone(@TempDir Path folder) throws IOException {
    Path there = Files.createFile(folder.resolve("there.cfg"));
    FileNotFoundException e = new FileNotFoundException();
    assertTrue(Reason.gone(e, FILE + folder.resolve("gone.cfg")));
    assertFalse(Reason.gone(e, FILE + there));
    assertFalse(Reason.gone(new IOException(), FILE + folder.resolve("gone.cfg")));
  }
}
