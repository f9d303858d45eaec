package ib.engine.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.ToLongFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Fresh seeds on every run; {@code -Dib.sim.scale=n} multiplies their number, {@code -Dib.sim.seed}
 * and {@code -Dib.sim.profile} replay one simulation and nothing else.
 */
@Tag("finding")
@DisplayName("issue 3, section 2: seeded simulation with checkers")
class SimulatorTest {
  private static final String SEED = "ib.sim.seed";
  private static final String PROFILE = "ib.sim.profile";
  private static final int SCALE =
      Integer.getInteger("ib.sim.scale", Integer.getInteger("ib.scale", 1));
  private static final long FIRST = new SplittableRandom().nextLong() >>> 16;
  private static final long GIB = 1L << 30;
  private static final int OTHERS = 3; // profiles with tests of their own
  private static final int SMALL = 15; // the first profiles, without bulk
  private static final int OFTEN = 500;
  private static final int AGAIN = 8;
  private static final Map<Profile, Sum> SUMS = new EnumMap<>(Profile.class);

  /** The sums of all simulations of a profile, which run in parallel. */
  private static final class Sum {
    final LongAdder seeds = new LongAdder();
    final LongAdder bytes = new LongAdder();
    final LongAdder packets = new LongAdder();
    final LongAdder direct = new LongAdder();
    final LongAdder switches = new LongAdder();
    final LongAdder wraps = new LongAdder();
    final LongAdder failures = new LongAdder();
    final LongAdder virtualMs = new LongAdder();
    final Map<String, Long> done = new ConcurrentSkipListMap<>();

    void add(Sim.Report r) {
      seeds.increment();
      bytes.add(r.bytes());
      packets.add(r.packets());
      direct.add(r.direct());
      switches.add(r.switches());
      wraps.add(r.wraps());
      failures.add(r.failures());
      r.done().forEach((what, n) -> done.merge(what, n, Long::sum));
      virtualMs.add(r.virtualNs() / 1_000_000);
    }

    @Override
    public String toString() {
      return String.format(
          "%d seeds, %d MiB verified, %d packets, %d not needed, %d switches, %d PSN wraps,"
              + " %d failures as expected, %d s virtual",
          seeds.sum(),
          bytes.sum() >> 20,
          packets.sum(),
          direct.sum(),
          switches.sum(),
          wraps.sum(),
          failures.sum(),
          virtualMs.sum() / 1000);
    }
  }

  private static int count(Profile profile) {
    return SCALE
        * switch (profile) {
          case BULK -> 100;
          case BULK_MIXED -> 40;
          case BULK_LOSS_30 -> 150;
          default -> 160;
        };
  }

  private static void assumeNoReplay() {
    assumeTrue(System.getProperty(SEED) == null, "one simulation is replayed");
  }

  @ParameterizedTest
  @EnumSource(
      mode = EnumSource.Mode.EXCLUDE,
      names = {"SILENT", "SOAK", "LAP"})
  @DisplayName(
      "F3-F8, F15, F20, R-11: fresh seeds: every byte, completion and guard zone as the model says")
  void freshSeeds(Profile profile, TestReporter reporter) {
    assumeNoReplay();
    Sum sum = new Sum();
    long first = FIRST + ((long) profile.ordinal() << 32);
    LongStream.range(first, first + count(profile))
        .parallel()
        .mapToObj(seed -> Sim.run(seed, profile))
        .forEach(sum::add);
    assertEquals(count(profile), sum.seeds.sum());
    SUMS.put(profile, sum);
    checkDirect(profile, sum);
    reporter.publishEntry(profile.name(), "from seed " + first + ": " + sum);
  }

  /** D5: an undisturbed medium is left out, and packets and none take turns in a connection. */
  private static void checkDirect(Profile profile, Sum sum) {
    long direct = sum.direct.sum();
    long seeds = sum.seeds.sum();
    assertTrue(profile.direct() ? direct > 50 * seeds : direct == 0, profile + ": " + sum);
    assertTrue(!profile.changes() || sum.switches.sum() > 10 * seeds, profile + ": " + sum);
  }

  private static long all(ToLongFunction<Sum> figure) {
    return SUMS.values().stream().mapToLong(figure).sum();
  }

