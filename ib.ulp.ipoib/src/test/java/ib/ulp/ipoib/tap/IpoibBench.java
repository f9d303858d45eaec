package ib.ulp.ipoib.tap;

import ib.ulp.ipoib.link.LinkConfig;
import ib.ulp.ipoib.testing.Lab;
import ib.ulp.ipoib.testing.Namespaces;
import ib.ulp.ipoib.wire.ChecksumBench;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * One TCP stream of iperf3, and pings, between two network namespaces: over IPoIB on the soft
 * fabric, a pair of veth with and without segmentation offload, and a bare pump between TUN
 * devices. Not a test: {@code bench/ipoib} runs it.
 */
final class IpoibBench {
  private static final Pattern SPEED = Pattern.compile("([0-9.]+) Mbits/sec +(?:\\d+ +)?receiver");
  private static final Pattern RTT = Pattern.compile("rtt min/avg/max/mdev = [0-9.]+/([0-9.]+)/");
  private static final Pattern SWITCHES = Pattern.compile("\\nvoluntary_ctxt_switches:\\s+(\\d+)");
  private static final int PINGS = 200;
  private static final long SIOCETHTOOL = 0x8946;
  private static final int ETHTOOL_STSO = 0x1f;
  private static final int ETHTOOL_SGSO = 0x24;
  private static final String UD = "IPoIB, datagram mode, MTU 2044";
  private static final String CM = "IPoIB, connected mode, MTU 65520";
  private static final String PUMP = "TUN pump, MTU 2044";
  private static final String VETH = "veth, MTU 2044";
  private static final String PLAIN = "veth, MTU 2044, no segmentation offload";

  private final Namespaces namespaces = new Namespaces();
  private final String left = namespaces.add();
  private final String right = namespaces.add();
  private final Map<String, String> ways = new LinkedHashMap<>(); // name to the right's address
  private final Map<String, List<Double>> speeds = new LinkedHashMap<>();
  private final Map<String, List<Double>> times = new LinkedHashMap<>();
  private final Map<String, List<Double>> switches = new LinkedHashMap<>();

  private IpoibBench() {}

  /**
   * Runs it.
   *
   * @param args a file for the report; rounds; seconds of each stream
   */
  public static void main(String[] args) throws Exception {
    Path report = Path.of(args[0]);
    new IpoibBench().run(report, Integer.parseInt(args[1]), Integer.parseInt(args[2]));
  }

  private void run(Path report, int rounds, int seconds) throws IOException {
    long pid = ProcessHandle.current().pid() % 100_000;
    LinkConfig config = new LinkConfig(0, 512, 2048, 0);
    try (namespaces;
        TunPump pump = new TunPump("pa" + pid, "pb" + pid);
        Lab datagram = new Lab(2, config, name -> TapBackend.open(name + "u" + pid));
        Lab connected =
            new Lab(2, config.withConnected(true), name -> TapBackend.open(name + "c" + pid))) {
      for (Lab lab : List.of(datagram, connected)) {
        lab.up("ib0");
        lab.up("ib1");
      }
      way(UD, 1, "ib0u" + pid, "ib1u" + pid);
      way(CM, 5, "ib0c" + pid, "ib1c" + pid);
      way(PUMP, 2, pump.name(0), pump.name(1));
      veth(VETH, 3, "va" + pid, "vb" + pid, true);
      veth(PLAIN, 4, "wa" + pid, "wb" + pid, false);
      for (int i = -1; i < rounds; i++) { // the first warms up
        for (Map.Entry<String, String> way : ways.entrySet()) {
          measure(way.getKey(), way.getValue(), i < 0 ? 1 : seconds, i >= 0);
        }
      }
      Files.writeString(report, table() + "\n" + ChecksumBench.line());
    }
  }

  private void way(String name, int net, String a, String b) {
    namespaces.move(a, left, "10.98." + net + ".1/24");
    namespaces.move(b, right, "10.98." + net + ".2/24");
    ways.put(name, "10.98." + net + ".2");
  }

