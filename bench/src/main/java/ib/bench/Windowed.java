package ib.bench;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.slf4j.LoggerFactory;

/**
 * {@code bench/run}: measures the engine beside the machine's own limits, a JVM for each group of
 * cases, which alternate in it.
 */
public final class Windowed {
  private static final int ROUNDS = 400;
  private static final long ALONE_NS = 1_000_000;
  private static final long TOGETHER_NS = 2_000_000;
  private static final int WARM_ROUNDS = 20;
  private static final long WARM_NS = 40_000_000;
  private static final long LONGEST_NS = 15_000_000_000L;

  /** One thread is kept nowhere: it may go where it is undisturbed. */
  private static final Machine.Pair ANY = new Machine.Pair(0, 0, "any");

  private Windowed() {}

  /**
   * Prints the tables.
   *
   * @param args {@code --only regex} of the groups' names, {@code --rounds n}; {@code --group n}
   *     and {@code --cpus a,b} are for the JVM of one group
   */
  public static void main(String[] args) throws IOException {
    Map<String, String> options = new LinkedHashMap<>();
    for (int i = 0; i + 1 < args.length; i += 2) {
      options.put(args[i], args[i + 1]);
    }
    if (args.length % 2 != 0
        || !List.of("--only", "--rounds", "--group", "--cpus").containsAll(options.keySet())) {
      System.err.println("bench/run [--only regex] [--rounds n]");
      System.exit(2);
    }
    int rounds = Integer.parseInt(options.getOrDefault("--rounds", "" + ROUNDS));
    if (options.containsKey("--group")) {
      one(Group.ALL.get(Integer.parseInt(options.get("--group"))), options.get("--cpus"), rounds);
      System.exit(0); // devices have threads, and live as long as the JVM
    }
    all(Pattern.compile(options.getOrDefault("--only", ".*")), rounds);
  }

  private static void all(Pattern only, int rounds) throws IOException {
    System.out.println(Machine.describe());
    List<Machine.Pair> pairs = Machine.pairs();
    for (Machine.Pair pair : pairs) {
      System.out.printf("processors %s are %s%n", pair.option(), pair.how());
    }
    if (pairs.size() < 2) {
      System.out.println("as this machine tells; it has no other kind of pair");
    }
    System.out.println();
    for (int i = 0; i < Group.ALL.size(); i++) {
      Group group = Group.ALL.get(i);
      List<Machine.Pair> on = group.threads() == 1 ? List.of(ANY) : pairs;
      if (!only.matcher(group.name()).find()) {
        continue;
      }
      for (Machine.Pair pair : on) {
        if (group.threads() == 2 && pairs.size() > 1) {
          System.out.printf("Processors %s, %s:%n%n", pair.option(), pair.how());
        }
        Fork.run(
            Windowed.class,
            Map.of("--group", "" + i, "--cpus", pair.option(), "--rounds", "" + rounds),
            true);
      }
    }
    System.out.println(Machine.describe() + " at the end");
  }

  private static void one(Group group, String cpus, int rounds) {
    ((Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME)).setLevel(Level.WARN);
    int first = Integer.parseInt(cpus.split(",")[0]);
    int second = Integer.parseInt(cpus.split(",")[1]);
    List<Case> cases = group.cases().get();
    Partner partner = group.threads() == 2 ? new Partner(second) : null;
    if (partner != null && !Pin.to(first)) {
      System.out.printf("%s: this system pins no thread, so none is%n%n", group.name());
    }
    try (Windows windows = new Windows(cases, partner)) {
      Samples samples = measure(windows, group, rounds);
      new Table(group, cases, samples, System.out).print();
    }
  }

  private static Samples measure(Windows windows, Group group, int rounds) {
    windows.warm(WARM_ROUNDS, WARM_NS);
    long windowNs = group.threads() == 1 ? ALONE_NS : TOGETHER_NS;
    return windows.measure(rounds, windowNs, System.nanoTime() + LONGEST_NS);
  }
}
