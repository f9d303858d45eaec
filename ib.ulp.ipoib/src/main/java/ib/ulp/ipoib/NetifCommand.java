package ib.ulp.ipoib;

import ib.core.verbs.IbInvalidException;
import ib.core.verbs.IbTimedOutException;
import ib.ulp.ipoib.link.LinkState;
import ib.ulp.ipoib.net.NetIf;
import ib.ulp.ipoib.wire.Ip;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.BiFunction;

/** The shell command {@code ib:netif}. */
final class NetifCommand {
  private static final String USAGE =
      """
      usage: ib:netif                        all interfaces
             ib:netif show NAME              one of them
             ib:netif stats|neigh|paths|groups|connections NAME
             ib:netif mode NAME [datagram|connected]
             ib:netif add NAME PKEY [CHILD]  a child interface, CHILD or NAME.PKEY
             ib:netif del CHILD
             ib:netif addr NAME [ADDRESS/PREFIX]
             ib:netif ping NAME ADDRESS [COUNT [BYTES [SECONDS]]]
             ib:netif pmtu NAME ADDRESS      which lengths get through
      ping and pmtu end with exit status 1 when no answer comes
      addr, ping and pmtu are for stacks in this JVM; the kernel's have ip(8), ping(8) and tracepath(8)\
      """;

  private static final String UNCONFIGURED =
      """
      no interfaces: ib.ulp.ipoib is not configured, or its configuration is wrong (see the log).
      Copy conf/ib.ulp.ipoib.cfg.example to conf/ib.ulp.ipoib.cfg: each InfiniBand port has an interface then\
      """;

  private static final long PATIENCE_NS = 1_000_000_000L;
  private static final int PING_BYTES = 56;
  private static final int MAX_PINGS = 100;
  private static final int MAX_WAIT_S = 600;
  private static final int PROBES = 2;

  private NetifCommand() {}

  /** {@return the answer while the bundle is not configured} */
  static String unconfigured(String... args) {
    if (args.length > 0 && !args[0].equals("help")) {
      throw new Failed(UNCONFIGURED);
    }
    return args.length > 0 ? USAGE : UNCONFIGURED;
  }

  /** Fails the command with status 1; the shell prints the text alone. */
  private static final class Failed extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    Failed(String text) {
      super(text);
    }

