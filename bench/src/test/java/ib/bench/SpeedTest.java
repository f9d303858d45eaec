package ib.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * {@code bench/check} in every build: JVMs of their own, so the options of this one do not matter.
 * Where nothing could be judged, the test is skipped, with the reason: it did not pass.
 */
class SpeedTest {
  @Test
  @Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void aWriteBesideACopyIsAtMost115PercentOfWhatWasKept() throws IOException {
    Check.Verdict verdict = Check.check(Path.of("kept"), Machine.key(), Check::fork);
    System.out.print(Machine.describe() + System.lineSeparator() + verdict.text());
    assumeFalse(verdict.outcome() == Check.Outcome.NOT_JUDGED, verdict.text());
    assertEquals(Check.Outcome.GOOD, verdict.outcome(), verdict.text());
  }
}
