package ib.bench.net;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A child JVM, in a namespace. */
final class Worker implements AutoCloseable {
  private static final int PATIENCE_S = 120;

  private final Process process;
  private final PrintStream to;
  private final BufferedReader from;
  private final Thread watchdog;
  private volatile long asked = Long.MAX_VALUE;

  /**
   * Starts one.
   *
   * @param enter the command that enters the namespace, empty for this one
   */
  Worker(String enter) throws IOException {
    List<String> command = new ArrayList<>();
    if (!enter.isEmpty()) {
      command.addAll(List.of(enter.split(" ")));
    }
    command.add(System.getProperty("java.home") + File.separator + "bin" + File.separator + "java");
    command.add("--enable-native-access=ALL-UNNAMED");
    command.add("--sun-misc-unsafe-memory-access=allow");
    command.addAll(
        List.of("--add-opens", "java.base/jdk.internal.misc=ALL-UNNAMED", "-Xms1g", "-Xmx1g"));
    String options = System.getProperty("bench.options", "");
    if (!options.isEmpty()) {
      command.addAll(List.of(options.split(" ")));
    }
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), Child.class.getName()));
    process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    to = new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8);
    from = process.inputReader(StandardCharsets.UTF_8);
    watchdog = Thread.ofPlatform().daemon().start(this::watch);
  }

  /** What is stuck is ended: the parent then reads the end of its output. */
  private void watch() {
    try {
      while (!process.waitFor(1, TimeUnit.SECONDS)) {
        if (System.nanoTime() - asked > TimeUnit.SECONDS.toNanos(PATIENCE_S)
            && asked != Long.MAX_VALUE) {
          process.destroyForcibly();
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  synchronized String ask(String question) throws IOException {
    asked = System.nanoTime();
    to.println(question);
    String answer = from.readLine();
    asked = Long.MAX_VALUE;
    if (answer == null || answer.startsWith("!")) {
      throw new IOException(question + ": " + (answer == null ? "it ended" : answer));
    }
    return answer;
  }

  @Override
  public void close() {
    to.close();
    try {
      if (!process.waitFor(5, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
    watchdog.interrupt();
  }
}
