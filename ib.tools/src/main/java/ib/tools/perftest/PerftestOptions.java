package ib.tools.perftest;

import ib.core.verbs.Mtu;
import ib.core.verbs.QpType;
import ib.core.verbs.WrOpcode;
import ib.tools.getopt.CommandException;
import ib.tools.getopt.Getopt;
import ib.tools.getopt.Parsed;
import ib.tools.perftest.Tool.Verb;
import ib.tools.run.WarmUp;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The options of a run, from the command line.
 *
 * @param tool the program
 * @param device device name; null for the first device
 * @param host the server; null if this end is the server
 * @param port TCP port of the exchange
 * @param bind address to listen on; null for the default
 * @param ibPort port of the device, from 1
 * @param type RC, UC or UD
 * @param opcode opcode of the requests
 * @param sizes message sizes to run, in bytes
 * @param sizeGiven whether the user chose the size
 * @param mtu path MTU; null for the port's
 * @param iters number of messages
 * @param queuePairs number of queue pairs
 * @param txDepth largest number of outstanding requests
 * @param rxDepth largest number of posted receives
 * @param cqMod number of requests per completion
 * @param outstanding largest number of outstanding reads or atomics
 * @param timeout n of the ACK timeout, 4.096 us * 2^n
 * @param sl service level
 * @param gidIndex index into the GID table; -1 for the default
 * @param events whether to sleep until completion events instead of polling
 * @param peak whether to compute the peak bandwidth
 * @param duplex whether both ends send
 * @param postList number of requests per post
 * @param inline largest message in bytes that is posted inline
 * @param seconds duration of the run, or the time between two lines of an endless run; 0: the run
 *     ends by the number of messages
 * @param forever whether to run until the command is interrupted
 * @param warmUp whether to warm up before the run
 * @param results which single results are printed
 * @param gbits whether bandwidths are printed in Gb per second, not MiB
 * @param cm what is connected by RDMA CM
 * @param notice text to print first; null for none
 */
