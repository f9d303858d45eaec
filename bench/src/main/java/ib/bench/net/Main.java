package ib.bench.net;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Measures RoCEv2 beside raw UDP, NIO, TCP and Aeron, all in one run: every round measures each
 * once, so that ratios are of the same minute of the machine. {@code bench/rxe} starts it.
 */
public final class Main {
  private static final int SMALL = 64;
  private static final int LARGE = 65_536;

  private final List<Job> jobs = new ArrayList<>();
  private final Map<String, Worker> workers = new LinkedHashMap<>();
  private final Pattern wanted;
  private final String here;
  private final String there;
  private int slot;

  private Main(Pattern wanted, String here, String there) {
    this.wanted = wanted;
    this.here = here;
    this.there = there;
  }

  /**
   * Runs all.
   *
   * @param args {@code --rounds n}, {@code --ms n} for each sample, {@code --only regex} of path
   *     and system; {@code --here} and {@code --there}, commands that enter the two namespaces
   */
  public static void main(String[] args) throws IOException {
    Map<String, String> options = new LinkedHashMap<>();
    for (int i = 0; i + 1 < args.length; i += 2) {
      options.put(args[i], args[i + 1]);
    }
    Main main =
        new Main(
            Pattern.compile(options.getOrDefault("--only", ".*")),
            options.getOrDefault("--here", ""),
            options.getOrDefault("--there", ""));
    int rounds = Integer.parseInt(options.getOrDefault("--rounds", "7"));
    int ms = Integer.parseInt(options.getOrDefault("--ms", "400"));
    try {
      main.plan();
      main.run(rounds, ms);
    } finally {
      main.workers.values().forEach(Worker::close);
    }
  }

  private void plan() throws IOException {
    String[] all = {"rxe", "raw", "raw-unconnected", "nio", "tcp", "aeron"};
    for (String path : List.of("loopback", "veth 1500")) {
      add(path, Spec.Pattern.RTT, SMALL, 1024, all);
    }
    add("one JVM", Spec.Pattern.RTT, SMALL, 1024, "rxe", "rxe-datagrams", "raw");
    add("veth 9000", Spec.Pattern.RTT, SMALL, 1024, "rxe", "raw");
    add("loopback", Spec.Pattern.SLEEP, SMALL, 1024, "rxe", "raw");
    String[] streams = {
      "rxe", "rxe-write", "raw-gso", "raw-mmsg", "raw-one", "rxe-portable", "nio", "tcp", "aeron"
    };
    add("loopback", Spec.Pattern.STREAM, LARGE, 4096, streams);
    add("loopback", Spec.Pattern.STREAM, LARGE, 4096, "rxe-loss-0.1%", "rxe-loss-1%");
    add("one JVM", Spec.Pattern.STREAM, LARGE, 4096, "rxe", "rxe-datagrams", "raw-gso");
    add("veth 9000", Spec.Pattern.STREAM, LARGE, 4096, streams);
    add("veth 1500", Spec.Pattern.STREAM, LARGE, 1024, streams);
    add(
        "loopback",
        Spec.Pattern.STREAM,
        SMALL,
        SMALL,
        "rxe",
        "rxe-write",
        "raw-gso",
        "raw-mmsg",
        "raw-one",
        "aeron");
  }

  private void add(String path, Spec.Pattern pattern, int bytes, int packet, String... systems)
      throws IOException {
    for (String system : systems) {
      String name = path + " " + pattern + " " + packet + " " + system;
      if (wanted.matcher(name).find() && !(path.startsWith("veth") && there.isEmpty())) {
        int s = slot++;
        String net = path.equals("veth 1500") ? "10.91." : path.equals("veth 9000") ? "10.92." : "";
        String prefix = net.isEmpty() ? "127.0." : net;
        Spec spec = new Spec(system, pattern, bytes, packet, prefix + s + ".2", prefix + s + ".1");
        Worker client = worker("client", here);
        Worker server =
            path.equals("one JVM")
                ? client
                : net.isEmpty() ? worker("server here", here) : worker("server there", there);
        jobs.add(new Job(path, "j" + s, spec, client, server));
      }
    }
  }

  private Worker worker(String name, String enter) throws IOException {
    Worker w = workers.get(name);
    if (w == null) {
      w = new Worker(enter);
      workers.put(name, w);
    }
    return w;
  }

  private void run(int rounds, int ms) throws IOException {
    Worker client = worker("client", here);
    List<Double> flags = new ArrayList<>();
    for (Job job : jobs) {
      job.open();
    }
    for (int round = -2; round < rounds; round++) {
      for (Job job : jobs) {
        job.round(round < 0 ? 2 * ms : ms, round < 0);
      }
      if (round >= 0) {
        flags.add(Double.parseDouble(client.ask("flag 50")));
      }
      System.err.printf(Locale.ROOT, "round %d of %d%n", Math.max(0, round + 1), rounds);
    }
    System.out.printf(
        Locale.ROOT,
        "%d rounds of %d ms; F (two threads, one flag) %s ns%n%n",
        rounds,
        ms,
        Report.range(flags, 1, "%.0f"));
    new Report(jobs).print(System.out);
    for (Job job : jobs) {
      job.close();
    }
  }
}
