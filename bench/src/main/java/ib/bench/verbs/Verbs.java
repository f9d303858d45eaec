package ib.bench.verbs;

import com.sun.management.ThreadMXBean;
import ib.bench.Machine;
import ib.core.client.DeviceLease;
import ib.core.spi.StandaloneFabric;
import ib.core.verbs.Gid;
import ib.core.verbs.IbDevice;
import java.io.IOException;
import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * {@code bench/verbs --device NAME [--rounds n] [--trips n] [--writes n] [--host address]}: the
 * round trip of 64 bytes beside {@code ibv_rc_pingpong}, a stream of 64 KiB beside {@code
 * ib_write_bw}, in turns, both ends on this host.
 */
public final class Verbs {
  private static final int SMALL = 64;
  private static final int LARGE = 65_536;
  private static final Pattern TRIP = Pattern.compile("= ([0-9.]+) usec/iter");
  private static final Pattern RATE =
      Pattern.compile("^\\s*65536\\s+\\d+\\s+[0-9.]+\\s+([0-9.]+)", Pattern.MULTILINE);
  private static final double MIB = 1 << 20;

  private final String device;
  private final int gidIndex;
  private final int trips;
  private final int writes;
  private final String host;

  private Verbs(String device, int gidIndex, int trips, int writes, String host) {
    this.host = host;
    this.device = device;
    this.gidIndex = gidIndex;
    this.trips = trips;
    this.writes = writes;
  }

  /**
   * Measures, and prints a table.
   *
   * @param args see above
   * @throws Exception when a program cannot be run, or a request fails
   */
  public static void main(String[] args) throws Exception {
    String device = option(args, "--device", "");
    if (device.isEmpty()) {
      System.err.println(
          "bench/verbs --device NAME [--rounds n] [--trips n] [--writes n] [--host address]");
      System.exit(2);
    }
    int rounds = Integer.parseInt(option(args, "--rounds", "5"));
    int trips = Integer.parseInt(option(args, "--trips", "100000"));
    int writes = Integer.parseInt(option(args, "--writes", "20000"));
    String host = option(args, "--host", "127.0.0.1"); // where the programs of C exchange addresses
    System.out.println(Machine.describe());
    try (StandaloneFabric fabric =
            StandaloneFabric.options("ib.driver.verbs").device(device, Map.of()).open();
        DeviceLease lease = fabric.core().lease(device, "bench");
        Ends ends = new Ends(lease.device())) {
      new Verbs(device, gidIndex(lease.device()), trips, writes, host).measure(ends, rounds);
    }
  }

  private static String option(String[] args, String name, String otherwise) {
    for (int i = 0; i + 1 < args.length; i++) {
      if (args[i].equals(name)) {
        return args[i + 1];
      }
    }
    return otherwise;
  }

  /** {@return the index of the first GID that is an IPv4 address, else of the first there is} */
  private static int gidIndex(IbDevice device) {
    int any = 0;
    for (int i = device.port(1).gidTableLen() - 1; i >= 0; i--) {
      Gid gid = device.gid(1, i);
      any =
          gid.equals(Gid.ZERO) || (device.gid(1, any).isIpv4Mapped() && !gid.isIpv4Mapped())
              ? any
              : i;
    }
    return any;
  }

  private void measure(Ends ends, int rounds) throws Exception {
    List<Double> ours = new ArrayList<>();
    List<Double> theirs = new ArrayList<>();
    List<Double> stream = new ArrayList<>();
    List<Double> perftest = new ArrayList<>();
    Player player = new Player(ends, trips);
    long warm = (long) player.warmUp() * trips;
    String warmed = player.warm() ? "" : " (ended before three batches in a row were stable)";
    double unused = ends.stream(LARGE, writes);
    long heap = heap();
    double alone = ends.stream(LARGE, writes);
    double garbage = (double) (heap() - heap) / writes;
    for (int i = 0; i < rounds; i++) {
      double us = player.play() / 1000;
      double c = c(TRIP, "ibv_rc_pingpong", "-d", device, "-g", gidIndex, "-s", SMALL, "-n", trips);
      if (player.stable()) {
        ours.add(us);
        theirs.add(c);
      }
      stream.add(ends.stream(LARGE, writes) * 1e9 / MIB);
      perftest.add(
          c(RATE, "ib_write_bw", "-d", device, "-x", gidIndex, "-s", LARGE, "-n", writes, "-F"));
    }
    row(
        "%d of %d rounds of round trips were stable: at most 5 %% of their time was compiled in",
        ours.size(), rounds);
    if (ours.isEmpty()) {
      return;
    }
    row("| | ib | beside it | ratio (each round's) | goal |");
    row("|---|---|---|---|---|");
    row(
        "| round trip of 64 B, us | %.2f | ibv_rc_pingpong %.2f | %s | at most 1.15 |",
        median(ours), median(theirs), ratios(ours, theirs));
    row(
        "| stream of 64 KiB, MiB/s | %.1f | ib_write_bw %.1f | %s | at least 0.95 |",
        median(stream), median(perftest), ratios(stream, perftest));
    row("| bytes of heap a WRITE | %.3f | | | 0 |", garbage);
    row(
        "warm-up %d round trips%s; stream %.1f, then %.1f MiB/s",
        warm, warmed, unused * 1e9 / MIB, alone * 1e9 / MIB);
  }

