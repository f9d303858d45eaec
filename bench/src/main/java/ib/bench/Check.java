package ib.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * {@code bench/check}: a write of 64 bytes beside a copy of 64 bytes must not become slower, commit
 * by commit. A try is a JVM of its own; the best of three counts, since what other processes do can
 * only make a ratio worse. A ring in plain Java is measured beside them. Where it is slower too,
 * the machine is not the one it was (another guest on the same core), and the try condemns nothing.
 * Where it is faster, the copy was slow: the ratios of that try are raised by as much, and a try
 * whose copy was far too slow acquits nothing.
 */
public final class Check {
  static final int TRIES = 3;
  static final double MAX_RATIO = 1.15;

  /** Beside the first that was kept: small steps add up. */
  static final double MAX_DRIFT = 1.3;

  /** The names of what is checked, in the order of their ratios. */
  private static final List<String> CASES =
      List.of("ring in plain Java", "WRITE 64 B, one at a time", "WRITE 64 B, batches of 16");

  private static final int RING = 0;
  private static final double MAX_MOVED = 0.12;
  private static final int MIN_TRIES = 2; // undisturbed, to condemn

  private static final int KEEP_TRIES = 5;
  private static final int ROUNDS = 400;
  private static final int WARM_ROUNDS = 12;
  private static final long WINDOW_NS = 1_000_000;
  private static final long WARM_NS = 40_000_000;
  private static final long LONGEST_NS = 4_000_000_000L;
  private static final String RATIO = "ratio ";

  /** A JVM that measures once. */
  @FunctionalInterface
  interface Try {
    double[] ratios() throws IOException;
  }

  /** What came out; its place is the exit status of {@code bench/check}. */
  enum Outcome {
    /** Nothing is slower than it may be. */
    GOOD,
    /** Something is. */
    SLOWER,
    /** Nobody knows: nothing is kept for this machine, or the machine was disturbed. */
    NOT_JUDGED
  }

  /**
   * What came out.
   *
   * @param outcome what
   * @param text for people
   */
  record Verdict(Outcome outcome, String text) {}

  private Check() {}

  /**
   * Checks, or keeps.
   *
   * @param args {@code --file path}; {@code --keep commit} appends the median of five tries
   */
  public static void main(String[] args) throws IOException {
    Map<String, String> options = new LinkedHashMap<>();
    for (int i = 0; i + 1 < args.length; i += 2) {
      options.put(args[i], args[i + 1]);
    }
    if (options.containsKey("--measure")) {
      measure();
      System.exit(0); // devices have threads, and live as long as the JVM
    }
    Path file = Path.of(options.getOrDefault("--file", "kept"));
    if (options.containsKey("--keep")) {
      keep(file, options.get("--keep"));
      return;
    }
    Verdict verdict = check(file, Machine.key(), Check::fork);
    System.out.print(Machine.describe() + System.lineSeparator() + verdict.text());
    System.exit(verdict.outcome().ordinal());
  }

  /** Checks a kind of machine; names it, and those that are kept, when it is not one of them. */
  static Verdict check(Path file, String key, Try one) throws IOException {
    List<Kept> kept = Kept.read(file, key);
    Verdict verdict = check(kept, one);
    if (!kept.isEmpty()) {
      return verdict;
    }
    String text = "NOT JUDGED: %s has no line in %s, which has lines of %s.%n";
    String make = "On a quiet machine of this kind, bench/check --keep makes the first.%n";
    return new Verdict(
        verdict.outcome(), verdict.text() + String.format(text + make, key, file, Kept.keys(file)));
  }

