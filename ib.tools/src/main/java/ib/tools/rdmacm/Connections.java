package ib.tools.rdmacm;

import ib.cm.rdma.RdmaCm;
import ib.cm.rdma.RdmaConnection;
import ib.cm.rdma.RdmaDestination;
import ib.cm.rdma.RdmaEnd;
import ib.cm.rdma.RdmaListener;
import ib.cm.rdma.RdmaRequest;
import ib.tools.getopt.CommandException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The connections of a run of messages, all made before the first message is sent. The close of the
 * {@link RdmaCm} ends them.
 */
final class Connections {
  private final Program program;
  private final MessageOptions options;
  private final RdmaCm cm;
  private final List<MessageEnd> ends = new ArrayList<>();
  private final List<RdmaConnection> made = new ArrayList<>();

  Connections(Program program, MessageOptions options, RdmaCm cm) {
    this.program = program;
    this.options = options;
    this.cm = cm;
  }

  /** Runs the server or the client; both say how far they are. */
  void play(PrintStream out, PrintStream err, Runnable serve, Runnable ask) {
    if (options.server()) {
      out.println(program.name() + ": starting server");
      accept(err);
      serve.run();
    } else {
      out.println(program.name() + ": starting client");
      out.println(program.name() + ": connecting");
      connect();
      ask.run();
    }
    out.println("test complete");
    out.println("return status 0");
  }

  /** Connects to the server, as often as the options say. */
  void connect() {
    for (int i = 0; i < options.connections(); i++) {
      MessageEnd end = new MessageEnd(program, options);
      add(end, cm.start(options.address(), options.terms(), end, end));
    }
    awaitAll();
    if (options.datagrams()) {
      aim();
    }
  }

  /** Accepts as many clients as the options say, and rejects further ones. */
  void accept(PrintStream err) {
    BlockingQueue<RdmaRequest> requests = new LinkedBlockingQueue<>();
    AtomicInteger heard = new AtomicInteger();
    RdmaListener listener =
        cm.listen(
            options.address(),
            options.terms().space(),
            0,
            request -> {
              if (heard.incrementAndGet() > options.connections()) {
                request.reject(new byte[0]);
              } else {
                requests.add(request);
              }
            });
    program.sayListening(err, listener.localAddress());
    for (int i = 0; i < options.connections(); i++) {
      MessageEnd end = new MessageEnd(program, options);
      add(end, program.take(requests).accept(options.terms(), end, end));
    }
    awaitAll();
  }

  /** Joins the group, as often as the options say; {@return how to send to it} */
  List<RdmaDestination> join() {
    for (int i = 0; i < options.connections(); i++) {
      MessageEnd end = new MessageEnd(program, options);
      add(end, cm.join(options.address().getAddress(), options.terms(), end, end));
    }
    awaitAll();
    return aim();
  }

  /** Has each end send to the destination of its connection. */
  private List<RdmaDestination> aim() {
    List<RdmaDestination> all = made.stream().map(RdmaConnection::destination).toList();
    for (int i = 0; i < made.size(); i++) {
      ends.get(i).to(all.get(i));
    }
    return all;
  }

  private void add(MessageEnd end, RdmaConnection connection) {
    ends.add(end);
    made.add(connection);
  }

  /**
   * Waits until all have been open. A peer that sends nothing disconnects at once, so a connection
   * may have ended before this thread has seen it open.
   */
  private void awaitAll() {
    for (int i = 0; i < made.size(); i++) {
      MessageEnd end = ends.get(i);
      while (!made.get(i).isOpen() && end.end() == null) {
        end.idle();
      }
      if (end.end() != null && !end.hasPeerDisconnected()) {
        goingOn(end);
      }
    }
  }

  private void goingOn(MessageEnd end) {
    RdmaEnd how = end.end();
    if (how != null) {
      String event = "event: " + how.event() + ", error: " + how.status();
      throw new CommandException(program.name() + ": " + event + "\n" + how.why().getMessage());
    }
  }

  /** Sends all messages on all connections; does not wait. */
  void send() {
    ends.forEach(MessageEnd::send);
  }

  /**
   * Waits for the completions of all sends. A peer that disconnects has all that it waits for,
   * though its acknowledgement may not have come: rdma_rxe completes a receive before it
   * acknowledges. As in the originals, whose sends are then flushed, that is no failure.
   */
  void awaitSent() {
    for (MessageEnd end : ends) {
      if (!end.awaitSent() && !end.hasPeerDisconnected()) {
        goingOn(end);
      }
    }
  }

  /** Waits for all messages of the peers. */
  void awaitReceived() {
    for (MessageEnd end : ends) {
      if (!end.awaitReceived()) {
        goingOn(end);
      }
    }
  }

  /** Disconnects all; does not wait. */
  void disconnect() {
    made.forEach(RdmaConnection::disconnect);
  }

  /** Waits until all have ended. */
  void awaitEnds() {
    for (MessageEnd end : ends) {
      while (end.end() == null) {
        end.idle();
      }
    }
  }
}
