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
import java.util.Locale;

/**
 * {@code rstream}: sends messages there and back over a stream, or over TCP for comparison, and
 * prints latency and bandwidth; here or with librdmacm's program at the other end.
 */
public final class Rstream {
  static final Program PROGRAM = new Program("rstream");
  private static final int HELLO = 16; // bytes that both sides send before each test
  private static final int DEFAULT = 1000; // messages and iterations of a test with one option
  private static final int KIB = 1024;
  private static final String HEAD =
      "name      bytes   xfers   iters   total       time     Gb/sec    usec/xfer";

  /** The sizes of the series without -S all. */
  private static final int[] SOME = {64, 4096, 1 << 16, 1 << 20};

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
    RstreamOptions options = RstreamOptions.parse(args);
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

  /** A test: as many messages of a size, as often. */
  private record Test(String name, int size, int transfers, int iterations) {}

  private void all(Opener opener) throws IOException {
    if (options.custom()) {
      try (ByteChannel channel = opener.open()) {
        out.println(HEAD);
        run(channel, custom());
      }
      return;
    }
    int[] sizes = options.all() ? every() : SOME;
    try (ByteChannel channel = opener.open()) { // one connection for latency
      out.println(HEAD);
      for (int size : sizes) {
        run(channel, new Test(size(size) + "_lat", size, 1, times(size)));
      }
    }
    try (ByteChannel channel = opener.open()) { // and one for bandwidth
      for (int size : sizes) {
        run(channel, new Test(size(size) + "_bw", size, times(size), 1));
      }
    }
  }

  private Test custom() {
    int size = options.size() == 0 ? DEFAULT : options.size();
    int transfers = options.transfers() == 0 ? DEFAULT : options.transfers();
    int iterations = options.iterations() == 0 ? DEFAULT : options.iterations();
    return new Test("custom", size, transfers, iterations);
  }

  /** {@return 64, 128, 192, 256, 384 ... 4 MiB and 6 MiB} */
  private static int[] every() {
    return java.util.stream.IntStream.iterate(64, n -> n <= 4 << 20, n -> 2 * n)
        .flatMap(n -> java.util.stream.IntStream.of(n, n + n / 2))
        .filter(n -> n != 96) // the original has none
        .toArray();
  }

  private static int times(int size) {
    if (size < KIB) {
      return 100_000;
    } else if (size < 1 << 16) {
      return 10_000;
    }
    return size < 1 << 20 ? 1_000 : 100;
  }

  private void run(ByteChannel channel, Test test) throws IOException {
    ByteBuffer buffer = ByteBuffer.allocateDirect(Math.max(HELLO, test.size));
    boolean client = !options.server();
    both(channel, buffer, HELLO, 1, client);
    long begun = System.nanoTime();
    for (int i = 0; i < test.iterations; i++) {
      both(channel, buffer, test.size, test.transfers, client);
    }
    print(test, System.nanoTime() - begun);
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

  // ---- the table ----

  private void print(Test test, long ns) {
    long bytes = 2L * test.size * test.transfers * test.iterations;
    double us = ns / 1e3;
    String line =
        String.format(
            Locale.ROOT,
            "%-10s%-8s%-8s%-8s%-8s%8.2fs%10.2f%11.2f%n",
            test.name,
            size(test.size),
            count(test.transfers),
            count(test.iterations),
            size(bytes),
            ns / 1e9,
            bytes * 8 / (1000 * us),
            us / test.iterations / test.transfers / 2);
    out.print(line); // in one piece, beside the other end's in one shell
  }

  /** {@return 1k, 1.5k or 12m: with a decimal below ten, cut off} */
  private static String size(long bytes) {
    long unit = 1;
    String letter = "";
    for (String next : new String[] {"k", "m", "g"}) {
      if (bytes < unit * KIB) {
        break;
      }
      unit *= KIB;
      letter = next;
    }
    long whole = bytes / unit;
    boolean cut = bytes % unit != 0 && whole < 10;
    return whole + (cut ? "." + bytes % unit * 10 / unit : "") + letter;
  }

  private static String count(int n) {
    if (n >= 1_000_000) {
      return n / 1_000_000 + "m";
    }
    return n >= 1_000 ? n / 1_000 + "k" : Integer.toString(n);
  }
}