  /** Tries until each case was fast enough in one of the tries; once if nothing is kept. */
  static Verdict check(List<Kept> kept, Try one) throws IOException {
    List<double[]> tries = new ArrayList<>();
    do {
      tries.add(one.ratios());
    } while (!kept.isEmpty() && tries.size() < TRIES && !enough(tries, kept));
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < CASES.size(); i++) {
      text.append(line(i, tries, kept));
    }
    if (kept.isEmpty()) {
      return new Verdict(Outcome.NOT_JUDGED, text.toString());
    }
    if (enough(tries, kept)) {
      return new Verdict(Outcome.GOOD, text.toString());
    }
    long fair = tries.stream().filter(t -> Math.abs(moved(t, kept.getLast())) <= MAX_MOVED).count();
    if (fair < MIN_TRIES) {
      text.append("NOT JUDGED: the ring moved too, so the machine is disturbed\n");
    }
    return new Verdict(fair < MIN_TRIES ? Outcome.NOT_JUDGED : Outcome.SLOWER, text.toString());
  }

  /** By how much the ring is slower than it was; negative: faster. */
  private static double moved(double[] one, Kept kept) {
    return one[RING] / kept.ratios()[RING] - 1;
  }

  private static String line(int i, List<double[]> tries, List<Kept> kept) {
    StringBuilder line = new StringBuilder();
    List<double[]> believed = kept.isEmpty() ? tries : believed(tries, kept.getLast());
    double best = best(believed.isEmpty() ? tries : believed)[i];
    line.append(CASES.get(i)).append(": ");
    for (double[] t : tries) {
      line.append(String.format(Locale.ROOT, "%.2f ", t[i]));
    }
    line.append("x a copy of 64 B");
    if (!kept.isEmpty()) {
      Kept last = kept.getLast();
      Kept first = kept.getFirst();
      line.append(
          String.format(
              Locale.ROOT,
              ", %.2f of the %.2f of %s, %.2f of the first kept%s",
              best / last.ratios()[i],
              last.ratios()[i],
              last.commit(),
              best / first.ratios()[i],
              i == RING || best <= bar(kept, i) ? "" : ": SLOWER"));
    }
    return line.append('\n').toString();
  }

  private static boolean enough(List<double[]> tries, List<Kept> kept) {
    List<double[]> believed = believed(tries, kept.getLast());
    if (believed.isEmpty()) {
      return false;
    }
    double[] best = best(believed);
    for (int i = RING + 1; i < best.length; i++) {
      if (!(best[i] <= bar(kept, i))) {
        return false;
      }
    }
    return true;
  }

  private static double bar(List<Kept> kept, int i) {
    double last = MAX_RATIO * kept.getLast().ratios()[i];
    return Math.min(last, MAX_DRIFT * kept.getFirst().ratios()[i]);
  }

  /** The tries in which the copy was about as fast as it was, without what it was slower. */
  private static List<double[]> believed(List<double[]> tries, Kept kept) {
    return tries.stream()
        .filter(t -> moved(t, kept) >= -MAX_MOVED)
        .map(t -> withFastCopy(t, kept))
        .toList();
  }

  private static double[] withFastCopy(double[] one, Kept kept) {
    double slow = Math.min(0, moved(one, kept));
    return Arrays.stream(one).map(ratio -> ratio / (1 + slow)).toArray();
  }

  private static double[] best(List<double[]> tries) {
    double[] best = tries.getFirst().clone();
    for (double[] t : tries) {
      for (int i = 0; i < best.length; i++) {
        best[i] = Math.min(best[i], t[i]);
      }
    }
    return best;
  }

  private static void keep(Path file, String commit) throws IOException {
    List<double[]> tries = new ArrayList<>();
    for (int t = 0; t < KEEP_TRIES; t++) {
      tries.add(fork());
      System.out.println(Arrays.toString(tries.getLast()));
    }
    double[] medians = new double[tries.getFirst().length];
    for (int i = 0; i < medians.length; i++) {
      int of = i;
      medians[i] = Samples.part(tries.stream().mapToDouble(t -> t[of]).sorted().toArray(), 0.5);
    }
    new Kept(commit, Machine.key(), medians).append(file, LocalDate.now(ZoneOffset.UTC).toString());
  }

  static double[] fork() throws IOException {
    return Fork.run(Check.class, Map.of("--measure", "once"), false).stream()
        .filter(line -> line.startsWith(RATIO))
        .mapToDouble(line -> Double.parseDouble(line.substring(RATIO.length())))
        .toArray();
  }

  private static void measure() {
    List<Case> cases =
        List.of(
            new RawLimits.Copy(64),
            new RawLimits.Alone(),
            new Writes.Single(64),
            new Writes.Batch(64));
    try (Windows windows = new Windows(cases, null)) {
      windows.warm(WARM_ROUNDS, WARM_NS);
      Samples samples = windows.measure(ROUNDS, WINDOW_NS, System.nanoTime() + LONGEST_NS);
      for (double ratio : ratios(samples)) {
        System.out.println(RATIO + ratio);
      }
      System.err.printf("%d rounds, the copy %.2f ns%n", samples.rounds(), samples.fast(0));
    }
  }

  /** Each case but the first by the first. */
  static double[] ratios(Samples samples) {
    double[] ratios = new double[samples.cases() - 1];
    for (int i = 0; i < ratios.length; i++) {
      ratios[i] = samples.fast(i + 1) / samples.fast(0);
    }
    return ratios;
  }
}
