package ib.tools.rdmacm;

import ib.tools.getopt.CommandException;
import ib.tools.getopt.Getopt;
import ib.tools.getopt.Parsed;
import ib.tools.output.Usage;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * The options of a run.
 *
 * @param server whether this is the server
 * @param address to connect to, or to listen at
 * @param from source address of a client; null for any
 * @param size bytes of the data
 * @param count how often a client pings; 0 for ever
 * @param verbose whether to print the data
 * @param validate whether a client compares the data
 * @param persistent whether a server serves many clients
 * @param debug whether to print each step
 */
record RpingOptions(
    boolean server,
    InetSocketAddress address,
    @Nullable InetSocketAddress from,
    int size,
    int count,
    boolean verbose,
    boolean validate,
    boolean persistent,
    boolean debug) {
  static final int MIN_SIZE = 26; // for the text with the largest number
  static final int MAX_SIZE = 65_536;
  private static final int PORT = 7174;
  private static final int SIZE = 64;

  static RpingOptions parse(String... args) {
    Getopt getopt =
        new Getopt(
            "rping",
            Usage.of("rping"),
            "c,client",
            "s,server",
            "a,address=",
            "I,source=",
            "p,port=",
            "S,size=",
            "C,count=",
            "v,verbose",
            "V,validate",
            "d,debug",
            "q,self-created-qp",
            "P,persistent");
    Parsed line = getopt.parse(args).atMost(0);
    boolean server = line.has("server");
    if (server == line.has("client")) {
      throw new CommandException("must be either client or server\n" + Usage.of("rping"));
    }
    int size = line.number("size", SIZE, Integer.MIN_VALUE, Integer.MAX_VALUE);
    if (size < MIN_SIZE || size > MAX_SIZE - 1) {
      throw new CommandException(
          "Invalid size " + size + " (valid range is " + MIN_SIZE + " to " + MAX_SIZE + ")");
    }
    int count = line.number("count", 0, Integer.MIN_VALUE, Integer.MAX_VALUE);
    if (count < 0) {
      throw new CommandException("Invalid count " + count);
    }
    String to = line.last("address");
    if (to == null && !server) {
      throw getopt.refusal("a client needs -a, the address of the server");
    }
    String from = line.last("source");
    return new RpingOptions(
        server,
        Rping.PROGRAM.at(to == null ? "0.0.0.0" : to, line, PORT),
        from == null ? null : new InetSocketAddress(Rping.PROGRAM.address(from), 0),
        size,
        count,
        line.has("verbose"),
        line.has("validate"),
        line.has("persistent"),
        line.has("debug"));
  }
}
