package ib.tools.rdmacm;

import ib.tools.getopt.Getopt;
import ib.tools.getopt.Parsed;
import ib.tools.output.Usage;
import java.net.InetSocketAddress;
import java.util.List;

/**
 * The options of a run.
 *
 * @param server whether this is the server
 * @param address to connect to, or to listen at
 * @param buffers bytes of the buffers each way; 0 for the defaults
 * @param iterations how often messages go there and back; 0 for the series
 * @param transfers messages of an iteration; 0 for the series
 * @param size bytes of a message; 0 for the series
 * @param all whether the series has all sizes
 * @param sockets whether TCP sockets carry the data
 * @param verify whether the data are compared
 */
record RstreamOptions(
    boolean server,
    InetSocketAddress address,
    int buffers,
    int iterations,
    int transfers,
    int size,
    boolean all,
    boolean sockets,
    boolean verify) {
  private static final int PORT = 7471;
  private static final List<String> TESTS = List.of("s", "sockets", "b", "blocking", "v", "verify");
  private static final int MAX_BYTES = 1 << 30;

  /**
   * Reads a command line.
   *
   * @param known first letters of the tests that the program has
   */
  static RstreamOptions parse(Program program, String known, String... args) {
    Getopt getopt =
        new Getopt(
            program.name(),
            Usage.of(program.name()),
            "s,server=",
            "b,bind=",
            "B,buffers=",
            "I,iterations=",
            "C,transfers=",
            "S,size=",
            "p,port=",
            "T,test=");
    Parsed line = getopt.parse(args).atMost(0);
    String to = line.last("server");
    String at = line.last("bind");
    if (to != null && at != null) {
      throw getopt.refusal("-b is for a server");
    }
    List<String> tests = line.all("test");
    for (String test : tests) {
      if (!TESTS.contains(test) || !known.contains(test.substring(0, 1))) {
        String all = String.join(", ", known.split(""));
        throw getopt.refusal("-T " + test + " is not supported: " + all);
      }
    }
    boolean all = "all".equals(line.last("size"));
    String host = to != null ? to : at != null ? at : "0.0.0.0";
    return new RstreamOptions(
        to == null,
        program.at(host, line, PORT),
        line.number("buffers", 0, 0, MAX_BYTES),
        line.number("iterations", 0, 0, Integer.MAX_VALUE),
        line.number("transfers", 0, 0, Integer.MAX_VALUE),
        all ? 0 : line.number("size", 0, 0, MAX_BYTES),
        all,
        has(tests, "s"),
        has(tests, "v"));
  }

  private static boolean has(List<String> tests, String letter) {
    return tests.stream().anyMatch(t -> t.startsWith(letter));
  }

  /** {@return whether one test runs, instead of the series} */
  boolean custom() {
    return iterations > 0 || transfers > 0 || size > 0;
  }
}
