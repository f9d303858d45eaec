package ib.launcher;

import ib.launcher.service.Client;
import ib.launcher.service.RunFolder;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Starts and stops a service, asks it, and says whether it runs. */
final class Background {
  private static final Duration START_TIMEOUT = Duration.ofMinutes(5); // devices may come slowly
  private static final Duration STOP_TIMEOUT = Duration.ofMinutes(1);
  private static final int FAILED = 1;
  private static final int NOT_RUNNING = 3; // as services of Linux say (LSB)
  private static final int UNKNOWN = 4;
  private static final long LOOK_NS = 50_000_000;

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

  /** Starts the service, and returns when it answers; a start that is under way is awaited. */
  int start() throws IOException, InterruptedException {
    folder.create();
    Process launched = null;
    long end = System.nanoTime() + START_TIMEOUT.toNanos();
    while (launched == null || launched.isAlive()) {
      try (Client service = Client.connect(folder)) {
        if (service != null) {
          return launched == null ? already(service) : started(service);
        }
      }
      if (launched == null) {
        launched = launch();
      }
      if (System.nanoTime() - end > 0) {
        if (launched != null) {
          launched.destroy();
        }
        err.println("ib: the service does not answer after " + START_TIMEOUT.toSeconds() + " s");
        return FAILED;
      }
      LockSupport.parkNanos(LOOK_NS);
    }
    err.print(Files.readString(folder.console()));
    err.println("ib: the service has ended with status " + launched.exitValue());
    return FAILED;
  }

  private int already(Client service) {
    out.println(service.text() + " already");
    if (Web.asked()) {
      err.println("ib: --web changes nothing while it runs. Try: ib stop, then ib start --web");
    }
    return 0;
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

  /**
   * Starts a process that outlives this one and its terminal. {@return null when a process of the
   * service is there already}
   */
  private @Nullable Process launch() throws IOException {
    String script = home.resolve("bin/ib").toString();
    try (FileChannel _ = folder.lockChange()) {
      if (folder.process() != null) {
        return null;
      }
      Process process =
          new ProcessBuilder("sh", "-c", "trap '' HUP; exec sh \"$0\" serve --log", script)
              .redirectInput(Path.of("/dev/null").toFile())
              .redirectOutput(folder.console().toFile())
              .redirectErrorStream(true)
              .start();
      folder.name(process.pid());
      return process;
    }
  }

  /** Stops the service, also one that does not answer yet, and returns when it has ended. */
  int stop() throws IOException, InterruptedException {
    ProcessHandle process = Files.exists(folder.path()) ? asked() : null;
    if (process == null) {
      out.println("ib does not run");
      return 0;
    }
    if (!hasEnded(process)) {
      err.println(
          "ib: process %d has not ended after %d s: its log says why"
              .formatted(process.pid(), STOP_TIMEOUT.toSeconds()));
      return FAILED;
    }
    out.println("ib has stopped");
    return 0;
  }

  /** {@return the process that ends now, null when there is none} */
  private @Nullable ProcessHandle asked() throws IOException {
    try (Client service = Client.connect(folder)) {
      if (service != null) {
        service.stop();
        return ProcessHandle.of(service.process()).orElse(null);
      }
    }
    try (FileChannel _ = folder.lockChange()) {
      ProcessHandle process = folder.process();
      if (process != null) {
        process.destroy(); // what it has begun is stopped as by a signal of systemd
      }
      return process;
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
      if (service != null) {
        out.println(service.text());
        return service.look("ibv_devices", out, err);
      }
    }
    ProcessHandle process = folder.process();
    out.println(
        process == null ? "ib does not run" : "ib does not answer yet, process " + process.pid());
    return process == null ? NOT_RUNNING : UNKNOWN;
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

  private int notRunning() throws IOException {
    err.println(
        folder.process() == null
            ? "ib: no service runs in " + folder.path() + ". Try: ib start"
            : "ib: the service in " + folder.path() + " does not answer yet. Try: ib status");
    return NOT_RUNNING;
  }
}
