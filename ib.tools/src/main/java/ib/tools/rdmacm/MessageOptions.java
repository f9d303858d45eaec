package ib.tools.rdmacm;

import ib.cm.CmTerms;
import ib.cm.rdma.PortSpace;
import ib.cm.rdma.RdmaOptions;
import ib.tools.getopt.CommandException;
import ib.tools.getopt.Getopt;
import ib.tools.getopt.Parsed;
import ib.tools.output.Usage;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The options of a run of ucmatose, udaddy or mckey.
 *
 * @param server whether this is the server, or receives
 * @param address to connect to, or to listen at, or of the group
 * @param connections how many
 * @param count messages each way, on each connection
 * @param size bytes of a message
 * @param terms port space, own address, traffic class and ACK timeout
 */
record MessageOptions(
    boolean server,
    InetSocketAddress address,
    int connections,
    int count,
    int size,
    RdmaOptions terms) {
  private static final int MAX_CONNECTIONS = 1 << 16;
  private static final int MAX_COUNT = 16_384;
  private static final int MAX_BYTES = 1 << 26;
  private static final int COUNT = 10;
  private static final int BYTES = 100;

  /**
   * Reads the options of ucmatose.
   *
   * @throws CommandException when one is wrong
   */
  static MessageOptions ofConnections(Program program, String... args) {
    Getopt getopt = getopt("ucmatose", "p,port=", "a,ack-timeout=");
    Parsed line = getopt.parse(args).atMost(0);
    PortSpace space =
        switch (text(line.last("space"), "tcp")) {
          case "tcp" -> PortSpace.TCP;
          case "ib" -> PortSpace.IB;
          default -> throw getopt.refusal("-P " + line.last("space") + ": tcp or ib");
        };
    CmTerms usual = RdmaOptions.rc().terms();
    int ack = line.number("ack-timeout", usual.ackTimeout(), 0, 31);
    CmTerms terms =
        new CmTerms(5, ack, usual.responseTimeout(), usual.maxRetries(), usual.deadlineMs());
    RdmaOptions how = RdmaOptions.rc().space(space).terms(terms).rnrRetry(0);
    return of(program, getopt, line, 7471, how);
  }

  /**
   * Reads the options of udaddy.
   *
   * @throws CommandException when one is wrong
   */
  static MessageOptions ofDatagrams(Program program, String... args) {
    Getopt getopt = getopt("udaddy", "p,old-space=", "port=");
    Parsed line = getopt.parse(args).atMost(0);
    space(getopt, text(line.last("space"), text(line.last("old-space"), "udp")));
    return of(program, getopt, line, 7174, RdmaOptions.ud());
  }

  /**
   * Reads the options of mckey; the address is the group's.
   *
   * @throws CommandException when one is wrong
   */
  static MessageOptions ofGroup(Program program, String... args) {
    Getopt getopt =
        new Getopt(
            "mckey",
            Usage.of("mckey"),
            "m,group=",
            "s,sender",
            "b,bind=",
            "c,connections=",
            "C,count=",
            "S,size=",
            "p,space=");
    Parsed line = getopt.parse(args).atMost(0);
    space(getopt, text(line.last("space"), "udp"));
    String group = line.last("group");
    if (group == null) {
      throw getopt.refusal("-m, the address of the group, is needed");
    }
    return new MessageOptions(
        !line.has("sender"),
        new InetSocketAddress(program.address(group), 0),
        connections(line),
        count(line),
        size(line),
        program.from(RdmaOptions.ud(), line.last("bind")));
  }

  private static void space(Getopt getopt, String given) {
    if (!List.of("udp", "0x111", "273").contains(given)) {
      throw getopt.refusal("port space " + given + " is not supported: udp");
    }
  }

  private static int connections(Parsed line) {
    return line.number("connections", 1, 1, MAX_CONNECTIONS);
  }

  private static int count(Parsed line) {
    return line.number("count", COUNT, 0, MAX_COUNT);
  }

  private static int size(Parsed line) {
    return line.number("size", BYTES, 1, MAX_BYTES);
  }

  private static Getopt getopt(String name, String... more) {
    String[] common = {
      "s,server=",
      "b,bind=",
      "f,format=",
      "P,space=",
      "c,connections=",
      "C,count=",
      "S,size=",
      "t,tos="
    };
    String[] all = Arrays.copyOf(common, common.length + more.length);
    System.arraycopy(more, 0, all, common.length, more.length);
    return new Getopt(name, Usage.of(name), all);
  }

  private static String text(@Nullable String given, String absent) {
    return given == null ? absent : given;
  }

  private static MessageOptions of(
      Program program, Getopt getopt, Parsed line, int port, RdmaOptions how) {
    String format = text(line.last("format"), "name");
    if (!List.of("name", "ip", "ipv6").contains(format)) {
      throw getopt.refusal("-f " + format + " is not supported: name, ip or ipv6; a GID is ipv6");
    }
    String to = line.last("server");
    String from = line.last("bind");
    String host = to != null ? to : text(from, "0.0.0.0");
    RdmaOptions terms = how.trafficClass(line.number("tos", 0, 0, 255));
    return new MessageOptions(
        to == null,
        program.at(host, line, port),
        connections(line),
        count(line),
        size(line),
        to == null ? terms : program.from(terms, from));
  }

  /** {@return whether the run is one of datagrams} */
  boolean datagrams() {
    return terms.space().isDatagram();
  }
}
