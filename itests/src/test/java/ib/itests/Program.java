package ib.itests;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * One finished run of a program.
 *
 * @param status what it ended with
 * @param out its standard output
 * @param err its standard error
 */
public record Program(int status, String out, String err) {

  /** Runs the distribution's {@code bin/ib} and waits for its end. */
  public static Program ib(Path home, String input, String... arguments)
      throws IOException, InterruptedException {
    return ib(home, input, Map.of(), arguments);
  }

  /** As {@link #ib(Path, String, String...)}, with more environment. */
  public static Program ib(
      Path home, String input, Map<String, String> environment, String... arguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("sh", home.resolve("bin/ib").toString()));
    command.addAll(List.of(arguments));
    return run(command, input, environment);
  }

  /** Runs a program and waits for its end; our JDK is there for a {@code bin/ib}. */
  static Program run(List<String> command, String input, Map<String, String> environment)
      throws IOException, InterruptedException {
    return run(command, input, environment, Await.HANG_S);
  }

  /** Runs a program that may take longer, and waits for its end. */
  public static Program run(
      List<String> command, String input, Map<String, String> environment, long timeoutS)
      throws IOException, InterruptedException {
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().put("IB_JAVA", System.getProperty("java.home") + "/bin/java");
    builder.environment().putAll(environment);
    Process process = builder.start();
    CompletableFuture<String> out = text(process.getInputStream());
    CompletableFuture<String> err = text(process.getErrorStream());
    try (var writer = process.outputWriter()) {
      writer.write(input);
    }
    if (!process.waitFor(timeoutS, TimeUnit.SECONDS)) {
      process.toHandle().destroyForcibly(); // what it has printed stays
      throw new AssertionError(
          command + " did not end within " + timeoutS + " s: " + out.join() + err.join());
    }
    return new Program(process.exitValue(), out.join(), err.join());
  }

  private static CompletableFuture<String> text(java.io.InputStream stream) {
    return CompletableFuture.supplyAsync(
        () -> {
          try (stream) {
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
  }
}
