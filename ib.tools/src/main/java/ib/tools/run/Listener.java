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
 * Where a server waits for its client, which is the first to say a whole greeting of the right
 * form. Whoever says something else, nothing, or too little for too long is refused and counted by
 * reason, and the wait goes on: a stranger does not end it, nor keep the client out. What strangers
 * say is printed nowhere.
 *
 * <p>One thread calls in, the command's.
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

  /** Why a connection is not the client's. */
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

  /** Who has connected and may become the client. */
  private record Stranger(SocketChannel channel, byte[] greeting, ByteBuffer said, long untilNs) {}

  /**
   * The client.
   *
   * @param socket the connection, behind its greeting
   * @param greeting what it said
   */
  public record Met(Socket socket, byte[] greeting) {}

  /**
   * Says where a server will listen.
   *
   * @param program the server's name, for what is printed
   * @param bind the address that was asked for, or null
   * @param everywhere without one: whether its clients are other hosts; else this host only
   * @param port TCP port
   * @param err where the address is told, and what was refused
   * @throws CommandException when there is no such address
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
   * @param form whether a greeting has the right form
   * @param stop asked while waiting; throws to give up
   * @return the client; everybody else is closed
   * @throws CommandException when the port is taken
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
      stop.run(); // an interrupt closes the selector's channels
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

  /** Reads what has come; {@return who has said the whole greeting} */
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
      return Refusal.LEFT; // it has reset the connection
    }
    return System.nanoTime() - stranger.untilNs > 0 ? Refusal.SLOW : null;
  }

  private static Met met(Stranger client, Selector selector) throws IOException {
    Objects.requireNonNull(client.channel.keyFor(selector)).cancel();
    selector.selectNow(); // only now the key is gone
    client.channel.configureBlocking(true);
    Socket socket = client.channel.socket();
    socket.setTcpNoDelay(true);
    return new Met(socket, client.greeting);
  }

  /** The first of a kind is told at once; all are counted. */
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
