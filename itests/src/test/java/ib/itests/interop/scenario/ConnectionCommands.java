package ib.itests.interop.scenario;

import ib.cm.CmClient;
import ib.cm.CmPort;
import ib.cm.rdma.RdmaCm;
import ib.core.client.IbCore;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.felix.service.command.CommandProcessor;
import org.apache.felix.service.command.CommandSession;
import org.osgi.framework.BundleContext;

/** Shell commands that do what no program of librdmacm does. Each returns at once, but together. */
public final class ConnectionCommands {
  /** Their names. */
  static final String[] NAMES = {
    "together",
    "begin",
    "finish",
    "listen",
    "connect",
    "heard",
    "accept",
    "leave",
    "counters",
    "heap"
  };

  private final BundleContext context;
  private final Map<Integer, PortHolder> holders = new ConcurrentHashMap<>();
  private final Map<String, Run> runs = new ConcurrentHashMap<>();

  ConnectionCommands(BundleContext context) {
    this.context = context;
  }

  private <T> T service(Class<T> type) {
    return context.getService(context.getServiceReference(type));
  }

  /** A line of the shell that runs in a session of its own. */
  private static final class Run {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final Thread thread;

    Run(CommandProcessor shell, CommandSession of, String line) {
      PrintStream said = new PrintStream(out, true, StandardCharsets.UTF_8);
      CommandSession own =
          shell.createSession(new ByteArrayInputStream(new byte[0]), said, of.getConsole());
      thread =
          Thread.ofPlatform()
              .daemon()
              .start(
                  () -> {
                    try (own) {
                      own.execute(line);
                    } catch (Exception e) {
                      said.println(e);
                    }
                  });
    }

    String await() throws InterruptedException {
      thread.join();
      return out.toString(StandardCharsets.UTF_8);
    }
  }

  /** Runs a line as often as asked for, all at the same time; {@return what all have printed} */
  public String together(CommandSession session, int count, String line)
      throws InterruptedException {
    List<Run> all = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      all.add(new Run(service(CommandProcessor.class), session, line));
    }
    StringBuilder text = new StringBuilder();
    for (Run run : all) {
      text.append(run.await());
    }
    return text.toString();
  }

  /** Begins to run a line, under a name. */
  public void begin(CommandSession session, String name, String line) {
    runs.put(name, new Run(service(CommandProcessor.class), session, line));
  }

  /**
   * Waits until a line has ended, at most that long, and then ends it as Ctrl-C does. {@return what
   * it has printed}
   */
  public String finish(String name, int seconds) throws InterruptedException {
    Run run = runs.remove(name);
    run.thread.join(Duration.ofSeconds(seconds));
    run.thread.interrupt();
    return run.await();
  }

  private PortHolder holder(int port) {
    PortHolder made =
        new PortHolder(
            RdmaCm.open(service(IbCore.class), service(CmClient.class), "holder:" + port));
    holders.put(port, made);
    return made;
  }

  /** Listens; {@code how} is refuse, wait or accept. */
  public String listen(String host, int port, String how) {
    return "listening on " + holder(port).listen(new InetSocketAddress(host, port), how);
  }

  /** Begins connections. */
  public void connect(int count, String host, int port, int ackTimeout) {
    holder(port).connect(count, new InetSocketAddress(host, port), ackTimeout);
  }

  /** {@return what has happened at a port} */
  public String heard(int port) {
    return holders.get(port).toString();
  }

  /** Accepts the requests that wait at a port. */
  public String accept(int port) {
    return holders.get(port).acceptWaiting();
  }

  /** Closes all that is held at a port; {@return what has happened there} */
  public String leave(int port) {
    try (PortHolder old = holders.remove(port)) {
      return old.toString();
    }
  }

  /** {@return the counters of the connection manager of rxe0} */
  public String counters() {
    try (CmPort port = service(CmClient.class).open("rxe0", 1)) {
      return port.counters().toString();
    }
  }

  /** {@return the bytes in use after a collection} */
  public String heap() {
    System.gc();
    Runtime runtime = Runtime.getRuntime();
    return "heap " + (runtime.totalMemory() - runtime.freeMemory());
  }
}
