package ib.tools.rdmacm;

import ib.tools.getopt.CommandException;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channel;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

/**
 * A test of rstream or riostream, and its line in the table.
 *
 * @param name first word of its line
 * @param size bytes of a message
 * @param transfers messages each way, of an iteration
 * @param iterations how often
 */
record StreamTest(String name, int size, int transfers, int iterations) {
  static final String HEAD =
      "name      bytes   xfers   iters   total       time     Gb/sec    usec/xfer";

  /** Bytes that both sides send before each test; the original does not look at their values. */
  static final int HELLO = 16;

  private static final int MARK = 0x69627273; // begins a hello of ours
  private static final int DEFAULT = 1000; // messages and iterations of a test with one option
  private static final int KIB = 1024;
  private static final int[] SOME = {64, 4096, 1 << 16, 1 << 20}; // without -S all

  /** Opens a stream. */
  @FunctionalInterface
  interface Opener<C> {
    C open() throws IOException;
  }

  /** Runs a test over a stream. */
  @FunctionalInterface
  interface Run<C> {
    void run(C stream, StreamTest test) throws IOException;
  }

  /** Runs the tests that the options name; each series has a stream of its own. */
  static <C extends Channel> void all(
      RstreamOptions options, PrintStream out, Opener<C> opener, Run<C> run) throws IOException {
    List<List<StreamTest>> all =
        options.custom()
            ? List.of(List.of(custom(options)))
            : List.of(latencies(options), bandwidths(options));
    String head = HEAD + System.lineSeparator();
    for (List<StreamTest> series : all) {
      try (C stream = opener.open()) {
        out.print(head);
        head = "";
        for (StreamTest test : series) {
          run.run(stream, test);
        }
      }
    }
  }

  /** Refuses a byte that is not the one that was sent. */
  static void verify(Program program, byte is, byte wanted) {
    if (is != wanted) {
      throw new CommandException(
          program.name() + ": data verification failed: byte " + is + " instead of " + wanted);
    }
  }

  /** {@return the one test that the options ask for} */
  private static StreamTest custom(RstreamOptions options) {
    int size = options.size() == 0 ? DEFAULT : options.size();
    int transfers = options.transfers() == 0 ? DEFAULT : options.transfers();
    int iterations = options.iterations() == 0 ? DEFAULT : options.iterations();
    return new StreamTest("custom", size, transfers, iterations);
  }

  /** {@return the tests of latency} */
  private static List<StreamTest> latencies(RstreamOptions options) {
    return sizes(options)
        .mapToObj(size -> new StreamTest(size(size) + "_lat", size, 1, times(size)))
        .toList();
  }

  /** {@return the tests of bandwidth} */
  private static List<StreamTest> bandwidths(RstreamOptions options) {
    return sizes(options)
        .mapToObj(size -> new StreamTest(size(size) + "_bw", size, times(size), 1))
        .toList();
  }

  private static IntStream sizes(RstreamOptions options) {
    return options.all() ? every() : Arrays.stream(SOME);
  }

  /** {@return 64, 128, 192, 256, 384 ... 4 MiB and 6 MiB} */
  private static IntStream every() {
    return IntStream.iterate(64, n -> n <= 4 << 20, n -> 2 * n)
        .flatMap(n -> IntStream.of(n, n + n / 2))
        .filter(n -> n != 96); // the original has none
  }

  private static int times(int size) {
    if (size < KIB) {
      return 100_000;
    } else if (size < 1 << 16) {
      return 10_000;
    }
    return size < 1 << 20 ? 1_000 : 100;
  }

  /** Writes which test it is; {@return the buffer, to be sent} */
  ByteBuffer hello(ByteBuffer into) {
    return into.putInt(MARK).putInt(size).putInt(transfers).putInt(iterations).flip();
  }

  /**
   * Compares with the other side's test, where it says so: else both wait for each other for ever.
   *
   * @param program who says so
   * @param heard its hello
   * @throws CommandException when it runs another test
   */
  void check(Program program, ByteBuffer heard) {
    if (heard.getInt() != MARK) {
      return;
    }
    StreamTest other = new StreamTest(name, heard.getInt(), heard.getInt(), heard.getInt());
    if (!other.equals(this)) {
      throw new CommandException(
          program.name()
              + ": the other side runs "
              + other.words()
              + ", this one "
              + words()
              + ". Try: the same -S, -C and -I at both ends");
    }
  }

  private String words() {
    return size + " B x " + transfers + " x " + iterations;
  }

  /** {@return the line of the table} */
  String line(long ns) {
    long bytes = 2L * size * transfers * iterations;
    double us = ns / 1e3;
    return String.format(
        Locale.ROOT,
        "%-10s%-8s%-8s%-8s%-8s%8.2fs%10.2f%11.2f%n",
        name,
        size(size),
        count(transfers),
        count(iterations),
        size(bytes),
        ns / 1e9,
        bytes * 8 / (1000 * us),
        us / iterations / transfers / 2);
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
