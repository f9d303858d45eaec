package ib.tools.perftest;

import ib.core.client.IbCore;
import ib.tools.getopt.CommandException;
import ib.tools.run.DeviceUse;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.StandardSocketOptions;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;

/**
 * Both ends of a test in this JVM (U10): the client on the command's thread, the server on a thread
 * of its own, which ends before the command does. What the ends exchange goes over a TCP connection
 * on the loopback address. An end that fails closes the connection, so that the other one ends too.
 */
final class BothEnds {
  private final PerftestOptions options;
  private final String program;
  private final FutureTask<Boolean> server;

  private BothEnds(IbCore core, PerftestOptions options, SocketChannel connection) {
    this.options = options;
    this.program = options.tool().program();
    this.server = new FutureTask<>(() -> serve(core, connection));
  }

  /**
   * Runs a test.
   *
   * @param core the midlayer
   * @param options the server's
   * @param client runs the client over a connection, on the calling thread
   * @throws CommandException when one of the ends fails, or the calling thread is interrupted
   */
  static void run(IbCore core, PerftestOptions options, Consumer<Socket> client) {
    InetSocketAddress anyPort = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    String program = options.tool().program();
    try (ServerSocketChannel listener = ServerSocketChannel.open().bind(anyPort, 1);
        SocketChannel ours = SocketChannel.open(listener.getLocalAddress());
        SocketChannel theirs = listener.accept()) {
      if (!theirs.getRemoteAddress().equals(ours.getLocalAddress())) {
        throw new CommandException(program + ": another program connected first; try again");
      }
      ours.setOption(StandardSocketOptions.TCP_NODELAY, true);
      theirs.setOption(StandardSocketOptions.TCP_NODELAY, true);
      new BothEnds(core, options, theirs).run(client, ours);
    } catch (IOException e) {
      throw new CommandException(program + ": no connection between the two ends", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CommandException(130, program + ": interrupted");
    }
  }

  private void run(Consumer<Socket> client, SocketChannel ours)
      throws IOException, InterruptedException {
    Thread thread = Thread.ofPlatform().daemon().name(program + " server").start(server);
    try {
      client.accept(ours.socket());
      server.get();
    } catch (ExecutionException e) {
      throw failure(Objects.requireNonNull(e.getCause()));
    } catch (CommandException e) {
      end(thread, ours);
      throw cause(e);
    } finally {
      end(thread, ours);
    }
  }

  private static void end(Thread thread, SocketChannel ours)
      throws IOException, InterruptedException {
    ours.close();
    thread.interrupt(); // a server that runs looks at that between its steps
    thread.join();
  }

  /** {@return why the run ended: the server's failure where the client only lost the connection} */
  private CommandException cause(CommandException client) {
    if (client.getCause() instanceof IOException && server.state() == FutureTask.State.FAILED) {
      CommandException theirs = failure(server.exceptionNow());
      return theirs.getCause() instanceof IOException ? client : theirs;
    }
    return client;
  }

  private CommandException failure(Throwable thrown) {
    return thrown instanceof CommandException e
        ? e
        : new CommandException(program + ": the server's end failed", thrown);
  }

  private boolean serve(IbCore core, SocketChannel connection) throws IOException {
    String device = Objects.requireNonNull(options.device());
    PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream());
    Semaphore wakeUp = new Semaphore(0);
    try (connection;
        DeviceUse use = DeviceUse.open(core, program, Set.of(device), wakeUp)) {
      Runnable stop = () -> use.checkGoingOn(program);
      new Perftest(options, device, nowhere, nowhere, wakeUp, stop)
          .over(use, connection.socket(), false);
    }
    return true;
  }
}
