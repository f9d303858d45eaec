package ib.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How windows are judged, with figures made up. */
class CheckTest {
  private static final String KEY = "AuthenticAMD-25-17 java-25";
  private static final double COPY_NS = 6;
  private static final double[] TRUE_NS = {COPY_NS, 20, 130, 70};
  private static final int ROUNDS = 300;
  private static final List<Kept> KEPT =
      List.of(new Kept("0.1.0", KEY, new double[] {20 / COPY_NS, 130 / COPY_NS, 70 / COPY_NS}));

  /** Windows of a machine where this part of them is disturbed and takes several times as long. */
  private static Samples windows(long seed, double disturbed, double... slowdowns) {
    SplittableRandom random = new SplittableRandom(seed);
    Samples samples = new Samples(TRUE_NS.length, ROUNDS);
    for (int r = 0; r < ROUNDS; r++) {
      for (int i = 0; i < TRUE_NS.length; i++) {
        double noise = 1 + 0.06 * random.nextDouble();
        double wait = random.nextDouble() < disturbed ? 1 + 8 * random.nextDouble() : 1;
        samples.add(i, TRUE_NS[i] * slowdowns[i] * noise * wait, 0, 0);
      }
      samples.endRound();
    }
    return samples;
  }

  private static Check.Verdict judge(double disturbed, double... slowdowns) throws IOException {
    Deque<Long> seeds = new ArrayDeque<>(List.of(1L, 2L, 3L));
    return Check.check(
        KEPT, () -> Check.ratios(windows(seeds.removeFirst(), disturbed, slowdowns)));
  }

  @Test
  void aMachineWhereMostWindowsAreDisturbedFailsNothing() throws IOException {
    for (double disturbed : new double[] {0, 0.3, 0.5, 0.8}) {
      Check.Verdict verdict = judge(disturbed, 1, 1, 1, 1);
      assertEquals(Check.Outcome.GOOD, verdict.outcome(), verdict.text());
    }
  }

  @Test
  void aSlowdownOf30PercentFailsQuietAndDisturbed() throws IOException {
    for (double disturbed : new double[] {0, 0.3, 0.5, 0.8}) {
      assertEquals(Check.Outcome.SLOWER, judge(disturbed, 1, 1, 1.3, 1).outcome());
      assertEquals(Check.Outcome.SLOWER, judge(disturbed, 1, 1, 1, 1.3).outcome());
    }
  }

  @Test
  void aSlowdownOf5PercentDoesNotFail() throws IOException {
    Check.Verdict verdict = judge(0.5, 1, 1, 1.05, 1.05);
    assertEquals(Check.Outcome.GOOD, verdict.outcome(), verdict.text());
  }

  @Test
  void aMachineThatSlowsDownTheRingTooIsNotJudged() throws IOException {
    Check.Verdict verdict = judge(0, 1, 1.4, 1.4, 1.4);
    assertEquals(Check.Outcome.NOT_JUDGED, verdict.outcome(), verdict.text());
  }

  @Test
  void aTryWithASlowCopyDoesNotHideASlowdown() throws IOException {
    double[] slow = {20 / COPY_NS, 1.35 * 130 / COPY_NS, 70 / COPY_NS};
    double[] slowCopy = {20 / 7.5, 1.35 * 130 / 7.5, 70 / 7.5};
    assertEquals(
        Check.Outcome.SLOWER,
        Check.check(KEPT, new ArrayDeque<>(List.of(slow, slow, slowCopy))::removeFirst).outcome());
    Check.Verdict verdict = Check.check(KEPT, () -> slowCopy);
    assertEquals(Check.Outcome.NOT_JUDGED, verdict.outcome(), verdict.text());
  }

  @Test
  void aCopyThatIsALittleSlowDoesNotHideASlowdownEither() throws IOException {
    double[] slow = {20 / 6.6, 1.26 * 130 / 6.6, 70 / 6.6}; // 10 % and 26 %: less than 15 % over it
    assertEquals(Check.Outcome.SLOWER, Check.check(KEPT, () -> slow).outcome());
  }

