package ib.launcher;

import ib.launcher.service.Client;
import ib.launcher.service.RunFolder;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Starts and stops a service, asks it, and says whether it runs. */
final class Background {
  private static final Duration START_TIMEOUT = Duration.ofMinutes(5); // devices may come slowly
  private static final Duration STOP_TIMEOUT = Duration.ofMinutes(1);
  private static final int FAILED = 1;
  private static final int NOT_RUNNING = 3; // as services of Linux say (LSB)
  private static final long LOOK_MS = 50;

  private final Path home;
  private final RunFolder folder;
  private final InputStream in = System.in;
  private final PrintStream out;
  private final PrintStream err;

  Background(Path home, PrintStream out, PrintStream err) {
    this.home = home;
    this.folder = RunFolder.of(home);
    this.out = out;
    this.err = err;
  }

  /** Starts the service, and returns when it answers. */
  int start() throws IOException, InterruptedException {
    try (Client running = Client.connect(folder)) {
      if (running != null) {
        out.println(running.text() + " already");
        if (Web.asked()) {
          err.println("ib: --web changes nothing while it runs. Try: ib stop, then ib start --web");
        }
        return 0;
      }
    }
    folder.create();
    Process process = launch();
    long end = System.nanoTime() + START_TIMEOUT.toNanos();
    while (process.isAlive()) {
      try (Client started = Client.connect(folder)) {
        if (started != null) {
          return started(started);
        }
      }
      if (System.nanoTime() - end > 0) {
        process.destroy();
        err.println("ib: the service does not answer after " + START_TIMEOUT.toSeconds() + " s");
        return FAILED;
      }
      process.waitFor(LOOK_MS, TimeUnit.MILLISECONDS);
    }
    err.print(Files.readString(folder.console()));
    err.println("ib: the service has ended with status " + process.exitValue());
    return FAILED;
  }

  private int started(Client service) throws IOException {
    String missing = service.missing();
    if (!missing.isEmpty()) {
      err.println(missing);
    }
    out.println(service.text());
    if (Files.exists(folder.page())) {
      out.print(Files.readString(folder.page())); // shown once
      Files.delete(folder.page());
    }
    return 0;
  }

  /** Starts a process that outlives this one and its terminal. */
  private Process launch() throws IOException {
    String script = home.resolve("bin/ib").toString();
    return new ProcessBuilder("sh", "-c", "trap '' HUP; exec sh \"$0\" serve --log", script)
        .redirectInput(Path.of("/dev/null").toFile())
        .redirectOutput(folder.console().toFile())
        .redirectErrorStream(true)
        .start();
  }

  /** Stops the service, and returns when its process has ended. */
  int stop() throws IOException, InterruptedException {
    try (Client service = Client.connect(folder)) {
      if (service == null) {
        out.println("ib does not run");
        return 0;
      }
      ProcessHandle process = ProcessHandle.of(service.process()).orElse(null);
      service.stop();
      if (process != null && !hasEnded(process)) {
        err.println(
            "ib: process %d has not ended after %d s: its log says why"
                .formatted(process.pid(), STOP_TIMEOUT.toSeconds()));
        return FAILED;
      }
      out.println("ib has stopped");
      return 0;
    }
  }

  private static boolean hasEnded(ProcessHandle process) throws InterruptedException {
    try {
      process.onExit().get(STOP_TIMEOUT.toSeconds(), TimeUnit.SECONDS);
      return true;
    } catch (TimeoutException e) {
      return false;
    } catch (ExecutionException e) {
      throw new IllegalStateException(e.getCause()); // that a process ends is no failure
    }
  }

  /** Says whether the service runs, and with which devices. */
  int status() throws IOException {
    try (Client service = Client.connect(folder)) {
      if (service == null) {
        out.println("ib does not run");
        return NOT_RUNNING;
      }
      out.println(service.text());
      return service.execute("ibv_devices", in, out, err);
    }
  }

  /** Runs a shell in the service. */
  int attach() throws IOException {
    try (Client service = Client.connect(folder)) {
      return service == null ? notRunning() : service.attach(in, out);
    }
  }

  /**
   * Runs shell commands in the service.
   *
   * @param commands the commands
   * @return their exit status
   */
  int execute(String commands) throws IOException {
    try (Client service = Client.connect(folder)) {
      return service == null ? notRunning() : service.execute(commands, in, out, err);
    }
  }

  private int notRunning() {
    err.println("ib: no service runs in " + folder.path() + ". Try: ib start");
    return NOT_RUNNING;
  }
}
