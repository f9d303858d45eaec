package ib.driver.rxe;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Assumptions;

/** How often the threads of the midlayer and its devices went to sleep, as Linux counts it. */
final class Switches {
  private static final Path TASKS = Path.of("/proc/self/task");
  private static final String VOLUNTARY = "voluntary_ctxt_switches:";

  private Switches() {}

  /** {@return the counts, by the threads' names and numbers} Skips a test without /proc. */
  static Map<String, Long> count() throws IOException {
    Assumptions.assumeTrue(Files.isDirectory(TASKS), "counts by /proc");
    Map<String, Long> found = new TreeMap<>();
    try (DirectoryStream<Path> all = Files.newDirectoryStream(TASKS)) {
      for (Path task : all) {
        try {
          String name = Files.readString(task.resolve("comm")).strip();
          if (name.startsWith("ib-")) {
            found.put(name + " " + task.getFileName(), of(task));
          }
        } catch (IOException e) {
          if (Files.exists(task)) {
            throw e;
          } // otherwise the thread has ended meanwhile
        }
      }
    }
    return found;
  }

  private static long of(Path task) throws IOException {
    for (String line : Files.readAllLines(task.resolve("status"))) {
      if (line.startsWith(VOLUNTARY)) {
        return Long.parseLong(line.substring(VOLUNTARY.length()).strip());
      }
    }
    throw new AssertionError("no count of switches in " + task);
  }
}