  @Test
  void smallStepsThatAddUpFail() throws IOException {
    double[] first = KEPT.getFirst().ratios();
    Kept later = new Kept("later", KEY, new double[] {first[0], 1.25 * first[1], first[2]});
    double[] now = {first[0], 1.35 * first[1], first[2]};
    assertEquals(Check.Outcome.GOOD, Check.check(List.of(later), () -> now).outcome());
    assertEquals(
        Check.Outcome.SLOWER, Check.check(List.of(KEPT.getFirst(), later), () -> now).outcome());
  }

  @Test
  void oneFastTryOfThreeIsEnoughAndEndsTheTries() throws IOException {
    Deque<double[]> tries = new ArrayDeque<>();
    tries.add(new double[] {20 / COPY_NS, 40, 20});
    tries.add(KEPT.getFirst().ratios());
    Check.Verdict verdict = Check.check(KEPT, tries::removeFirst);
    assertEquals(Check.Outcome.GOOD, verdict.outcome(), verdict.text());
    assertTrue(tries.isEmpty());
  }

  @Test
  void aProcessorWithoutALineIsNotJudgedAndNamedWithThoseThatHaveOne(@TempDir Path folder)
      throws IOException {
    Path file = Files.writeString(folder.resolve("kept"), "# comment of more than four words\n");
    KEPT.getFirst().append(file, "2026-11-22");
    Check.Verdict verdict =
        Check.check(file, "GenuineIntel-6-1 java-25", () -> new double[] {3, 90, 90});
    assertEquals(Check.Outcome.NOT_JUDGED, verdict.outcome(), verdict.text());
    assertTrue(
        verdict.text().contains("NOT JUDGED: GenuineIntel-6-1 java-25 has no line"),
        verdict.text());
    assertTrue(verdict.text().contains(KEY), verdict.text());
    assertEquals(
        Check.Outcome.SLOWER,
        Check.check(file, KEY, () -> new double[] {20 / COPY_NS, 90, 90}).outcome());
  }

  @Test
  void theLastLineOfTheSameProcessorIsCompared(@TempDir Path folder) throws IOException {
    Path file = Files.writeString(folder.resolve("kept"), "# comment of more than four words\n");
    new Kept("a", KEY, new double[] {1, 2, 3}).append(file, "2026-11-22");
    new Kept("b", "GenuineIntel-6-1 java-25", new double[] {4, 5, 6}).append(file, "2026-11-23");
    new Kept("c", KEY, new double[] {7, 8, 9}).append(file, "2026-11-24");
    List<Kept> kept = Kept.read(file, KEY);
    assertEquals(List.of("a", "c"), kept.stream().map(Kept::commit).toList());
    assertEquals(8, kept.getLast().ratios()[1]);
  }

  @Test
  void aWindowWhereFlagMovedByMoreThan15PercentIsDroppedAndCounted() {
    Samples samples = new Samples(2, 3);
    samples.add(0, 200, 100, 110);
    samples.add(1, 400, 110, 100);
    samples.endRound();
    samples.add(0, 900, 100, 120); // moved
    samples.add(1, 400, 120, 121);
    samples.endRound();
    samples.add(0, 600, 500, 510); // far
    samples.add(1, 900, 510, 500);
    samples.endRound();
    assertEquals(1, samples.dropped(0));
    assertEquals(0, samples.dropped(1));
    assertEquals(200, samples.typical(0, f -> f <= Samples.NEAR_NS));
    assertEquals(600, samples.typical(0, f -> f > Samples.NEAR_NS));
    assertEquals(2, samples.ratios(1, 0, f -> f <= Samples.NEAR_NS)[0]);
  }

  @Test
  void processorsAreReadAsTheKernelListsThem() {
    assertEquals(Set.of(0, 1, 2, 8), Machine.list("0-2,8"));
    assertEquals(Set.of(), Machine.list(""));
  }
}
