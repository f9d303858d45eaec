package ib.itests;

import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;

/** A running {@code bin/ib} whose shell is fed by the test. */
public final class Shell implements AutoCloseable {
  private final Process process;
  private final Writer in;
  private final StringBuffer out = new StringBuffer();
  private final Thread pump;
  private final long hangS;
  private int commands;

  /** Starts the runtime in a distribution folder. */
  public Shell(Path home) throws IOException {
    this(home, Map.of());
  }

  /** Starts the runtime in a distribution folder, with more variables of the environment. */
  public Shell(Path home, Map<String, String> environment) throws IOException {
    this(home, environment, List.of(), Await.HANG_S);
  }

  /**
   * Starts the runtime in a distribution folder, by a command that starts what stands behind it. A
   * line of the shell that takes so many seconds is given up.
   */
  public Shell(Path home, List<String> by, long hangS) throws IOException {
    this(home, Map.of(), by, hangS);
  }

  private Shell(Path home, Map<String, String> environment, List<String> by, long hangS)
      throws IOException {
    this.hangS = hangS;
    ProcessBuilder builder = new ProcessBuilder(new ArrayList<>(by));
    builder.command().addAll(List.of("sh", home.resolve("bin/ib").toString()));
    builder.environment().put("IB_JAVA", System.getProperty("java.home") + "/bin/java");
    builder.environment().putAll(environment);
    process = builder.redirectErrorStream(true).start();
    in = process.outputWriter();
    pump = Thread.ofPlatform().name("shell output").start(() -> pump(process.inputReader()));
  }

  private void pump(Reader reader) {
    char[] buffer = new char[4096];
    try (reader) {
      for (int n = reader.read(buffer); n >= 0; n = reader.read(buffer)) {
        out.append(buffer, 0, n);
      }
    } catch (IOException e) {
      out.append(e);
    }
  }

  /** Runs one line and returns what came out of it, prompts and log lines included. */
  public String run(String command) throws IOException {
    int from = out.length();
    String end = "end-of-" + commands++ + "\n";
    in.write(command + "\necho " + end);
    in.flush();
    await(command, () -> out.indexOf(end, from) >= 0);
    return out.substring(from, out.indexOf(end, from));
  }

  /** Repeats one line until its output is as wanted. */
  public String runUntil(String command, Predicate<String> wanted) throws IOException {
    AtomicReference<String> output = new AtomicReference<>("");
    await(
        command + " says what is wanted",
        () -> {
          output.set(runOnce(command));
          return wanted.test(output.get());
        });
    return output.get();
  }

  private String runOnce(String command) {
    try {
      return run(command);
    } catch (IOException e) {
      throw new UncheckedIOException(command, e);
    }
  }

  /** Waits until something was said that nobody asked for, a log line for example. */
  public void awaitText(String text) {
    await("'" + text + "'", () -> out.indexOf(text) >= 0);
  }

  /** {@return the number of the runtime's process} */
  public long pid() {
    return process.pid();
  }

  /** {@return everything that was said so far} */
  public String said() {
    return out.toString();
  }

  private void await(String what, java.util.function.BooleanSupplier done) {
    // asked once a look: what is asked may be a command
    Await.until(
        what,
        () -> {
          boolean ended = !pump.isAlive();
          boolean holds = done.getAsBoolean();
          if (ended && !holds) {
            throw new AssertionError(what + ": the runtime has ended and will not say it:\n" + out);
          }
          return holds;
        },
        () -> out,
        hangS);
  }

  /** Ends the runtime as {@code kill -9} does. */
  public void kill() {
    process.destroyForcibly();
    try {
      process.waitFor();
      pump.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Ends the runtime by {@code exit}, its input stays open, and waits until it is gone. */
  @Override
  public void close() throws IOException {
    try (in) {
      in.write("exit\n");
      in.flush();
      if (!process.waitFor(Await.HANG_S, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        throw new AssertionError("the runtime did not end:\n" + out);
      }
      pump.join();
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
