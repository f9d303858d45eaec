package ib.bench;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Measures cases of one JVM in windows of a few milliseconds, one case after the other, round by
 * round, so that whatever disturbs the machine for longer than a round disturbs all of them. With a
 * second thread F is measured between any two windows.
 */
final class Windows implements AutoCloseable {
  private static final int MAX_BURSTS = 1 << 15;

  private final List<Case> cases;
  private final @Nullable Partner partner;
  private final RawLimits.Flag flag = new RawLimits.Flag();
  private final long[] bursts = new long[MAX_BURSTS];

  Windows(List<Case> cases, @Nullable Partner partner) {
    this.cases = cases;
    this.partner = partner;
  }

  /** Runs all until they are compiled; nothing of it counts. */
  void warm(int rounds, long windowNs) {
    for (int r = 0; r < rounds; r++) {
      for (Case c : cases) {
        window(c, windowNs);
      }
      flag(windowNs / 4);
    }
  }

  /** Stops early at the deadline, of {@link System#nanoTime}. */
  Samples measure(int rounds, long windowNs, long deadlineNs) {
    Samples samples = new Samples(cases.size(), rounds);
    double before = flag(windowNs);
    while (samples.rounds() < rounds && System.nanoTime() - deadlineNs < 0) {
      for (int i = 0; i < cases.size(); i++) {
        double figure = window(cases.get(i), windowNs);
        double after = flag(windowNs / 2);
        samples.add(i, figure, before, after);
        before = after;
      }
      samples.endRound();
    }
    return samples;
  }

  private double flag(long ns) {
    return partner == null ? 0 : window(flag, ns);
  }

  private double window(Case c, long ns) {
    return switch (c.kind) {
      case ALONE -> alone(c, ns);
      case EXCHANGE -> exchange(c, ns);
      case TOGETHER -> together(c, ns);
    };
  }

  private static double alone(Case c, long ns) {
    long n = 0;
    long start = System.nanoTime();
    long now;
    do {
      n += c.burst();
      now = System.nanoTime();
    } while (now - start < ns);
    return (now - start) / (double) n;
  }

  private double exchange(Case c, long ns) {
    second().start(c);
    int trips = c.burst(); // until the other thread is there
    int n = 0;
    long start = System.nanoTime();
    long last = start;
    do {
      c.burst();
      long now = System.nanoTime();
      bursts[n++] = now - last;
      last = now;
    } while (last - start < ns && n < MAX_BURSTS);
    second().stop();
    Arrays.sort(bursts, 0, n);
    return bursts[n / 2] / (double) trips;
  }

  private double together(Case c, long ns) {
    long servedBefore = c.served();
    long n = 0;
    long start = System.nanoTime();
    second().start(c);
    do {
      n += c.burst();
    } while (System.nanoTime() - start < ns);
    second().stop();
    return (System.nanoTime() - start) / (double) (n + c.served() - servedBefore);
  }

  private Partner second() {
    if (partner == null) {
      throw new IllegalStateException("a case of two threads, and there is one");
    }
    return partner;
  }

  @Override
  public void close() {
    if (partner != null) {
      partner.close();
    }
    cases.forEach(Case::close);
  }
}
