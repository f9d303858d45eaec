package ib.ulp.ipoib.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Network namespaces that a test has made, and programs that run in them. */
public final class Namespaces implements AutoCloseable {
  private static final int PATIENCE_S = 600;

  private final List<String> made = new ArrayList<>();
  private final List<Process> started = new ArrayList<>();

  /** Skips the test where it cannot be, and says why. */
  public static void require(String... programs) {
    assumeTrue("root".equals(System.getProperty("user.name")), "network namespaces need root");
    assumeTrue(Files.isWritable(Path.of("/dev/net/tun")), "/dev/net/tun is missing");
    for (String program : programs) {
      assumeTrue(
          List.of("/usr/sbin/", "/usr/bin/", "/bin/", "/sbin/").stream()
              .anyMatch(folder -> Files.isExecutable(Path.of(folder + program))),
          program + " is not installed");
    }
    assumeTrue(tried("ip", "netns", "add", name(99)), "no right to make network namespaces");
    assumeTrue(tried("ip", "netns", "del", name(99)), "no right to remove network namespaces");
  }

  private static String name(int number) {
    return "ipoib-" + ProcessHandle.current().pid() + "-" + number;
  }

  private static boolean tried(String... command) {
    try {
      return start(command).waitFor() == 0;
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static Process start(String... command) throws IOException {
    return new ProcessBuilder(command).redirectErrorStream(true).start();
  }

  /** Makes one. */
  public String add() {
    String name = name(made.size());
    run("ip", "netns", "add", name);
    made.add(name);
    run("ip", "-n", name, "link", "set", "lo", "up");
    return name;
  }

  /** Moves a device into a namespace and gives it addresses there. */
  public void move(String device, String namespace, String... addresses) {
    run("ip", "link", "set", device, "netns", namespace);
    for (String address : addresses) {
      List<String> command =
          new ArrayList<>(List.of("ip", "-n", namespace, "addr", "add", address, "dev", device));
      if (address.contains(":")) {
        command.add("nodad");
      }
      run(command.toArray(String[]::new));
    }
    run("ip", "-n", namespace, "link", "set", device, "up");
  }

  /** Runs a program in a namespace; it must succeed. */
  public String in(String namespace, String... command) {
    return run(inside(namespace, command));
  }

  /** Starts a program in a namespace; it ends with the namespaces if not before. */
  public Process startIn(String namespace, String... command) {
    try {
      Process process = start(inside(namespace, command));
      started.add(process);
      return process;
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static String[] inside(String namespace, String... command) {
    List<String> all = new ArrayList<>(List.of("ip", "netns", "exec", namespace));
    all.addAll(List.of(command));
    return all.toArray(String[]::new);
  }

  /** Runs a program; it must succeed. */
  public static String run(String... command) {
    try {
      Process process = start(command);
      String output = output(process);
      assertEquals(0, process.exitValue(), String.join(" ", command) + "\n" + output);
      return output;
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** What a program prints, until its end; one that does not end is ended. */
  public static String output(Process process) {
    CompletableFuture.delayedExecutor(PATIENCE_S, TimeUnit.SECONDS)
        .execute(process::destroyForcibly);
    try {
      String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      process.waitFor();
      process.getOutputStream().close(); // else it stays until the JVM has seen the end as well
      process.getInputStream().close();
      process.getErrorStream().close(); // a pipe of its own, though nothing comes by it
      return output;
    } catch (IOException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Override
  public void close() {
    started.forEach(Process::destroyForcibly);
    made.forEach(name -> run("ip", "netns", "del", name));
  }
}
