package ib.bench.net;

import ib.bench.Machine;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Measures RoCEv2 beside raw UDP, NIO, TCP and Aeron, all in one run: every round measures each
 * once, so that ratios are of the same minute of the machine. {@code bench/rxe} starts it.
 */
public final class Main {
  private static final int WARM = 2;
  private static final int MAX_TIMES = 3; // as many rounds as are asked for, to get those kept
  private static final double MAX_MOVED = 1.15; // of F within a round
  private static final int FLAG_MS = 50;
  private static final int CRC_MS = 20;
  private static final int PAIRS = 10_000;
  private static final double MAX_MB = 200;

  private final Plan plan;
  private final StringBuilder log = new StringBuilder();
  private int kept;
  private int dropped;

  private Main(Plan plan) {
    this.plan = plan;
  }

  /**
   * Runs all.
   *
   * @param args {@code --rounds n} that are kept, {@code --ms n} for each sample, {@code --only
   *     regex} of path, pattern, packet and system; {@code --moved x}, how far F may move within a
   *     round that is kept; {@code --here} and {@code --there}, commands that enter the two
   *     namespaces
   */
  public static void main(String[] args) throws IOException {
    Map<String, String> options = new LinkedHashMap<>();
    for (int i = 0; i + 1 < args.length; i += 2) {
      options.put(args[i], args[i + 1]);
    }
    Plan plan =
        new Plan(
            Pattern.compile(options.getOrDefault("--only", ".*")),
            options.getOrDefault("--here", ""),
            options.getOrDefault("--there", ""));
    int rounds = Integer.parseInt(options.getOrDefault("--rounds", "7"));
    int ms = Integer.parseInt(options.getOrDefault("--ms", "400"));
    double moved = Double.parseDouble(options.getOrDefault("--moved", "" + MAX_MOVED));
    try {
      plan.make();
      new Main(plan).run(rounds, ms, moved);
    } finally {
      plan.close();
    }
  }

  private double flag() throws IOException {
    return Double.parseDouble(plan.client().ask("flag " + FLAG_MS));
  }

  private void run(int rounds, int ms, double moved) throws IOException {
    plan.jobs().forEach(Job::open);
    for (int i = 0; i < WARM; i++) {
      plan.jobs().forEach(job -> job.round(2L * ms, true));
    }
    double f = flag();
    while (kept < rounds && kept + dropped < MAX_TIMES * rounds) {
      plan.jobs().forEach(job -> job.round(ms, false));
      double before = f;
      f = flag();
      boolean steady = Math.max(f, before) <= moved * Math.min(f, before);
      if (steady) {
        kept++;
      } else {
        plan.jobs().forEach(Job::drop);
        dropped++;
      }
      note(before, f, steady);
    }
    System.out.printf(
        Locale.ROOT,
        "%s; AVX-512: %s; %d rounds of %d ms kept, %d dropped because F moved by more than %.0f %%%s%n%n",
        Machine.describe(),
        Machine.hasAvx512() ? "yes" : "no",
        kept,
        ms,
        dropped,
        100 * (moved - 1),
        kept < rounds ? "; TOO FEW: the machine is not quiet" : "");
    System.out.printf(
        "| round | F before, after, ns | CRC32 of 4 KiB, ns | load | kept |%n|---|---|---|---|---|%n%s%n",
        log);
    new Report(plan.jobs()).print(System.out);
    new Goals(plan.jobs()).print(System.out);
    if (plan.wants("memory")) {
      memory();
    }
    plan.jobs().forEach(Job::close);
  }

  private void note(double before, double after, boolean steady) throws IOException {
    log.append(
        String.format(
            Locale.ROOT,
            "| %d | %.0f, %.0f | %.0f | %.1f | %s |%n",
            kept + dropped,
            before,
            after,
            Double.parseDouble(plan.client().ask("crc " + CRC_MS)),
            Machine.load(),
            steady ? "yes" : "no"));
    System.err.printf("round %d: %d kept, %d dropped%n", kept + dropped, kept, dropped);
  }

  private void memory() throws IOException {
    System.out.printf(
        "%n| %,d connected queue pairs of a device | MB of heap | KiB each | MB resident more | at most %.0f MB |%n"
            + "|---|---|---|---|---|%n",
        PAIRS, MAX_MB);
    for (int depth : new int[] {1, 16, 64}) {
      String row;
      try (Worker fresh = plan.fresh()) {
        String[] bytes = fresh.ask("memory " + PAIRS + " " + depth).split(" ");
        double heap = Long.parseLong(bytes[0]) / 1e6;
        double each = Long.parseLong(bytes[0]) / 1024.0 / PAIRS;
        row =
            String.format(
                Locale.ROOT,
                "%.0f | %.1f | %.0f | %s",
                heap,
                each,
                Long.parseLong(bytes[1]) / 1e6,
                heap <= MAX_MB ? "yes" : "no");
      } catch (IOException e) {
        row = "failed: " + e.getMessage() + " | | | no";
      }
      System.out.printf("| rings of %d and %d | %s |%n", depth, depth, row);
    }
  }
}
