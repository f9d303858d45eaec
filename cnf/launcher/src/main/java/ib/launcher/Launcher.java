package ib.launcher;

import ib.launcher.service.RunFolder;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Hashtable;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.ToIntFunction;
import org.osgi.framework.BundleContext;
import org.osgi.framework.BundleException;
import org.osgi.framework.InvalidSyntaxException;
import org.osgi.framework.ServiceReference;
import org.slf4j.bridge.SLF4JBridgeHandler;

/**
 * The program {@code ib}: a shell on a running framework, shell commands whose status becomes the
 * exit status, or a service in the background.
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
   *     and the jar of a driver; {@code new} and what {@link Sample} copies; {@code start}, {@code
   *     stop} and what else {@link Background} does
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
    if (args.length > 0 && args[0].equals("new")) {
      return new Sample(home.resolve("samples"), System.out, err)
          .copy(Path.of(""), List.of(args).subList(1, args.length));
    }
    Background background = new Background(home, System.out, err);
    try {
      return switch (String.join(" ", List.of(args).subList(0, Math.min(2, args.length)))) {
        case "" -> shell();
        case "serve" -> serve();
        case "start" -> background.start();
        case "stop" -> background.stop();
        case "status" -> background.status();
        case "attach" -> background.attach();
        case "exec --attach" -> args.length == 3 ? background.execute(args[2]) : usage();
        default -> args.length == 2 && args[0].equals("exec") ? exec(args[1]) : usage();
      };
    } catch (IOException | BundleException | InvalidSyntaxException e) {
      Path temporary = Path.of(System.getProperty("java.io.tmpdir"));
      err.println("ib: " + Reason.ofStart(e, temporary));
      return FAILED;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return FAILED;
    }
  }

  private int usage() {
    err.print(
        """
        usage: ib [--web]            start the runtime with a shell; --web with a page for a browser
               ib exec '<commands>'  run shell commands in a fresh runtime, exit with their status
               ib kit DRIVER.jar ...  run the compatibility suite against a driver
               ib new driver|ulp NAME  make a project to begin with; NAME is a package, its last word the folder
        a runtime in the background:
               ib start [--web]      start it, return when its devices are there
               ib status             say whether it runs; status 3 when it does not
               ib exec --attach '<commands>'  run shell commands in it, exit with their status
               ib attach             a shell in it; exit leaves it running
               ib logs [-f]          the end of its log; -f follows
               ib stop               stop it, return when it has ended
               ib serve              run it in the foreground
        """);
    return USAGE;
  }

  /** Runs a service until it is stopped: by a caller, or by a signal. */
  private int serve()
      throws IOException, BundleException, InterruptedException, InvalidSyntaxException {
    RunFolder folder = RunFolder.of(home);
    FileChannel claimed = folder.claim();
    if (claimed == null) {
      err.println("ib: a service runs already in " + folder.path() + ". Try: ib status");
      return FAILED;
    }
    Web web = Web.wanted(home);
    if (web != null) {
      web.keep(folder.page());
      System.out.println("ib: the address of the page and its password are in " + folder.page());
    }
    Runtime runtime = Runtime.serve(home, folder, claimed, web, err);
    List<String> missing = missing(runtime.context());
    missing.forEach(err::println);
    @SuppressWarnings("rawtypes")
    ServiceReference<Consumer> service =
        runtime.context().getServiceReferences(Consumer.class, Activator.SERVICE).iterator().next();
    @SuppressWarnings("unchecked")
    Consumer<String> open = runtime.context().getService(service);
    open.accept(String.join("\n", missing));
    runtime.awaitStop();
    return 0;
  }

  /** {@return a sentence for each configured device that does not come} */
  private List<String> missing(BundleContext context)
      throws InterruptedException, InvalidSyntaxException, IOException {
    Map<String, String> missing =
        new DeviceWait(context, home.resolve("conf")).await(DEVICES_TIMEOUT);
    String text = "ib: device %s of conf/%s is not there after %d s";
    return missing.entrySet().stream()
        .map(e -> text.formatted(e.getKey(), e.getValue(), DEVICES_TIMEOUT.toSeconds()))
        .toList();
  }

  private int shell() throws IOException, BundleException, InterruptedException {
    Web web = Web.wanted(home);
    if (web != null) {
      System.out.println(web.announcement());
    }
    Status status = new Status();
    Runtime runtime =
        Runtime.shell(
            home,
            web,
            err,
            context -> {
              new Ready(Ready::atTerminal, () -> missing(context), err).register(context);
              context.registerService(Status.class, status, command("status"));
            });
    runtime.awaitStop();
    return status.code;
  }

  static Hashtable<String, Object> command(String name) {
    Hashtable<String, Object> command = new Hashtable<>();
    command.put("osgi.command.scope", "launcher");
    command.put("osgi.command.function", name);
    return command;
  }

  private int exec(String commands)
      throws BundleException, InterruptedException, InvalidSyntaxException, IOException {
    BundleContext context = Runtime.start(home, err).context();
    List<String> missing = missing(context);
    if (!missing.isEmpty()) {
      missing.forEach(err::println);
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
