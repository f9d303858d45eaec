package ib.bench.net;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** How often the threads of this JVM have gone to sleep, as Linux counts it. */
final class Switches {
  private static final String VOLUNTARY = "voluntary_ctxt_switches:";

  private Switches() {}

  /** {@return the sum over the threads that live; 0 where there is no /proc} */
  static long voluntary() {
    long sum = 0;
    try (DirectoryStream<Path> tasks = Files.newDirectoryStream(Path.of("/proc/self/task"))) {
      for (Path task : tasks) {
        sum += of(task.resolve("status"));
      }
      return sum;
    } catch (IOException e) {
      return 0; // not Linux
    }
  }

  /** {@return the count of the calling thread, which is in no sum once the thread has ended} */
  static long mine() {
    return of(Path.of("/proc/thread-self/status"));
  }

  private static long of(Path status) {
    try {
      for (String line : Files.readAllLines(status)) {
        if (line.startsWith(VOLUNTARY)) {
          return Long.parseLong(line.substring(VOLUNTARY.length()).strip());
        }
      }
      return 0;
    } catch (IOException e) {
      return 0; // the thread has ended
    }
  }
}
