package ib.itests.hotplug;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Collectors;

/** Thread dumps with locks, for a test that hangs. */
final class ThreadDump {
  private ThreadDump() {}

  static String take() {
    return Arrays.stream(ManagementFactory.getThreadMXBean().dumpAllThreads(true, true))
        .map(ThreadDump::whole)
        .collect(Collectors.joining("\n"));
  }

  /** ThreadInfo.toString stops after eight frames. */
  private static String whole(ThreadInfo info) {
    return info.toString().lines().findFirst().orElse("")
        + Arrays.stream(info.getStackTrace())
            .map(f -> "\n    at " + f)
            .collect(Collectors.joining());
  }

  /** Saves a dump where CI prints it. */
  static Path save(String name) {
    try {
      Path file = Path.of("target", "thread-dumps", name + ".txt");
      Files.createDirectories(file.getParent());
      return Files.writeString(file, take());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
