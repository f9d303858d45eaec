package ib.tools.rdmacm;

import ib.cm.CmClient;
import ib.cm.CmTerms;
import ib.cm.rdma.PortSpace;
import ib.cm.rdma.RdmaCm;
import ib.cm.rdma.RdmaConnection;
import ib.cm.rdma.RdmaEnd;
import ib.cm.rdma.RdmaListener;
import ib.cm.rdma.RdmaOptions;
import ib.cm.rdma.RdmaRequest;
import ib.core.client.IbCore;
import ib.core.verbs.IbException;
import ib.tools.getopt.CommandException;
import ib.tools.getopt.Getopt;
import ib.tools.getopt.Parsed;
import ib.tools.output.Usage;
import ib.tools.rdmacm.TimedEnd.Step;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * {@code cmtime}: makes many connections by address at once, disconnects them, and says how long
 * each step took; here or with librdmacm's program at the other end. The original takes each step
 * for all connections before the next step; here each connection goes on as soon as it can, so a
 * step's total runs from the first connection's begin to the last one's end.
 */
public final class Cmtime {
  private static final Program PROGRAM = new Program("cmtime");
  private static final int PORT = 7471;
  private static final int CONNECTIONS = 100;
  private static final int MAX_CONNECTIONS = 1 << 16;
  private static final int RETRIES = 2;
  private static final int MAX_RETRIES = 15;
  private static final int TIMEOUT_MS = 2_000;
  private static final int MAX_TIMEOUT_MS = 60_000;
  private static final double UNIT_MS = 4.096e-3;

  private final Parsed line;
  private final RdmaCm cm;
  private final PrintStream out;
  private final InetSocketAddress address;

  private Cmtime(Parsed line, RdmaCm cm, PrintStream out) {
    this.line = line;
    this.cm = cm;
    this.out = out;
    String to = line.last("server");
    String at = line.last("bind");
    String host = to != null ? to : at != null ? at : "0.0.0.0";
    address = PROGRAM.at(host, line, PORT);
  }

  /**
   * Runs the command; a server runs until it is stopped.
   *
   * @param core the midlayer
   * @param manager its connection manager
   * @param out steps and table are printed here
   * @param err a server's address is printed here
   * @param args the original's options
   * @throws CommandException when an option is wrong, a connection cannot be made, the device goes
   *     or the thread is interrupted
   */
  public static void run(
      IbCore core, CmClient manager, PrintStream out, PrintStream err, String... args) {
    Getopt getopt =
        new Getopt(
            "cmtime",
            Usage.of("cmtime"),
            "s,server=",
            "b,bind=",
            "c,connections=",
            "p,port=",
            "r,retries=",
            "t,timeout=");
    Parsed line = getopt.parse(args).atMost(0);
    PROGRAM.run(
        core,
        manager,
        cm -> {
          Cmtime run = new Cmtime(line, cm, out);
          if (line.last("server") == null) {
            run.serve(err);
          } else {
            run.measure();
          }
        });
  }

  private void serve(PrintStream err) {
    BlockingQueue<String> failures = new LinkedBlockingQueue<>();
    try (RdmaListener listener =
        cm.listen(address, PortSpace.TCP, 0, request -> accept(request, failures))) {
      PROGRAM.sayListening(err, listener.localAddress());
      while (true) {
        err.println("cmtime: " + PROGRAM.take(failures)); // Ctrl-C ends it
      }
    }
  }

  private static void accept(RdmaRequest request, BlockingQueue<String> failures) {
    TimedEnd end =
        new TimedEnd(PROGRAM) {
          @Override
          public void ended(RdmaConnection connection, RdmaEnd how) {
            connection.close();
          }
        };
    try {
      request.accept(RdmaOptions.rc(), end, end);
    } catch (IbException e) { // the next client may have more luck
      failures.add(e.getMessage());
    }
  }

  private RdmaOptions options() {
    double ms = line.number("timeout", TIMEOUT_MS, 1, MAX_TIMEOUT_MS);
    int exponent = (int) Math.ceil(Math.log(ms / UNIT_MS) / Math.log(2));
    CmTerms usual = RdmaOptions.rc().terms();
    int retries = line.number("retries", RETRIES, 0, MAX_RETRIES);
    CmTerms terms = new CmTerms(usual.retryCount(), usual.ackTimeout(), exponent, retries, 0);
    return PROGRAM.from(RdmaOptions.rc().terms(terms), line.last("bind"));
  }

  private void measure() {
    int count = line.number("connections", CONNECTIONS, 1, MAX_CONNECTIONS);
    RdmaOptions options = options();
    List<TimedEnd> ends = new ArrayList<>();
    List<RdmaConnection> made = new ArrayList<>();
    out.println("connecting");
    for (int i = 0; i < count; i++) {
      TimedEnd end = new TimedEnd(PROGRAM);
      ends.add(end);
      end.begin(Step.RESOLVE);
      made.add(cm.start(address, options, end, end));
    }
    int failed = 0;
    for (TimedEnd end : ends) {
      failed += end.awaitConnected() ? 0 : 1;
    }
    out.println("disconnecting");
    for (int i = 0; i < count; i++) {
      ends.get(i).disconnect(made.get(i));
    }
    ends.forEach(TimedEnd::awaitEnd);
    out.println("destroying id");
    for (int i = 0; i < count; i++) {
      RdmaConnection connection = made.get(i);
      ends.get(i).time(Step.DESTROY, connection::close);
    }
    print(ends);
    if (failed > 0) {
      RdmaEnd why = ends.stream().filter(e -> !e.connected()).findFirst().orElseThrow().end();
      String text = "cmtime: " + failed + " of " + count + " were not made: " + why;
      throw new CommandException(why == null ? text : text + "\n" + why.why().getMessage());
    }
  }

  private void print(List<TimedEnd> ends) {
    out.println("step              total ms     max ms     min us  us / conn");
    for (Step step : Step.values()) {
      long first = Long.MAX_VALUE;
      long last = Long.MIN_VALUE;
      long most = 0;
      long least = Long.MAX_VALUE;
      for (TimedEnd end : ends) {
        if (end.took(step) >= 0) {
          first = Math.min(first, end.begun(step));
          last = Math.max(last, end.begun(step) + end.took(step));
          most = Math.max(most, end.took(step));
          least = Math.min(least, end.took(step));
        }
      }
      if (most > 0) {
        double totalUs = (last - first) / 1e3;
        out.printf(
            Locale.ROOT,
            "%-13s: %11.2f%11.2f%11.2f%11.2f%n",
            step.text,
            totalUs / 1e3,
            most / 1e6,
            least / 1e3,
            totalUs / ends.size());
      }
    }
  }
}
