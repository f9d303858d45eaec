package ib.ulp.ipoib;

import ib.core.verbs.IbInvalidException;
import ib.core.verbs.IbTimedOutException;
import ib.ulp.ipoib.link.LinkState;
import ib.ulp.ipoib.net.NetIf;
import ib.ulp.ipoib.wire.Ip;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;

/** What {@code ib:netif} does. */
final class NetifCommand {
  private static final String USAGE =
      """
      usage: ib:netif                        all interfaces
             ib:netif show NAME              one of them
             ib:netif stats|neigh|paths|groups NAME
             ib:netif add NAME PKEY          a child interface
             ib:netif del NAME.PKEY
             ib:netif addr NAME [ADDRESS/PREFIX]
             ib:netif ping NAME ADDRESS [COUNT]
      addr and ping are for stacks in this JVM; the kernel's have ip(8) and ping(8)\
      """;

  private static final long PATIENCE_NS = 1_000_000_000L;
  private static final int PING_BYTES = 56;
  private static final int PINGS_MOST = 100;

  private NetifCommand() {}

  static String run(Ipoib ipoib, String... args) {
    String what = args.length == 0 ? "list" : args[0];
    int most = what.equals("ping") ? 4 : what.equals("add") || what.equals("addr") ? 3 : 2;
    int least = what.equals("ping") || what.equals("add") ? 3 : 2;
    if (args.length > 0 && (args.length < least || args.length > most)) {
      return USAGE;
    }
    return switch (what) {
      case "list" -> list(ipoib.interfaces());
      case "show" -> show(find(ipoib, args[1]));
      case "stats" -> lines(find(ipoib, args[1]).statistics());
      case "neigh" -> lines(find(ipoib, args[1]).neighbours());
      case "paths" -> lines(find(ipoib, args[1]).paths());
      case "groups" -> lines(find(ipoib, args[1]).groups());
      case "add" -> ipoib.createChild(args[1], IpoibConfig.pkey("PKEY", args[2])).name();
      case "del" -> {
        ipoib.deleteChild(args[1]);
        yield args[1] + " is removed";
      }
      case "addr" -> addr(stack(find(ipoib, args[1])), args);
      case "ping" -> ping(stack(find(ipoib, args[1])), args);
      default -> USAGE;
    };
  }

  private static NetDevice find(Ipoib ipoib, String name) {
    return ipoib.interfaces().stream()
        .filter(each -> each.name().equals(name))
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

  private static String list(List<NetDevice> all) {
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
            state.carrier() ? "" : state.reason()
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

  /** In the form of {@code ip link}. */
  private static String show(NetDevice device) {
    LinkState state = device.state();
    String flags = state.carrier() ? "BROADCAST,MULTICAST,UP,LOWER_UP" : "BROADCAST,MULTICAST";
    return device.name()
        + ": <"
        + flags
        + "> mtu "
        + state.mtu()
        + " mode datagram speed "
        + state.bitsPerSecond() / 1_000_000
        + "Mb/s\n    link/infiniband "
        + state.address()
        + " brd "
        + state.broadcast()
        + (state.carrier() ? "" : "\n    " + state.reason());
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
    return String.join("\n", stack.addresses().stream().map(Ip::toString).toList());
  }

  private static String ping(NetIf stack, String... args) {
    Ip to = IpoibConfig.Net.parse(args[2]).address();
    int count = args.length < 4 ? 3 : Math.clamp(Integer.parseInt(args[3]), 1, PINGS_MOST);
    StringBuilder text = new StringBuilder();
    int received = 0;
    for (int i = 1; i <= count; i++) {
      try {
        double ms = stack.ping(to, PING_BYTES, PATIENCE_NS).get() / 1e6;
        received++;
        text.append(String.format("64 bytes from %s: icmp_seq=%d time=%.3f ms%n", to, i, ms));
      } catch (ExecutionException e) {
        text.append(String.format("icmp_seq=%d %s%n", i, String.valueOf(e.getCause())));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IbTimedOutException("ib:netif ping", "interrupted", "again");
      }
    }
    return text + String.format("%d packets transmitted, %d received", count, received);
  }
}
