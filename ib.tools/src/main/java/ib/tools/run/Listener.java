package ib.tools.run;

import ib.tools.getopt.CommandException;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.StandardSocketOptions;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumMap;
import java.util.Iterator;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Waits for a server's client: the first peer that sends a whole greeting of the right form. A peer
 * that sends something else, or too little for too long, is refused and counted by reason, and the
 * wait goes on. Such a peer neither ends the wait nor keeps the client out, and its bytes are not
 * printed.
 *
 * <p>For the command's thread only.
 */
public final class Listener {
  private static final int LOOK_MS = 200;
  private static final int HELD_MAX = 64;
  private static final long GREETING_NS = TimeUnit.SECONDS.toNanos(10);

  private final String program;
  private final InetSocketAddress address;
  private final PrintStream err;
  private final long greetingNs;
  private final Map<Refusal, Integer> refused = new EnumMap<>(Refusal.class);
  private final Deque<Stranger> held = new ArrayDeque<>(); // oldest first

  /** The reasons why a connection is refused. */
  private enum Refusal {
    GARBAGE("said something else"),
    LEFT("left"),
    SLOW("said too little for too long"),
    CROWDED("oldest of too many");

    private final String text;

    Refusal(String text) {
      this.text = text;
    }
  }

  /** A peer that has connected and may become the client. */
  private record Stranger(SocketChannel channel, byte[] greeting, ByteBuffer said, long untilNs) {}

  /**
   * The client.
   *
   * @param socket the connection, whose greeting was read
   * @param greeting the greeting
   */
  public record Met(Socket socket, byte[] greeting) {}

  /**
   * Creates the listener of a server; it listens in {@link #await}.
   *
   * @param program name of the server, for messages
   * @param bind address to listen on; null for the default
   * @param everywhere the default: true for all addresses, false for the loopback address
   * @param port TCP port
   * @param err the address and refused connections are printed here
   * @throws CommandException when the address is unknown
   */
  public Listener(
      String program, @Nullable String bind, boolean everywhere, int port, PrintStream err) {
    this(program, bind, everywhere, port, err, GREETING_NS);
  }

  Listener(
      String program,
      @Nullable String bind,
      boolean everywhere,
      int port,
      PrintStream err,
      long greetingNs) {
    this.program = program;
    this.err = err;
    this.greetingNs = greetingNs;
    try {
      if (bind == null && everywhere) {
        address = new InetSocketAddress(port);
      } else {
        InetAddress loopback = InetAddress.getLoopbackAddress();
        address =
            new InetSocketAddress(bind == null ? loopback : InetAddress.getByName(bind), port);
      }
    } catch (UnknownHostException e) {
      throw new CommandException("Couldn't listen to port " + port, e);
    }
  }

  /**
   * Waits for the client.
   *
   * @param length bytes of the greeting
   * @param form test of a greeting's form
   * @param stop called while waiting; throws to abort the wait
   * @return the client; all other connections are closed
   * @throws CommandException when the port is in use
   */
  public Met await(int length, Predicate<byte[]> form, Runnable stop) {
    try (ServerSocketChannel server = ServerSocketChannel.open();
        Selector selector = Selector.open()) {
      server.setOption(StandardSocketOptions.SO_REUSEADDR, true);
      server.bind(address, HELD_MAX);
      server.configureBlocking(false);
      server.register(selector, SelectionKey.OP_ACCEPT);
      err.println(program + ": listening on " + where());
      while (true) {
        selector.select(LOOK_MS);
        stop.run();
        selector.selectedKeys().clear();
        SocketChannel channel = server.accept();
        for (; channel != null; channel = server.accept()) {
          hold(channel, length, selector);
        }
        Stranger client = hear(form);
        if (client != null) {
          Met met = met(client, selector);
          held.remove(client);
          return met;
        }
      }
    } catch (IOException e) {
      stop.run(); // throws after an interrupt, which closes the selector's channels
      throw new CommandException("Couldn't listen to port " + address.getPort(), e);
    } finally {
      held.forEach(s -> close(s.channel));
      held.clear();
      report();
    }
  }

  private String where() {
    boolean all = address.getAddress().isAnyLocalAddress();
    String host = all ? "every address" : address.getAddress().getHostAddress();
    String reach = address.getAddress().isLoopbackAddress() ? ", for this host only" : "";
    return host + ", TCP port " + address.getPort() + reach;
  }

  private void hold(SocketChannel channel, int length, Selector selector) throws IOException {
    if (held.size() == HELD_MAX) {
      refuse(held.removeFirst(), Refusal.CROWDED);
    }
    channel.configureBlocking(false);
    channel.register(selector, SelectionKey.OP_READ);
    byte[] greeting = new byte[length];
    long until = System.nanoTime() + greetingNs;
    held.addLast(new Stranger(channel, greeting, ByteBuffer.wrap(greeting), until));
  }

  /**
   * Reads from all connections. {@return a peer that has sent the whole greeting; null if there is
   * none}
   */
  private @Nullable Stranger hear(Predicate<byte[]> form) {
    for (Iterator<Stranger> i = held.iterator(); i.hasNext(); ) {
      Stranger stranger = i.next();
      Refusal refusal = heard(stranger, form);
      if (refusal != null) {
        i.remove();
        refuse(stranger, refusal);
      } else if (!stranger.said.hasRemaining()) {
        return stranger;
      }
    }
    return null;
  }

  private static @Nullable Refusal heard(Stranger stranger, Predicate<byte[]> form) {
    try {
      int n = stranger.channel.read(stranger.said);
      if (!stranger.said.hasRemaining()) {
        return form.test(stranger.greeting) ? null : Refusal.GARBAGE;
      }
      if (n < 0) {
        return Refusal.LEFT;
      }
    } catch (IOException e) {
      return Refusal.LEFT; // the peer has reset the connection
    }
    return System.nanoTime() - stranger.untilNs > 0 ? Refusal.SLOW : null;
  }

  private static Met met(Stranger client, Selector selector) throws IOException {
    Objects.requireNonNull(client.channel.keyFor(selector)).cancel();
    selector.selectNow(); // deregisters the channel, which may block only afterwards
    client.channel.configureBlocking(true);
    Socket socket = client.channel.socket();
    socket.setTcpNoDelay(true);
    return new Met(socket, client.greeting);
  }

  /**
   * Refuses a connection. The first refusal for each reason is printed at once; all are counted.
   */
  private void refuse(Stranger stranger, Refusal why) {
    if (refused.merge(why, 1, Integer::sum) == 1) {
      Object from = stranger.channel.socket().getRemoteSocketAddress();
      err.println(program + ": refused a connection from " + from + ": " + why.text);
    }
    close(stranger.channel);
  }

  private void report() {
    if (!refused.isEmpty()) {
      String reasons =
          refused.entrySet().stream()
              .map(e -> e.getValue() + " " + e.getKey().text)
              .collect(Collectors.joining(", "));
      err.println(program + ": refused connections: " + reasons);
    }
  }

  private void close(SocketChannel channel) {
    try {
      channel.close();
    } catch (IOException e) {
      err.println(program + ": cannot close a connection: " + e.getMessage());
    }
  }
}