    @Override
    @SuppressWarnings("OverrideThrowableToString")
    public String toString() {
      return String.valueOf(getMessage());
    }
  }

  /** Runs the command without hardware counters, so without the fabric's drops. */
  static String run(Ipoib ipoib, String... args) {
    return run(ipoib, (device, port) -> Map.of(), args);
  }

  /**
   * Runs the command; {@code counters} returns the hardware counters by device name and port
   * number.
   */
  static String run(
      Ipoib ipoib, BiFunction<String, Integer, Map<String, Long>> counters, String... args) {
    String what = args.length == 0 ? "list" : args[0];
    int most = Map.of("ping", 6, "add", 4, "addr", 3, "mode", 3, "pmtu", 3).getOrDefault(what, 2);
    int least =
        Map.of("list", 0, "help", 1, "addr", 2, "mode", 2).getOrDefault(what, Math.min(most, 3));
    if (args.length < least || args.length > most) {
      throw new Failed(USAGE);
    }
    return switch (what) {
      case "list" -> list(ipoib.interfaces(), counters);
      case "show" -> show(find(ipoib, args[1]), counters);
      case "stats" -> {
        NetDevice of = find(ipoib, args[1]);
        Map<String, Long> all = new LinkedHashMap<>(of.statistics());
        all.putAll(of.losses(counters));
        yield lines(all);
      }
      case "neigh" -> lines(find(ipoib, args[1]).neighbours());
      case "paths" -> lines(find(ipoib, args[1]).paths());
      case "groups" -> lines(find(ipoib, args[1]).groups());
      case "connections" -> lines(find(ipoib, args[1]).connections());
      case "mode" -> mode(find(ipoib, args[1]), args);
      case "add" -> add(ipoib, args).name();
      case "del" -> {
        ipoib.deleteChild(args[1]);
        yield args[1] + " is removed";
      }
      case "addr" -> addr(stack(find(ipoib, args[1])), args);
      case "ping" -> ping(stack(find(ipoib, args[1])), args);
      case "pmtu" -> pmtu(find(ipoib, args[1]), args[2]);
      case "help" -> USAGE;
      default -> throw new Failed(USAGE);
    };
  }

  private static String mode(NetDevice device, String... args) {
    if (args.length == 3) {
      device.connected(IpoibConfig.connected(args[2]));
    }
    return device.connected() ? "connected" : "datagram";
  }

  private static NetDevice add(Ipoib ipoib, String... args) {
    int pkey = IpoibConfig.pkey("PKEY", args[2]);
    return args.length == 3
        ? ipoib.createChild(args[1], pkey)
        : ipoib.createChild(args[1], pkey, args[3]);
  }

  private static NetDevice find(Ipoib ipoib, String name) {
    String canonical = Ipoib.canonical(name);
    return ipoib.interfaces().stream()
        .filter(each -> each.name().equals(canonical))
        .findFirst()
        .orElseThrow(() -> new IbInvalidException("ib:netif", "no interface " + name, "ib:netif"));
  }

  private static NetIf stack(NetDevice device) {
    if (device.host() instanceof NetIf stack) {
      return stack;
    }
    throw new IbInvalidException(
        "ib:netif", device.name() + " has its stack in the kernel", "ip(8) and ping(8)");
  }

  /** {@return a fault of the subnet that does not stop all packets, in words, or empty} */
  private static String warning(
      NetDevice of, BiFunction<String, Integer, Map<String, Long>> counters) {
    long refused =
        of.losses(counters).entrySet().stream()
            .filter(e -> e.getKey().startsWith("fabric_drop_partition"))
            .mapToLong(Map.Entry::getValue)
            .sum();
    return !of.warning().isEmpty() || refused == 0
        ? of.warning()
        : refused + " packets of its port were of a partition that a switch does not pass";
  }

  private static String list(
      List<NetDevice> all, BiFunction<String, Integer, Map<String, Long>> counters) {
    if (all.isEmpty()) {
      return "no interfaces: no device with an InfiniBand port is plugged (ibv_devices)";
    }
    List<String[]> rows = new ArrayList<>();
    rows.add(new String[] {"NAME", "DEVICE", "STATE", "MTU", "ADDRESS", "REASON"});
    for (NetDevice each : all) {
      LinkState state = each.state();
      rows.add(
          new String[] {
            each.name(),
            each.where(),
            state.carrier() ? "UP" : "DOWN",
            String.valueOf(state.mtu()),
            state.address().toString(),
            state.carrier() ? warning(each, counters) : state.reason()
          });
    }
    return columns(rows);
  }

  private static String columns(List<String[]> rows) {
    int[] widths = new int[rows.getFirst().length];
    for (String[] row : rows) {
      for (int i = 0; i < row.length; i++) {
        widths[i] = Math.max(widths[i], row[i].length());
      }
    }
    StringBuilder text = new StringBuilder();
    for (String[] row : rows) {
      StringBuilder line = new StringBuilder();
      for (int i = 0; i < row.length; i++) {
        line.append(row[i]).append(" ".repeat(widths[i] - row[i].length() + 2));
      }
      text.append(line.toString().stripTrailing()).append('\n');
    }
    return text.toString().stripTrailing();
  }

  /** {@return one interface in the form of {@code ip link}} */
  private static String show(
      NetDevice device, BiFunction<String, Integer, Map<String, Long>> counters) {
    LinkState state = device.state();
    String warning = warning(device, counters);
    String flags = state.carrier() ? "BROADCAST,MULTICAST,UP,LOWER_UP" : "BROADCAST,MULTICAST";
    return device.name()
        + ": <"
        + flags
        + "> mtu "
        + state.mtu()
        + (device.connected() ? " mode connected" : " mode datagram")
        + (device.config.umcast() ? " umcast 1 speed " : " umcast 0 speed ")
        + state.bitsPerSecond() / 1_000_000
        + "Mb/s\n    link/infiniband "
        + state.address()
        + " brd "
        + state.broadcast()
        + (state.carrier() ? "" : "\n    " + state.reason())
        + (warning.isEmpty() ? "" : "\n    warning: " + warning);
  }

  private static String lines(Map<String, ?> values) {
    List<String[]> rows = new ArrayList<>();
    values.forEach((name, value) -> rows.add(new String[] {name, value.toString()}));
    return rows.isEmpty() ? "none" : columns(rows);
  }

  private static String addr(NetIf stack, String... args) {
    if (args.length == 3) {
      IpoibConfig.Net net = IpoibConfig.Net.parse(args[2]);
      stack.address(net.address(), net.prefix());
      return net.address() + "/" + net.prefix();
    }
    return String.join("\n", stack.addressStates().join());
  }

  private static String ping(NetIf stack, String... args) {
    Ip to = IpoibConfig.Net.parse(args[2]).address();
    int count = args.length < 4 ? 3 : number("COUNT", args[3], 1, MAX_PINGS);
    int bytes = args.length < 5 ? PING_BYTES : number("BYTES", args[4], 0, 65_535);
    long patience = PATIENCE_NS * (args.length < 6 ? 1 : number("SECONDS", args[5], 1, MAX_WAIT_S));
    StringBuilder text = new StringBuilder();
    int received = 0;
    for (int i = 1; i <= count; i++) {
      try {
        double ms = await(stack.ping(to, bytes, patience)) / 1e6;
        received++;
        text.append(
            String.format("%d bytes from %s: icmp_seq=%d time=%.3f ms%n", bytes + 8, to, i, ms));
      } catch (ExecutionException e) {
        text.append(String.format("icmp_seq=%d %s%n", i, String.valueOf(e.getCause())));
      }
    }
    text.append(String.format("%d packets transmitted, %d received", count, received));
    if (received == 0) {
      throw new Failed(text.toString());
    }
    return text.toString();
  }

  private static int number(String what, String text, int least, int most) {
    try {
      return Math.clamp(Integer.parseInt(text), least, most);
    } catch (NumberFormatException e) {
      throw (IbInvalidException)
          new IbInvalidException("ib:netif", what + " is '" + text + "'", "a number").initCause(e);
    }
  }

  private static long await(CompletableFuture<Long> reply) throws ExecutionException {
    try {
      return reply.get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IbTimedOutException("ib:netif ping", "interrupted", "call again");
    }
  }

  /**
   * Searches for the longest packet that passes. If only short packets pass, the subnet is set up
   * wrongly.
   */
  private static String pmtu(NetDevice device, String address) {
    Ip to = IpoibConfig.Net.parse(address).address();
    NetIf stack = stack(device);
    int most = device.state().mtu();
    int headers = to.isV4() ? 28 : 48;
    int good = 0;
    int bad = most + 1;
    for (int length = most; bad - good > 1; length = good == 0 ? headers : (good + bad) / 2) {
      boolean through = passes(stack, to, length - headers);
      if (!through && length == headers) {
        throw new Failed(to + " does not answer");
      }
      good = through ? length : good;
      bad = through ? bad : length;
    }
    return good == most
        ? "all lengths up to the MTU of " + most + " pass"
        : "packets longer than "
            + good
            + " bytes are lost, the MTU is "
            + most
            + ": MTU of the path or of the broadcast group";
  }

  private static boolean passes(NetIf stack, Ip to, int bytes) {
    for (int i = 0; i < PROBES; i++) {
      try {
        await(stack.ping(to, bytes, PATIENCE_NS));
        return true;
      } catch (ExecutionException e) {
        if (!(e.getCause() instanceof IbTimedOutException)) {
          return false;
        }
      }
    }
    return false;
  }
}