  /**
   * Plays ping-pong, and watches the compiler, which needs the processors that the ends spin on.
   */
  private static final class Player {
    private static final CompilationMXBean COMPILER = ManagementFactory.getCompilationMXBean();

    /** Most of its time that a stable batch may have been compiled in. */
    private static final double MAX_COMPILED = 0.05;

    private static final int STABLE_BATCHES = 3;
    private static final int MAX_BATCHES = 50;
    private static final int PAUSE_MS = 500;

    private final Ends ends;
    private final int trips;
    private int stableBatches;

    Player(Ends ends, int trips) {
      this.ends = ends;
      this.trips = trips;
    }

    /** Plays a batch, after a pause for the compiler; {@return nanoseconds of a round trip} */
    double play() throws InterruptedException {
      TimeUnit.MILLISECONDS.sleep(PAUSE_MS);
      long compiled = COMPILER.getTotalCompilationTime();
      double ns = ends.roundTrip(SMALL, trips);
      long ms = COMPILER.getTotalCompilationTime() - compiled;
      stableBatches = ms * 1e6 <= MAX_COMPILED * ns * trips ? stableBatches + 1 : 0;
      return ns;
    }

    /** {@return whether little was compiled while the last batch was played} */
    boolean stable() {
      return stableBatches > 0;
    }

    /** Plays until batches are stable, or there were many. {@return how many were played} */
    int warmUp() throws InterruptedException {
      int batches = 0;
      for (; !warm() && batches < MAX_BATCHES; batches++) {
        double unused = play();
      }
      return batches;
    }

    /** {@return whether the last batches were stable} */
    boolean warm() {
      return stableBatches >= STABLE_BATCHES;
    }
  }

  private static void row(String format, Object... values) {
    System.out.println(String.format(Locale.ROOT, format, values));
  }

  private static long heap() {
    return ((ThreadMXBean) ManagementFactory.getThreadMXBean()).getCurrentThreadAllocatedBytes();
  }

  private static double median(List<Double> of) {
    return of.stream().sorted().toList().get(of.size() / 2);
  }

  private static String ratios(List<Double> ours, List<Double> theirs) {
    List<Double> all = new ArrayList<>();
    for (int i = 0; i < ours.size(); i++) {
      all.add(ours.get(i) / theirs.get(i));
    }
    List<Double> sorted = all.stream().sorted().toList();
    return String.format(
        Locale.ROOT, "%.2f (%.2f to %.2f)", median(all), sorted.getFirst(), sorted.getLast());
  }

  /** Runs a program's two ends; {@return the figure that the client prints} */
  private double c(Pattern figure, Object... words) throws Exception {
    List<String> line = new ArrayList<>();
    for (Object word : words) {
      line.add(word.toString());
    }
    Process server = start(line);
    try {
      List<String> client = new ArrayList<>(line);
      client.add(host);
      String out = "";
      for (int i = 0; i < 50; i++) { // until the server listens
        Process p = start(client);
        out = new String(p.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        Matcher m = figure.matcher(out);
        if (p.waitFor() == 0 && m.find()) {
          return Double.parseDouble(m.group(1));
        }
        if (!server.isAlive()) {
          throw new IllegalStateException(line + ": " + out);
        }
        TimeUnit.MILLISECONDS.sleep(100);
      }
      throw new IllegalStateException(client + ": no figure in " + out);
    } finally {
      server.destroy();
      server.waitFor();
    }
  }

  private static Process start(List<String> line) throws IOException {
    try {
      return new ProcessBuilder(line).redirectErrorStream(true).start();
    } catch (IOException e) {
      throw new IOException("apt install ibverbs-utils perftest", e);
    }
  }
}
