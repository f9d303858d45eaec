package ib.tools.pingpong;

import ib.core.verbs.IbInvalidException;
import ib.core.verbs.Mtu;
import ib.tools.getopt.CommandException;
import ib.tools.getopt.Getopt;
import ib.tools.getopt.Parsed;
import ib.tools.output.Usage;
import ib.tools.run.WarmUp;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a run, from the command line.
 *
 * @param kind the program
 * @param devices empty for the first device; one device; or two devices for both ends in this
 *     runtime
 * @param host the server; null if this end is the server
 * @param port TCP port of the exchange
 * @param bind address to listen on; null for the default
 * @param ibPort port of the device, from 1
 * @param size message size in bytes
 * @param mtu path MTU
 * @param queuePairs number of queue pairs; 1 unless SRQ
 * @param rxDepth number of receives to keep posted
 * @param iters number of exchanges
 * @param sl service level
 * @param gidIndex index into the GID table; -1 to use LIDs
 * @param modes switches
 */
record Settings(
    Kind kind,
    List<String> devices,
    @Nullable String host,
    int port,
    @Nullable String bind,
    int ibPort,
    int size,
    Mtu mtu,
    int queuePairs,
    int rxDepth,
    int iters,
    int sl,
    int gidIndex,
    Modes modes) {
  private static final String[] COMMON = {
    "p,port=",
    "d,ib-dev=",
    "i,ib-port=",
    "s,size=",
    "r,rx-depth=",
    "n,iters=",
    "l,sl=",
    "e,events",
    "g,gid-idx=",
    "c,chk",
    ",bind=",
    ",no-warmup",
    ",json"
  };
  private static final String[] RC_ONLY = {
    "o,odp", "O,iodp", "P,prefetch", "t,ts", "j,dm", "N,new_send"
  };
  private static final int SIZE_MAX = 1 << 30;
  private static final int WARM_QPS = 16;
  private static final int WARM_RECEIVES = 500;

  /**
   * The switches of a run.
   *
   * @param events whether to sleep until completion events instead of polling
   * @param check whether to validate the data
   * @param timestamps whether to read the completions' timestamps
   * @param newPost whether to post with the builder
   * @param odp whether to use on-demand paging
   * @param deviceMemory whether to use memory of the device
   * @param warmUp whether to warm up before the run
   * @param json whether to print JSON
   */
  record Modes(
      boolean events,
      boolean check,
      boolean timestamps,
      boolean newPost,
      boolean odp,
      boolean deviceMemory,
      boolean warmUp,
      boolean json) {
    /** {@return the switches of a warm-up, whose data are not checked} */
    Modes untimed() {
      return new Modes(events, false, timestamps, newPost, odp, deviceMemory, false, json);
    }
  }

  /** {@return the command's name} */
  String program() {
    return kind.program();
  }

  /** {@return whether both ends run in this runtime} */
  boolean bothEnds() {
    return devices.size() == 2;
  }

  /** {@return the settings of the warm-up, which sends messages through the same code} */
  Settings untimed() {
    return new Settings(
        kind,
        devices,
        null,
        port,
        null,
        ibPort,
        Math.min(size, WarmUp.MAX_BYTES),
        mtu,
        Math.min(queuePairs, WARM_QPS),
        Math.min(rxDepth, WARM_RECEIVES),
        WarmUp.MESSAGES,
        sl,
        gidIndex,
        modes.untimed());
  }

  static Settings parse(Kind kind, Predicate<String> isDevice, String... args) {
    String program = kind.program();
    Getopt getopt = new Getopt(program, Usage.of(program), options(kind));
    Parsed line = getopt.parse(args).atMost(1);
    List<String> devices = new ArrayList<>(line.all("ib-dev"));
    String host = line.operands().isEmpty() ? null : line.operands().getFirst();
    if (host != null && isDevice.test(host)) { // an extension: a device in place of the host
      if (devices.isEmpty()) {
        throw new CommandException(
            program + ": which device is the other end? Use -d <dev> " + host);
      }
      devices.add(host);
      host = null;
    }
    if (devices.size() > 2 || (devices.size() == 2 && host != null)) {
      throw getopt.refusal("two devices at most, or one and a host");
    }
    int queuePairs = line.number("num-qp", kind == Kind.SRQ ? 16 : 1, 1, kind.records());
    int rxDepth = line.number("rx-depth", 500, 1, Integer.MAX_VALUE - kind.records());
    if (rxDepth < queuePairs) {
      throw new CommandException(
          "rx_depth "
              + rxDepth
              + " is too small for "
              + queuePairs
              + " QPs -- must have at least one receive per QP.");
    }
    return new Settings(
        kind,
        List.copyOf(devices),
        host,
        line.number("port", 18515, 0, 65535),
        line.last("bind"),
        line.number("ib-port", 1, 1, 255),
        line.number("size", kind == Kind.UD ? 1024 : 4096, 0, SIZE_MAX),
        mtu(getopt, line.number("mtu", 1024, 0, Integer.MAX_VALUE)),
        queuePairs,
        rxDepth,
        line.number("iters", 1000, 1, Integer.MAX_VALUE),
        line.number("sl", 0, 0, 15),
        line.number("gid-idx", -1, -1, 0xffff),
        modes(line));
  }

  private static String[] options(Kind kind) {
    List<String> options = new ArrayList<>(List.of(COMMON));
    if (kind != Kind.UD) {
      options.add("m,mtu=");
    }
    if (kind == Kind.RC) {
      options.addAll(List.of(RC_ONLY));
    }
    if (kind == Kind.SRQ) {
      options.addAll(List.of("q,num-qp=", "o,odp"));
    }
    return options.toArray(String[]::new);
  }

  private static Mtu mtu(Getopt getopt, int bytes) {
    try {
      return Mtu.ofBytes(bytes);
    } catch (IbInvalidException e) {
      CommandException refusal = getopt.refusal("there is no MTU of " + bytes + " bytes");
      refusal.initCause(e);
      throw refusal;
    }
  }

  private static Modes modes(Parsed line) {
    boolean odp = line.has("odp") || line.has("iodp");
    if (odp && line.has("dm")) {
      throw new CommandException("DM memory region can't be on demand");
    }
    if (line.has("prefetch") && !odp) {
      throw new CommandException("prefetch is valid only with on-demand memory region");
    }
    return new Modes(
        line.has("events"),
        line.has("chk"),
        line.has("ts"),
        line.has("new_send"),
        odp,
        line.has("dm"),
        !line.has("no-warmup"),
        line.has("json"));
  }
}
