package ib.tools.rdmacm;

import ib.cm.CmClient;
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
import java.io.PrintStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * {@code rping}: connects by address with RDMA CM and plays ping-pong by SEND, RDMA READ and RDMA
 * WRITE, here or with librdmacm's program at the other end.
 */
public final class Rping {
  static final Program PROGRAM = new Program("rping");
  private static final int BACKLOG = 3;
  private static final char FIRST = 'A';
  private static final char LAST = 'z';
  private static final int IDLE = 1; // states of the original
  private static final int ROUTE_RESOLVED = 4;
  private static final int DISCONNECTED = 10;

  private final RpingOptions options;
  private final RdmaCm cm;
  private final PrintStream out;
  private final PrintStream err;

  private Rping(RpingOptions options, RdmaCm cm, PrintStream out, PrintStream err) {
    this.options = options;
    this.cm = cm;
    this.out = out;
    this.err = err;
  }

  /**
   * Runs the command.
   *
   * @param core the midlayer
   * @param manager its connection manager
   * @param out the data are printed here
   * @param err events are printed here
   * @param args the original's options; {@code -q} is always so: the queue pair is the program's
   *     own
   * @throws CommandException when an option is wrong, the connection cannot be made, the data are
   *     wrong, the device goes or the thread is interrupted
   */
  public static void run(
      IbCore core, CmClient manager, PrintStream out, PrintStream err, String... args) {
    RpingOptions options = RpingOptions.parse(args);
    PROGRAM.run(
        core,
        manager,
        cm -> {
          Rping run = new Rping(options, cm, out, err);
          if (options.server()) {
            run.serve();
          } else {
            run.ping();
          }
        });
  }

  private void debug(String step) {
    if (options.debug()) {
      out.println(step);
    }
  }

  // ---- the client ----

  private void ping() {
    RpingEnd end = new RpingEnd(options.size(), PROGRAM);
    RdmaOptions how = RdmaOptions.rc();
    RdmaOptions from = options.from() == null ? how : how.from(options.from());
    debug("client");
    try (RdmaConnection c = cm.start(options.address(), from, end, end)) {
      established(c, end);
      debug("ESTABLISHED");
      exchange(end);
      c.disconnect();
      err.println("client DISCONNECT EVENT...");
    }
  }

  /** Waits until the connection is made. */
  private void established(RdmaConnection c, RpingEnd end) {
    while (!c.isOpen()) {
      RdmaEnd failed = end.end();
      if (failed != null) {
        boolean address = failed.kind() == RdmaEnd.Kind.ADDR_ERROR;
        String state =
            address
                ? "waiting for addr/route resolution state " + IDLE
                : "wait for CONNECTED state " + ROUTE_RESOLVED;
        String line = "cma event " + failed + "\n" + state;
        throw new CommandException(line + "\n" + failed.why().getMessage());
      }
      end.idle();
    }
  }

  private void exchange(RpingEnd end) {
    char first = FIRST;
    for (int i = 0; options.count() == 0 || i < options.count(); i++) {
      fill(end.start(), i, first);
      first = next(first);
      end.advertise(true);
      debug("client posted source adv");
      if (end.message() == null) {
        throw gone("RDMA_WRITE_ADV", end);
      }
      end.advertise(false);
      debug("client posted sink adv");
      if (end.message() == null) {
        throw gone("RDMA_WRITE_COMPLETE", end);
      }
      if (options.validate() && end.start().mismatch(end.data()) >= 0) {
        throw new CommandException("data mismatch!");
      }
      if (options.verbose()) {
        out.println("ping data: " + text(end.data()));
      }
    }
  }

  private CommandException gone(String state, RpingEnd end) {
    RdmaEnd how = end.end();
    String why = how == null ? "" : "\n" + how.why().getMessage();
    return new CommandException("wait for " + state + " state " + DISCONNECTED + why);
  }