record PerftestOptions(
    Tool tool,
    @Nullable String device,
    @Nullable String host,
    int port,
    @Nullable String bind,
    int ibPort,
    QpType type,
    WrOpcode opcode,
    List<Integer> sizes,
    boolean sizeGiven,
    @Nullable Mtu mtu,
    int iters,
    int queuePairs,
    int txDepth,
    int rxDepth,
    int cqMod,
    int outstanding,
    int timeout,
    int sl,
    int gidIndex,
    boolean events,
    boolean peak,
    boolean duplex,
    int postList,
    int inline,
    int seconds,
    boolean forever,
    boolean warmUp,
    Results results,
    boolean gbits,
    CmOptions cm,
    @Nullable String notice) {
  /** Which single results of a latency test are printed. */
  enum Results {
    /** None. */
    NONE,
    /** All that are counted, sorted. */
    SORTED,
    /** All, in their order in time. */
    UNSORTED
  }

  private static final String ITSELF = "itself"; // the host of an end whose server is here
  private static final int SIZE_MAX = 1 << 30;
  private static final int ALL_SIZES = 23;
  private static final int LARGE = 8192;
  private static final int PEAK_ITERS = 20_000;
  private static final String LIST_NOTICE =
      "Post List requested - CQ moderation will be the size of the post list";
  private static final int INFINITE_S = 5; // default time between two lines

  /**
   * Reads a command line.
   *
   * @return the options of this end, as the original's
   */
  static PerftestOptions parse(Tool tool, String... args) {
    return ends(tool, name -> false, args).getFirst();
  }

  /**
   * Reads a command line. A device as operand, or a second {@code -d}, asks for both ends here (an
   * extension).
   *
   * @param isDevice whether there is a device of that name
   * @return the options of the one end, or of the client and of the server
   */
  static List<PerftestOptions> ends(Tool tool, Predicate<String> isDevice, String... args) {
    Getopt getopt = new Getopt(tool.program(), OptionTable.text(tool), OptionTable.specs(tool));
    Parsed line = getopt.parse(args).atMost(1);
    List<String> devices = new ArrayList<>(line.all("ib-dev"));
    String host = line.operands().isEmpty() ? null : line.operands().getFirst();
    if (host != null && isDevice.test(host)) {
      if (devices.isEmpty()) {
        throw new CommandException(
            tool.program() + ": which device is the other end? Use -d <dev> " + host);
      }
      devices.add(host);
      host = null;
    }
    if (devices.size() > 2 || (devices.size() == 2 && host != null)) {
      throw getopt.refusal("two devices at most, or one and a host");
    }
    if (devices.size() == 2) {
      return List.of(
          of(tool, getopt, line, devices.getFirst(), ITSELF),
          of(tool, getopt, line, devices.getLast(), null));
    }
    return List.of(of(tool, getopt, line, devices.isEmpty() ? null : devices.getFirst(), host));
  }

  private static PerftestOptions of(
      Tool tool, Getopt getopt, Parsed line, @Nullable String device, @Nullable String host) {
    if (line.has("help")) {
      throw getopt.usage();
    }
    if (line.has("version")) {
      throw new CommandException("Version: " + Talk.VERSION);
    }
    List<Integer> sizes = sizes(tool, line);
    boolean forever = line.has("run_infinitely");
    int seconds = line.number("duration", forever ? INFINITE_S : 0, 1, 1_000_000);
    int iters = line.number("iters", tool == Tool.WRITE_BW ? 5000 : 1000, 5, 100_000_000);
    int depthMost = seconds > 0 ? Integer.MAX_VALUE : iters;
    int txDepth =
        tool.bandwidth() ? Math.min(depthMost, line.number("tx-depth", 128, 1, 1 << 15)) : 1;
    int postList = line.number("post_list", 1, 1, 1 << 15);
    int usual = sizes.getLast() > LARGE && sizes.size() == 1 ? 1 : 100;
    int cqMod = line.number("cq-mod", postList > 1 ? postList : usual, 1, 1024);
    PerftestOptions options =
        new PerftestOptions(
            tool,
            device,
            host,
            line.number("port", 18515, 0, 65535),
            line.last("bind_source_ip"),
            line.number("ib-port", 1, 1, 255),
            type(tool, getopt, line),
            opcode(tool, getopt, line),
            sizes,
            line.has("size"),
            line.has("mtu") ? mtu(getopt, line.number("mtu", 0, 256, 4096)) : null,
            iters,
            line.number("qp", 1, 1, 1024),
            txDepth,
            Math.min(depthMost, line.number("rx-depth", 512, 1, 1 << 15)),
            tool.bandwidth() ? Math.min(txDepth, cqMod) : 1,
            line.number("outs", 0, 1, 255),
            line.number("qp-timeout", 14, 0, 31),
            line.number("sl", 0, 0, 15),
            line.number("gid-index", -1, 0, 0xffff),
            line.has("events"),
            !line.has("noPeak") && iters <= PEAK_ITERS && seconds == 0,
            line.has("bidirectional"),
            postList,
            line.number("inline_size", 0, 0, 1 << 16),
            seconds,
            forever,
            !line.has("no-warmup"),
            results(line),
            line.has("report_gbits"),
            CmOptions.of(line, type(tool, getopt, line)),
            postList > 1 && !line.has("cq-mod") ? LIST_NOTICE : null);
    options.check();
    return options;
  }

  /**
   * {@return the options of the warm-up: one queue pair that is its own peer, with the same
   * requests} The end that sends first is the server for writes that watch memory, else the client.
   */
  PerftestOptions untimed() {
    int list = type == QpType.RC ? postList : 1;
    int messages = WarmUp.MESSAGES / list * list;
    return new PerftestOptions(
        tool,
        device,
        tool == Tool.WRITE_LAT ? null : ITSELF,
        port,
        null,
        ibPort,
        type,
        tool == Tool.WRITE_BW ? WrOpcode.RDMA_WRITE : opcode, // it posts no receives
        List.of(Math.min(sizeMax(), WarmUp.MAX_BYTES)),
        false,
        mtu,
        Math.max(messages, list),
        1,
        txDepth,
        rxDepth,
        cqMod,
        outstanding,
        timeout,
        sl,
        gidIndex,
        events,
        false,
        tool == Tool.SEND_BW,
        list,
        inline,
        0,
        false,
        false,
        Results.NONE,
        false,
        CmOptions.NONE,
        null);
  }

  private static Results results(Parsed line) {
    if (line.has("report-unsorted")) {
      return Results.UNSORTED;
    }
    return line.has("report-histogram") ? Results.SORTED : Results.NONE;
  }

  /** Refuses options that exclude each other, in perftest's words. */
  private void check() {
    refuse(forever && events, " run_infinitely does not support events feature yet.");
    refuse(
        forever && duplex && tool == Tool.SEND_BW,
        " run_infinitely mode is not supported in SEND Bidirectional BW test");
    refuse(seconds > 0 && events, "Duration mode doesn't work with events.");
    refuse(
        seconds > 0 && sizes.size() > 1,
        "Duration mode currently doesn't support running on all sizes.");
    if (postList > 1) {
      refuse(
          seconds == 0 && iters % postList != 0,
          "Number of iterations must be a multiple of post list size");
      refuse(postList > txDepth, "Post list size cannot be greater than TX depth");
      refuse(postList % cqMod != 0, "Post list size must be a multiple of CQ moderation");
    }
  }

  private static void refuse(boolean wrong, String why) {
    if (wrong) {
      throw new CommandException(why);
    }
  }

  private static List<Integer> sizes(Tool tool, Parsed line) {
    if (line.has("all")) {
      List<Integer> all = new ArrayList<>();
      for (int power = 1; power <= ALL_SIZES; power++) {
        all.add(1 << power);
      }
      return all;
    }
    if (tool.verb == Verb.ATOMIC) {
      return List.of(Long.BYTES);
    }
    return List.of(line.number("size", tool.bandwidth() ? 65536 : 2, 1, SIZE_MAX));
  }

  private static QpType type(Tool tool, Getopt getopt, Parsed line) {
    String name = line.last("connection");
    if (name == null) {
      return QpType.RC;
    }
    return tool.verb.types.stream()
        .filter(type -> type.name().equals(name))
        .findFirst()
        .orElseThrow(() -> getopt.refusal("no connection of type " + name + " here"));
  }

  private static WrOpcode opcode(Tool tool, Getopt getopt, Parsed line) {
    String name = line.last("atomic_type");
    return switch (tool.verb) {
      case SEND -> WrOpcode.SEND;
      case WRITE -> line.has("write_with_imm") ? WrOpcode.RDMA_WRITE_WITH_IMM : WrOpcode.RDMA_WRITE;
      case READ -> WrOpcode.RDMA_READ;
      case ATOMIC -> {
        if (name == null || name.equals("FETCH_AND_ADD")) {
          yield WrOpcode.ATOMIC_FETCH_AND_ADD;
        }
        if (name.equals("CMP_AND_SWAP")) {
          yield WrOpcode.ATOMIC_CMP_AND_SWP;
        }
        throw getopt.refusal("there is no atomic operation " + name);
      }
    };
  }

  private static Mtu mtu(Getopt getopt, int bytes) {
    if (Integer.bitCount(bytes) != 1) {
      throw getopt.refusal("there is no MTU of " + bytes + " bytes");
    }
    return Mtu.ofBytes(bytes);
  }

  /** {@return whether messages take receives of the peer} */
  boolean receives() {
    return tool.verb == Verb.SEND || opcode == WrOpcode.RDMA_WRITE_WITH_IMM;
  }

  /** {@return whether this end is the server} */
  boolean server() {
    return host == null;
  }

  int sizeMax() {
    return sizes.getLast();
  }
}
