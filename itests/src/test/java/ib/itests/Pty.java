package ib.itests;

import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.io.Reader;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;

/**
 * A running {@code bin/ib} on a terminal of its own, as a person has it. The program {@code script}
 * of util-linux makes the terminal.
 */
final class Pty implements AutoCloseable {
  /** What a person presses to end a command. */
  static final String CTRL_C = "\u0003";

  private static final String PROMPT = "g! ";
  private static final long SIGINT_BIT = 1 << 1; // signal 2
  private static final String ESCAPES = "\u001b(\\[[0-9;?]*[A-Za-z]|[=>])|\r|\u0007";

  private final Process process;
  private final Writer in;
  private final StringBuffer out = new StringBuffer();
  private final Thread pump;

  /** Starts the runtime in a distribution folder, and waits for the prompt. */
  Pty(Path home) throws IOException {
    this(home, "", Map.of());
  }

  /** Starts the program with one argument more, and waits for the prompt. */
  Pty(Path home, String argument, Map<String, String> environment) throws IOException {
    String ib = "stty cols 200 rows 60; exec sh '" + home.resolve("bin/ib") + "' " + argument;
    ProcessBuilder builder = new ProcessBuilder("script", "-qfec", ib, "/dev/null");
    builder.environment().put("IB_JAVA", System.getProperty("java.home") + "/bin/java");
    builder.environment().put("IB_OPTS", "-Duser.home=target");
    builder
        .environment()
        .put("IB_LOG", "ERROR"); // a log line behind a prompt would hide the prompt
    builder.environment().put("TERM", "xterm");
    builder.environment().put("SHELL", "/bin/sh");
    builder.environment().putAll(environment);
    process = builder.redirectErrorStream(true).start();
    in = process.outputWriter();
    pump = Thread.ofPlatform().name("terminal").start(() -> pump(process.inputReader()));
    await("the first prompt", 0, text -> text.endsWith(PROMPT));
  }

  /**
   * {@return why there is no terminal on this machine whose Ctrl-C a program gets; empty when there
   * is one}
   */
  static String whyNot() throws InterruptedException {
    try {
      if (ignoresInterrupts()) {
        return "SIGINT is ignored here, as in the background of a shell, and in each program begun here";
      }
      Process attempt =
          new ProcessBuilder("script", "-qfec", "exit 7", "/dev/null")
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
      attempt.getOutputStream().close();
      int status = attempt.waitFor();
      return status == 7 ? "" : "script makes no terminal, status " + status;
    } catch (IOException e) {
      return e.getMessage();
    }
  }

  private static boolean ignoresInterrupts() throws IOException {
    Path status = Path.of("/proc/self/status");
    if (!Files.exists(status)) {
      return false;
    }
    long ignored =
        Files.readAllLines(status).stream()
            .filter(line -> line.startsWith("SigIgn:"))
            .mapToLong(line -> Long.parseUnsignedLong(line.substring(7).strip(), 16))
            .findFirst()
            .orElse(0);
    return (ignored & SIGINT_BIT) != 0;
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

  /** {@return everything that was shown so far} */
  String said() {
    return out.toString();
  }

  /** Types keys, and returns the place in the output behind which their effect is. */
  int type(String keys) throws IOException {
    int from = out.length();
    in.write(keys);
    in.flush();
    return from;
  }

  /** Types a line and waits until the prompt is there again; returns what is between. */
  String run(String line) throws IOException {
    return awaitPrompt(type(line + "\r"));
  }

  /** Repeats a line until its output is as wanted. */
  String runUntil(String line, Predicate<String> wanted) throws IOException {
    long start = System.nanoTime();
    while (true) {
      String output = run(line);
      if (wanted.test(output)) {
        return output;
      }
      assertTrue(
          line + " still prints\n" + output,
          System.nanoTime() - start < TimeUnit.SECONDS.toNanos(Await.HANG_S));
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
    }
  }

  /** Waits for the prompt of a new line. */
  String awaitPrompt(int from) {
    return await("the prompt", from, text -> text.contains("\n") && text.endsWith(PROMPT));
  }

  /** Waits until the text without its escapes, from a place on, is as wanted. */
  String await(String what, int from, Predicate<String> wanted) {
    long start = System.nanoTime();
    while (true) {
      String text = out.substring(from).replaceAll(ESCAPES, "");
      if (wanted.test(text)) {
        return text;
      }
      assertTrue(
          what + " did not appear within " + Await.HANG_S + " s:\n" + out,
          System.nanoTime() - start < TimeUnit.SECONDS.toNanos(Await.HANG_S) && process.isAlive());
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
    }
  }

  /** Ends the runtime by {@code exit}, and waits until it is gone. */
  @Override
  public void close() throws IOException {
    List<ProcessHandle> children = process.descendants().toList();
    try (in) {
      type("exit\r");
      if (!process.waitFor(Await.HANG_S, TimeUnit.SECONDS)) {
        throw new AssertionError("the runtime did not end:\n" + out);
      }
      pump.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      children.forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
  }
}
