package ib.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A JVM of its own for one group: what a JVM ran before shapes what its compiler makes. */
final class Fork {
  private Fork() {}

  /** Runs a class; returns its lines, which are also printed where {@code shown}. */
  static List<String> run(Class<?> main, Map<String, String> options, boolean shown)
      throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow",
                "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED"));
    System.getProperties().stringPropertyNames().stream()
        .filter(name -> name.startsWith("ib.bench."))
        .forEach(name -> command.add("-D" + name + "=" + System.getProperty(name)));
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add(main.getName());
    options.forEach((name, value) -> command.addAll(List.of(name, value)));
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    List<String> lines = new ArrayList<>();
    try (var in = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        lines.add(line);
        if (shown) {
          System.out.println(line);
        }
      }
      if (process.waitFor() != 0) {
        throw new IOException("a JVM ended with " + process.exitValue() + ": " + lines);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      process.destroyForcibly();
    }
    return lines;
  }
}
