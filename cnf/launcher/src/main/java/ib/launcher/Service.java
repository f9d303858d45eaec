package ib.launcher;

import ib.launcher.service.RunFolder;
import ib.launcher.service.Shells;
import ib.launcher.service.SocketServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.apache.felix.service.command.CommandProcessor;
import org.apache.felix.service.command.CommandSession;
import org.apache.felix.service.command.Function;
import org.jline.terminal.Size;
import org.jline.terminal.Terminal;
import org.jline.terminal.impl.ExternalTerminal;
import org.jspecify.annotations.Nullable;
import org.osgi.framework.BundleContext;
import org.osgi.framework.BundleException;
import org.osgi.framework.Constants;
import org.osgi.framework.Version;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The service's part inside the framework: {@link #accept} opens the socket, whose callers run
 * commands and shells here.
 */
final class Service implements Consumer<String>, Shells, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Service.class);

  private final BundleContext context;
  private final Exec exec;
  private @Nullable SocketServer server;
  private boolean closed;

  Service(BundleContext context, Exec exec) {
    this.context = context;
    this.exec = exec;
  }

  /**
   * Opens the socket in the folder that this process has claimed.
   *
   * @param missing configured devices that are not there: sentences for those who ask, or empty
   */
  @Override
  public synchronized void accept(String missing) {
    if (closed) {
      return; // the framework stops already
    }
    RunFolder folder = new RunFolder(Path.of(context.getProperty(RunFolder.PROPERTY)));
    Version v = context.getBundle().getVersion();
    String version = v.getMajor() + "." + v.getMinor() + "." + v.getMicro();
    try {
      server = SocketServer.open(folder, version, missing, this, this::stopRuntime);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    LOG.info("ib {} answers at {}", version, folder.socket());
  }

  private void stopRuntime() {
    LOG.info("a caller stops the runtime");
    try {
      context.getBundle(Constants.SYSTEM_BUNDLE_ID).stop(); // returns at once
    } catch (BundleException e) {
      LOG.error("the runtime does not stop", e);
    }
  }

  @Override
  public int execute(String commands, Streams streams, Consumer<AutoCloseable> begun) {
    return exec.execute(commands, streams, begun);
  }

  @Override
  public int attach(Screen screen, InputStream keys, OutputStream out, Consumer<Attached> begun)
      throws Exception {
    CommandProcessor processor = Exec.processor(context);
    Terminal terminal =
        new ExternalTerminal(
            null,
            "ib attach",
            screen.type(),
            keys,
            out,
            StandardCharsets.UTF_8,
            Terminal.SignalHandler.SIG_DFL,
            false,
            null,
            new Size(screen.columns(), screen.rows()));
    PrintStream shown = new PrintStream(terminal.output(), true);
    AtomicInteger status = new AtomicInteger();
    try (terminal;
        CommandSession session = processor.createSession(terminal.input(), shown, shown)) {
      session.put(".terminal", terminal);
      session.put("ib.attached", true); // for ib:welcome
      session.put("launcher:status", new ExitStatus(status)); // this shell's, not the program's
      begun.accept(new Shell(terminal, session));
      // the command itself: a line of the shell would be the session's foreground job, and no other
      Function gosh = (Function) session.get("gogo:gosh");
      gosh.execute(session, List.of("--login", "--noshutdown"));
      return status.get();
    }
  }

  @Override
  public synchronized void close() throws IOException {
    closed = true;
    if (server != null) {
      server.close();
    }
  }

  /** A caller's shell, for the thread that hears the caller. */
  private record Shell(Terminal terminal, CommandSession session) implements Attached {
    @Override
    public void resize(Screen screen) {
      terminal.setSize(new Size(screen.columns(), screen.rows()));
      terminal.raise(Terminal.Signal.WINCH);
    }

    @Override
    public void close() throws IOException {
      terminal.close(); // ends the shell's wait for keys
      session.close(); // interrupts its commands
    }
  }

  /** The command {@code launcher:status}, which {@code exit} calls. */
  private record ExitStatus(AtomicInteger status) implements Function {
    @Override
    public Object execute(CommandSession session, List<Object> arguments) {
      status.set(arguments.isEmpty() ? 0 : Integer.parseInt(arguments.getFirst().toString()));
      return status.get();
    }
  }
}