  /** The figures that the issue asks for, of whatever has run. */
  @AfterAll
  static void figures(TestReporter reporter) {
    if (SUMS.size() < Profile.values().length - OTHERS) {
      return;
    }
    long seeds = all(s -> s.seeds.sum());
    long bytes = all(s -> s.bytes.sum());
    long wraps = all(s -> s.wraps.sum());
    long packets = all(s -> s.packets.sum());
    assertTrue(seeds >= 2_000, "at least 2,000 fresh seeds: " + seeds);
    assertTrue(bytes >= 16 * GIB, "at least 16 GiB verified: " + bytes);
    assertTrue(wraps >= 2_000, "at least 2,000 wraps: " + wraps);
    long lossy = SUMS.get(Profile.BULK_LOSS_30).bytes.sum() + SUMS.get(Profile.LOSS_50).bytes.sum();
    assertTrue(lossy >= GIB, "B5: at least 1 GiB of it at a loss of 30 % and more: " + lossy);
    Map<String, Long> done = new TreeMap<>();
    SUMS.values().forEach(s -> s.done.forEach((what, n) -> done.merge(what, n, Long::sum)));
    for (Request.Op op : Request.Op.values()) {
      long n = done.getOrDefault(op.name(), 0L);
      n += done.getOrDefault(op + " through FAST", 0L);
      assertTrue(n >= OFTEN, op + " was done " + n + " times");
    }
    for (String what : List.of("READ through WINDOW_1", "WRITE through WINDOW_2", "multicast")) {
      assertTrue(done.getOrDefault(what, 0L) >= OFTEN, what + ": " + done.get(what));
    }
    assertTrue(done.containsKey("REM_ACCESS_ERR for lack of a key"), "keys taken away in use");
    String text = "%d seeds, %d MiB verified, %d packets, %d PSN wraps: %s";
    reporter.publishEntry("ALL", String.format(text, seeds, bytes >> 20, packets, wraps, done));
  }

  @Test
  @DisplayName("B5: 50 seeds twice: the same packets, every byte of them, and the same completions")
  void replaysIdentically() {
    assumeNoReplay();
    LongStream.range(FIRST, FIRST + 50)
        .parallel()
        .forEach(
            seed -> {
              Profile profile = Profile.values()[(int) (seed % SMALL)];
              Sim.Report once = Sim.runBytes(seed, profile);
              assertEquals(once, Sim.runBytes(seed, profile), "seed " + seed + " of " + profile);
            });
    assertTrue(
        Sim.run(FIRST, Profile.MIXED).hash() != Sim.run(FIRST + 1, Profile.MIXED).hash(),
        "another seed is another story");
  }

  @ParameterizedTest
  @ValueSource(longs = {35385619512210L, 35385619513300L})
  @DisplayName(
      "B5: seeds that were two stories, by the order in which a domain's queue pairs stood")
  void replaysAgain(long seed) {
    assumeNoReplay();
    Sim.Report once = Sim.runBytes(seed, Profile.CLEAN);
    for (int i = 0; i < AGAIN; i++) {
      assertEquals(once, Sim.runBytes(seed, Profile.CLEAN));
    }
  }

  @Test
  @DisplayName(
      "B5: the line that a failure prints leads to the same failure after the same packets")
  void failuresReplay() {
    assumeNoReplay();
    Pattern line = Pattern.compile("replay: -D" + SEED + "=(\\d+) -D" + PROFILE + "=(\\w+), .*");
    int failures = 0;
    for (long seed = FIRST; seed < FIRST + 10; seed++) {
      String found = Sim.verdict(seed, Profile.SILENT.name());
      if (found != null) {
        Matcher m = line.matcher(found.lines().toList().getLast());
        assertTrue(m.matches(), found);
        assertEquals(found, Sim.verdict(Long.parseLong(m.group(1)), m.group(2)));
        failures++;
      }
    }
    assertTrue(failures > 3, "failures: " + failures);
  }

  @Test
  @DisplayName("F6: a natural lap through all 2^24 sequence numbers of one connection")
  void lap(TestReporter reporter) {
    assumeNoReplay();
    Sim.Report report = Sim.run(FIRST, Profile.LAP);
    reporter.publishEntry("LAP", "seed " + FIRST + ": " + report);
    assertTrue(report.laps() >= 1 && report.connects() == 1, "" + report);
  }

  /** Seeds that have found something once; cheap to keep, whatever they lead to today. */
  @ParameterizedTest
  @CsvSource({
    "17, DUPLICATE_50",
    "3, REORDER_50",
    "4, REORDER_50",
    "43, LOSS_10",
    "53, CORRUPT_5",
    "50, LOSS_5",
    "19, LOSS_50",
    "19, BULK_LOSS_30",
    "69, CLEAN",
    "248225242006364, LOSS_5",
  })
  @DisplayName("seeds that have found a defect")
  void keptSeeds(long seed, Profile profile) {
    assumeNoReplay();
    Sim.run(seed, profile);
  }

  @Test
  @DisplayName("B5: 30 days of virtual time in few long worlds: after every rest nothing is left")
  void soak(TestReporter reporter) {
    assumeNoReplay();
    long days = 0;
    for (long seed = FIRST; days < 30 && seed < FIRST + 20; seed++) {
      Sim.Report report = Sim.run(seed, Profile.SOAK);
      days += TimeUnit.NANOSECONDS.toDays(report.virtualNs());
      reporter.publishEntry("SOAK", "seed " + seed + ": " + days + " days so far, " + report);
    }
    assertTrue(days >= 30, "days: " + days);
  }

  @Test
  @DisplayName("the line that a failure prints replays it")
  void replay() {
    String seed = System.getProperty(SEED);
    assumeTrue(seed != null, "-D" + SEED + " and -D" + PROFILE + " are given");
    Sim.run(Long.parseLong(seed), Profile.valueOf(System.getProperty(PROFILE, "MIXED")));
  }
}
