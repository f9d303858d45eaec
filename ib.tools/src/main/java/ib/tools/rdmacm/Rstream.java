package ib.tools.rdmacm;

import ib.cm.CmClient;
import ib.cm.rdma.RdmaCm;
import ib.cm.stream.RdmaStream;
import ib.cm.stream.RdmaStreamListener;
import ib.cm.stream.StreamOptions;
import ib.core.client.IbCore;
import ib.core.verbs.IbException;
import ib.tools.getopt.CommandException;
import java.io.EOFException;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/**
 * {@code rstream}: sends messages there and back over a stream, or over TCP for comparison, and
 * prints latency and bandwidth; here or with librdmacm's program at the other end.
 */
public final class Rstream {
  static final Program PROGRAM = new Program("rstream");

  private final RstreamOptions options;
  private final PrintStream out;
  private byte sent; // the next byte of either direction, when data are verified
  private byte heard;

  private Rstream(RstreamOptions options, PrintStream out) {
    this.options = options;
    this.out = out;
  }

  /** Opens connections of one kind. */
  private interface Opener extends AutoCloseable {
    ByteChannel open() throws IOException;

    @Override
    void close() throws IOException;
  }

  /**
   * Runs the command.
   *
   * @param core the midlayer
   * @param manager its connection manager
   * @param out the table is printed here
   * @param err a server says here that it listens
   * @param args the original's options without {@code -f}, {@code -i} and {@code -k}; its tests
   *     {@code s}, {@code b} and {@code v}
   * @throws CommandException when an option is wrong, the connection cannot be made or fails, the
   *     data are wrong or the thread is interrupted
   */
  public static void run(
      IbCore core, CmClient manager, PrintStream out, PrintStream err, String... args) {
    RstreamOptions options = RstreamOptions.parse(PROGRAM, "sbv", args);
    String name = "rstream:" + Thread.currentThread().threadId();
    try (RdmaCm cm = RdmaCm.open(core, manager, name);
        Opener opener = options.sockets() ? sockets(options, err) : streams(cm, options, err)) {
      new Rstream(options, out).all(opener);
    } catch (ClosedByInterruptException e) {
      throw PROGRAM.interrupted();
    } catch (IOException | IbException e) {
      throw new CommandException("rstream: " + e.getMessage());
    }
  }

  private static Opener streams(RdmaCm cm, RstreamOptions options, PrintStream err)
      throws IOException {
    StreamOptions defaults = StreamOptions.defaults();
    int bytes = options.buffers();
    StreamOptions sizes = bytes == 0 ? defaults : defaults.buffers(bytes, bytes);
    if (!options.server()) {
      return opener(() -> RdmaStream.connect(cm, options.address(), sizes), () -> {});
    }
    RdmaStreamListener listener = RdmaStreamListener.listen(cm, options.address(), 0, sizes);
    PROGRAM.sayListening(err, listener.localAddress());
    return opener(listener::accept, listener::close);
  }

  private static Opener sockets(RstreamOptions options, PrintStream err) throws IOException {
    if (!options.server()) {
      return opener(() -> noDelay(SocketChannel.open(options.address())), () -> {});
    }
    ServerSocketChannel listener = ServerSocketChannel.open();
    listener.setOption(StandardSocketOptions.SO_REUSEADDR, true);
    listener.bind(options.address());
    PROGRAM.sayListening(err, (InetSocketAddress) listener.getLocalAddress());
    return opener(() -> noDelay(listener.accept()), listener::close);
  }

  private static SocketChannel noDelay(SocketChannel channel) throws IOException {
    return channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
  }

  /** Makes a connection. */
  @FunctionalInterface
  private interface Make {
    ByteChannel make() throws IOException;
  }

  /** Ends all. */
  @FunctionalInterface
  private interface End {
    void end() throws IOException;
  }

  private static Opener opener(Make make, End end) {
    return new Opener() {
      @Override
      public ByteChannel open() throws IOException {
        return make.make();
      }

      @Override
      public void close() throws IOException {
        end.end();
      }
    };
  }

  // ---- the tests ----

  private void all(Opener opener) throws IOException {
    if (options.custom()) {
      try (ByteChannel channel = opener.open()) {
        out.println(StreamTest.HEAD);
        run(channel, StreamTest.custom(options));
      }
      return;
    }
    try (ByteChannel channel = opener.open()) { // one connection for latency
      out.println(StreamTest.HEAD);
      for (StreamTest test : StreamTest.latencies(options)) {
        run(channel, test);
      }
    }
    try (ByteChannel channel = opener.open()) { // and one for bandwidth
      for (StreamTest test : StreamTest.bandwidths(options)) {
        run(channel, test);
      }
    }
  }

  private void run(ByteChannel channel, StreamTest test) throws IOException {
    ByteBuffer buffer = ByteBuffer.allocateDirect(Math.max(StreamTest.HELLO, test.size()));
    boolean client = !options.server();
    hello(channel, buffer, test, client);
    long begun = System.nanoTime();
    for (int i = 0; i < test.iterations(); i++) {
      both(channel, buffer, test.size(), test.transfers(), client);
    }
    out.print(test.line(System.nanoTime() - begun)); // in one piece, beside the other end's
  }

  /** Bytes go there and back before a test, and say which it is, unless data are verified. */
  private void hello(ByteChannel channel, ByteBuffer buffer, StreamTest test, boolean first)
      throws IOException {
    ByteBuffer heard = ByteBuffer.allocateDirect(StreamTest.HELLO);
    for (int i = 0; i < 2; i++) {
      if (i == 0 == first) {
        send(channel, test.hello(buffer.clear()));
      } else {
        receive(channel, heard);
      }
    }
    test.check(PROGRAM, heard.clear());
  }

  /** Messages go there, and as many back. */
  private void both(ByteChannel channel, ByteBuffer buffer, int size, int count, boolean first)
      throws IOException {
    for (int i = 0; i < 2 * count; i++) {
      if (i < count == first) {
        send(channel, buffer.clear().limit(size));
      } else {
        receive(channel, buffer.clear().limit(size));
      }
    }
  }

  private void send(ByteChannel channel, ByteBuffer data) throws IOException {
    if (options.verify()) {
      while (data.hasRemaining()) {
        data.put(sent++);
      }
      data.flip();
    }
    while (data.hasRemaining()) {
      channel.write(data);
    }
  }

  private void receive(ByteChannel channel, ByteBuffer data) throws IOException {
    while (data.hasRemaining()) {
      if (channel.read(data) < 0) {
        throw new EOFException("the other side has closed the connection");
      }
    }
    if (options.verify()) {
      data.flip();
      while (data.hasRemaining()) {
        byte is = data.get();
        if (is != heard++) {
          throw new CommandException(
              "rstream: data verification failed: byte "
                  + is
                  + " instead of "
                  + (byte) (heard - 1));
        }
      }
    }
  }
}
