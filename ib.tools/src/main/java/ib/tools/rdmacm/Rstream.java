package ib.tools.rdmacm;

import ib.cm.CmClient;
import ib.cm.rdma.RdmaCm;
import ib.cm.stream.RdmaStream;
import ib.cm.stream.RdmaStreamListener;
import ib.cm.stream.StreamOptions;
import ib.core.client.IbCore;
import ib.tools.getopt.CommandException;
import java.io.EOFException;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
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
    Rstream run = new Rstream(options, out);
    PROGRAM.run(
        core,
        manager,
        cm -> {
          if (options.sockets()) {
            run.sockets(err);
          } else {
            run.streams(cm, err);
          }
        });
  }

  private void streams(RdmaCm cm, PrintStream err) throws IOException {
    StreamOptions defaults = StreamOptions.defaults();
    int bytes = options.buffers();
    StreamOptions sizes = bytes == 0 ? defaults : defaults.buffers(bytes, bytes);
    if (!options.server()) {
      all(() -> RdmaStream.connect(cm, options.address(), sizes));
      return;
    }
    try (RdmaStreamListener listener = RdmaStreamListener.listen(cm, options.address(), 0, sizes)) {
      PROGRAM.sayListening(err, listener.localAddress());
      all(listener::accept);
    }
  }

  private void sockets(PrintStream err) throws IOException {
    if (!options.server()) {
      all(() -> noDelay(SocketChannel.open(options.address())));
      return;
    }
    try (ServerSocketChannel listener = ServerSocketChannel.open()) {
      listener.setOption(StandardSocketOptions.SO_REUSEADDR, true);
      listener.bind(options.address());
      PROGRAM.sayListening(err, (InetSocketAddress) listener.getLocalAddress());
      all(() -> noDelay(listener.accept()));
    }
  }

  private void all(StreamTest.Opener<ByteChannel> opener) throws IOException {
    StreamTest.all(options, out, opener, this::run);
  }

  private static SocketChannel noDelay(SocketChannel channel) throws IOException {
    return channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
  }

  // ---- the tests ----

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
        StreamTest.verify(PROGRAM, data.get(), heard++);
      }
    }
  }
}
