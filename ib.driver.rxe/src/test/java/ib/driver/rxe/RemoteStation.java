package ib.driver.rxe;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A {@link Station} in a JVM of its own, told through its standard input. */
final class RemoteStation implements Party {
  private static final long ANSWER_S = 90;
  private static final String GONE = "the other JVM has ended";

  private final Process process;
  private final PrintWriter in;
  private final LinkedBlockingQueue<String> answers = new LinkedBlockingQueue<>();

  /**
   * Starts one.
   *
   * @param before the command that starts it, for example in another network namespace; empty for
   *     none
   */
  RemoteStation(List<String> before) throws IOException {
    List<String> command = new ArrayList<>(before);
    command.add(System.getProperty("java.home") + "/bin/java");
    command.addAll(
        List.of(
            "--enable-native-access=ALL-UNNAMED",
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-Xmx192m",
            "-Dib.check=" + Boolean.getBoolean("ib.check"),
            "-cp",
            System.getProperty("java.class.path"),
            Station.class.getName()));
    process = new ProcessBuilder(command).redirectError(Redirect.INHERIT).start();
    in = new PrintWriter(process.getOutputStream(), true, StandardCharsets.UTF_8);
    Thread.ofPlatform().name("station " + process.pid()).daemon().start(this::read);
  }

  private void read() {
    try (BufferedReader out = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line = out.readLine(); line != null; line = out.readLine()) {
        answers.add(line);
      }
    } catch (IOException e) {
      answers.add(e.toString()); // it was killed while it spoke
    }
    answers.add(GONE);
  }

  @Override
  public String ask(String line) {
    in.println(line);
    String answer;
    try {
      answer = answers.poll(ANSWER_S, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(line + ": interrupted", e);
    }
    if (answer == null || !answer.startsWith(Station.OK)) {
      throw new AssertionError(line + ": " + answer);
    }
    return answer.substring(Station.OK.length());
  }

  /** {@return the process id} */
  long pid() {
    return process.pid();
  }

  /** Ends it as {@code kill -9} does, in the middle of whatever it does. */
  void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  /** Sends it a signal by its process id: STOP, CONT. */
  void signal(String name) throws IOException, InterruptedException {
    int status =
        new ProcessBuilder("kill", "-" + name, String.valueOf(process.pid())).start().waitFor();
    if (status != 0) {
      throw new AssertionError("kill -" + name + ": " + status);
    }
  }

  /** Lets it end by itself. */
  @Override
  public void close() {
    in.close();
    try {
      if (!process.waitFor(ANSWER_S, TimeUnit.SECONDS)) {
        process.destroyForcibly().waitFor();
        throw new AssertionError("it does not end");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