  private void veth(String name, int net, String a, String b, boolean offload) throws IOException {
    Namespaces.run("ip", "link", "add", a, "mtu", "2044", "type", "veth", "peer", "name", b);
    Namespaces.run("ip", "link", "set", b, "mtu", "2044");
    if (!offload) {
      whole(a);
      whole(b);
    }
    way(name, net, a, b);
  }

  /** As {@code ethtool -K} does with tso off gso off: the kernel's stack cuts for itself. */
  private static void whole(String device) throws IOException {
    Libc libc = Libc.find();
    int socket = libc.datagramSocket();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment value = arena.allocate(8, 8);
      MemorySegment request = arena.allocate(40, 8);
      request.setString(0, device);
      request.set(ValueLayout.JAVA_LONG, 16, value.address());
      for (int command : new int[] {ETHTOOL_STSO, ETHTOOL_SGSO}) {
        value.set(ValueLayout.JAVA_INT, 0, command);
        if (libc.ioctl(socket, SIOCETHTOOL, request.address()) != 0) {
          throw libc.failure(device);
        }
      }
    } finally {
      libc.close(socket);
    }
  }

  /** {@return how often the threads of this process have gone to sleep} */
  private static long switches() throws IOException {
    try (Stream<Path> tasks = Files.list(Path.of("/proc/self/task"))) {
      return tasks.mapToLong(task -> switches(task.resolve("status"))).sum();
    }
  }

  private static long switches(Path status) {
    try {
      Matcher m = SWITCHES.matcher(Files.readString(status));
      return m.find() ? Long.parseLong(m.group(1)) : 0;
    } catch (IOException e) {
      return 0; // the thread has ended
    }
  }

  private void measure(String name, String to, int seconds, boolean counts) throws IOException {
    long before = switches();
    String pinged = namespaces.in(left, "ping", "-n", "-q", "-c", "" + PINGS, "-i", "0.005", to);
    double slept = (double) (switches() - before) / PINGS;
    Process server = namespaces.startIn(right, "iperf3", "-s", "-1", "-B", to);
    Lab.await(() -> namespaces.in(right, "ss", "-ltn").contains(to + ":5201"), "the server");
    String sent = namespaces.in(left, "iperf3", "-c", to, "-f", "m", "-t", "" + seconds);
    Namespaces.output(server);
    if (counts) {
      times.computeIfAbsent(name, k -> new ArrayList<>()).add(1000 * number(RTT, pinged));
      switches.computeIfAbsent(name, k -> new ArrayList<>()).add(slept);
      speeds.computeIfAbsent(name, k -> new ArrayList<>()).add(number(SPEED, sent) / 1000);
    }
  }

  private static double number(Pattern pattern, String text) {
    Matcher m = pattern.matcher(text);
    if (!m.find()) {
      throw new AssertionError(text);
    }
    return Double.parseDouble(m.group(1));
  }

  private String table() {
    StringBuilder text = new StringBuilder();
    text.append(
        "| | TCP, Gb/s | of veth | round trip, us | of the pump | sleeps a round trip |\n"
            + "|---|---|---|---|---|---|\n");
    for (String name : ways.keySet()) {
      text.append(
          String.format(
              Locale.ROOT,
              "| %s | %s | %s | %s | %s | %s |%n",
              name,
              spread(speeds.get(name), null, "%.2f"),
              spread(speeds.get(name), speeds.get(VETH), "%.2f"),
              spread(times.get(name), null, "%.0f"),
              spread(times.get(name), times.get(PUMP), "%.2f"),
              spread(switches.get(name), null, "%.1f")));
    }
    return text.toString();
  }

  /** Median, least and most, of figures or of their ratios round by round. */
  private static String spread(List<Double> of, List<Double> to, String form) {
    double[] all = new double[of.size()];
    for (int i = 0; i < all.length; i++) {
      all[i] = to == null ? of.get(i) : of.get(i) / to.get(i);
    }
    Arrays.sort(all);
    String text = form + " (" + form + " to " + form + ")";
    return String.format(Locale.ROOT, text, all[all.length / 2], all[0], all[all.length - 1]);
  }
}