  private static char next(char c) {
    return c == LAST ? FIRST : (char) (c + 1);
  }

  /** Writes the text of a ping, which ends with a zero byte. */
  private static void fill(MemorySegment into, int ping, char first) {
    byte[] head = ("rdma-ping-" + ping + ": ").getBytes(StandardCharsets.US_ASCII);
    MemorySegment.copy(head, 0, into, ValueLayout.JAVA_BYTE, 0, head.length);
    char c = first;
    for (long i = head.length; i < into.byteSize(); i++) {
      into.set(ValueLayout.JAVA_BYTE, i, (byte) c);
      c = next(c);
    }
    into.set(ValueLayout.JAVA_BYTE, into.byteSize() - 1, (byte) 0);
  }

  /** {@return the bytes before the first zero byte} */
  private static String text(MemorySegment data) {
    byte[] all = data.toArray(ValueLayout.JAVA_BYTE);
    return new String(all, 0, length(all), StandardCharsets.US_ASCII);
  }

  private static int length(byte[] all) {
    int n = 0;
    while (n < all.length && all[n] != 0) {
      n++;
    }
    return n;
  }

  // ---- the server ----

  private void serve() {
    BlockingQueue<RdmaRequest> requests = new LinkedBlockingQueue<>();
    List<Thread> running = new ArrayList<>();
    try (RdmaListener listener =
        cm.listen(options.address(), PortSpace.TCP, BACKLOG, requests::add)) {
      PROGRAM.sayListening(err, listener.localAddress());
      debug("server");
      while (options.persistent()) {
        RdmaRequest request = PROGRAM.take(requests);
        running.add(Thread.startVirtualThread(() -> apart(request)));
      }
      serve(PROGRAM.take(requests));
    } finally {
      cm.close(); // ends the connections that threads serve
      running.forEach(Rping::join);
    }
  }

  private static void join(Thread thread) {
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true; // the thread ends soon, because its connection has ended
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Serves a client beside others: its errors end only its connection. */
  private void apart(RdmaRequest request) {
    try {
      serve(request);
    } catch (CommandException | IbException e) {
      err.println("rping: " + e.getMessage());
    }
  }

  private void serve(RdmaRequest request) {
    RpingEnd end = new RpingEnd(options.size(), PROGRAM);
    try (RdmaConnection c = request.accept(RdmaOptions.rc(), end, end)) {
      established(c, end);
      String waiting = answer(end);
      RdmaEnd how = end.end();
      if (how != null && how.kind() == RdmaEnd.Kind.DISCONNECTED) {
        err.println("server DISCONNECT EVENT...");
        err.println("wait for " + waiting + " state " + DISCONNECTED);
      } else {
        throw gone(waiting, end);
      }
    }
  }

  /** Answers pings until the connection ends; {@return the state that did not come} */
  private String answer(RpingEnd end) {
    while (true) {
      RpingEnd.Remote start = end.message();
      if (start == null) {
        return "RDMA_READ_ADV";
      }
      debug("server received source adv");
      int length = start.length();
      if (length < 1 || length > options.size()) {
        throw new CommandException("client's buffer of " + length + " bytes: set -S to that size");
      }
      if (!end.move(true, start, length)) {
        return "RDMA_READ_COMPLETE";
      }
      debug("server received read complete");
      MemorySegment data = end.data().asSlice(0, length);
      if (options.verbose()) {
        out.println("server ping data: " + text(data));
      }
      end.send();
      debug("server posted go ahead");
      RpingEnd.Remote sink = end.message();
      if (sink == null) {
        return "RDMA_WRITE_ADV";
      }
      debug("server received sink adv");
      int bytes = length(data.toArray(ValueLayout.JAVA_BYTE)) + 1;
      if (!end.move(false, sink, Math.min(bytes, length))) {
        return "RDMA_WRITE_COMPLETE";
      }
      debug("server rdma write complete");
      end.send();
    }
  }
}
