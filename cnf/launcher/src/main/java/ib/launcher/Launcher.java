package ib.launcher;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Hashtable;
import java.util.List;
import java.util.Map;
import java.util.function.ToIntFunction;
import org.osgi.framework.BundleContext;
import org.osgi.framework.BundleException;
import org.osgi.framework.InvalidSyntaxException;
import org.osgi.framework.ServiceReference;
import org.slf4j.bridge.SLF4JBridgeHandler;

/**
 * The program {@code ib}: a shell on a running framework, or shell commands whose status becomes
 * the exit status.
 */
public final class Launcher {
  private static final Duration DEVICES_TIMEOUT =
      Duration.ofSeconds(Long.getLong("ib.exec.wait.s", 10));
  private static final int FAILED = 1;
  private static final int USAGE = 2;

  private final Path home;
  private final PrintStream err;

  Launcher(Path home, PrintStream err) {
    this.home = home;
    this.err = err;
  }

  /**
   * Entry point.
   *
   * @param args none for a shell; {@code exec} and one argument with shell commands; {@code kit}
   *     and the jar of a driver
   */
  public static void main(String[] args) {
    SLF4JBridgeHandler.removeHandlersForRootLogger();
    SLF4JBridgeHandler.install();
    int status = FAILED;
    try {
      status = new Launcher(Path.of(System.getProperty("ib.home", ".")), System.err).run(args);
    } finally {
      // ends the threads of every bundle; the shutdown hook of Runtime stops the framework and
      // removes its cache
      System.exit(status);
    }
  }

  int run(String... args) {
    if (args.length > 0 && args[0].equals("kit")) {
      return new Kit(home, err).run(List.of(args).subList(1, args.length));
    }
    boolean exec = args.length == 2 && args[0].equals("exec");
    if (!exec && args.length != 0) {
      err.println("usage: ib                    start the runtime with a shell");
      err.println(
          "       ib exec '<commands>'  run shell commands in a fresh runtime, exit with their status");
      err.println("       ib kit DRIVER.jar ...  run the compatibility suite against a driver");
      return USAGE;
    }
    try {
      Runtime runtime = Runtime.start(home, !exec, err);
      return exec ? exec(runtime, args[1]) : shell(runtime);
    } catch (IOException | BundleException | InvalidSyntaxException e) {
      Path temporary = Path.of(System.getProperty("java.io.tmpdir"));
      err.println("ib: " + Reason.ofStart(e, temporary));
      return FAILED;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return FAILED;
    }
  }

  private static int shell(Runtime runtime) throws InterruptedException {
    Status status = new Status();
    Hashtable<String, Object> command = new Hashtable<>();
    command.put("osgi.command.scope", "launcher");
    command.put("osgi.command.function", "status");
    runtime.context().registerService(Status.class, status, command);
    runtime.awaitStop();
    return status.code;
  }

  private int exec(Runtime runtime, String commands)
      throws InterruptedException, InvalidSyntaxException, IOException {
    BundleContext context = runtime.context();
    Map<String, String> missing =
        new DeviceWait(context, home.resolve("conf")).await(DEVICES_TIMEOUT);
    if (!missing.isEmpty()) {
      missing.forEach(
          (name, file) ->
              err.println(
                  "ib: device %s of conf/%s is not there after %d s"
                      .formatted(name, file, DEVICES_TIMEOUT.toSeconds())));
      return FAILED;
    }
    @SuppressWarnings("rawtypes")
    ServiceReference<ToIntFunction> exec =
        context.getServiceReferences(ToIntFunction.class, Activator.EXEC).iterator().next();
    @SuppressWarnings("unchecked")
    ToIntFunction<String> shell = context.getService(exec);
    return shell.applyAsInt(commands);
  }

  /**
   * The command {@code launcher:status} sets the program's exit status; {@code exit} in {@code
   * gosh_profile} uses it.
   */
  public static final class Status {
    private volatile int code;

    private Status() {}

    /**
     * Sets the exit status.
     *
     * @param code 0 to 255
     */
    public void status(int code) {
      this.code = code;
    }

    /** Sets the exit status 0. */
    public void status() {
      status(0);
    }
  }
}
