package ib.bench;

import java.util.Arrays;
import java.util.function.DoublePredicate;

/**
 * What the windows of some cases showed, ns an operation, a window of each case a round. With two
 * threads F is measured before and after each window; a window where it moved by more than 15 %
 * does not count.
 */
final class Samples {
  /** The longest F of two cores that are near: seen were 68 to 170 ns near, 360 to 850 ns far. */
  static final double NEAR_NS = 250;

  private static final double MAX_MOVED = 0.15;
  private static final double FAST = 0.05;
  private static final double FAST_HALF = 0.25;

  private final double[][] figures;
  private final double[][] before;
  private final double[][] after;
  private int rounds;

  Samples(int cases, int maxRounds) {
    figures = new double[cases][maxRounds];
    before = new double[cases][maxRounds];
    after = new double[cases][maxRounds];
  }

  int cases() {
    return figures.length;
  }

  int rounds() {
    return rounds;
  }

  /** The window of a case in the round that is not yet ended; no F: zeros. */
  void add(int ofCase, double figure, double flagBefore, double flagAfter) {
    figures[ofCase][rounds] = figure;
    before[ofCase][rounds] = flagBefore;
    after[ofCase][rounds] = flagAfter;
  }

  void endRound() {
    rounds++;
  }

  boolean steady(int ofCase, int round) {
    double a = before[ofCase][round];
    double b = after[ofCase][round];
    return Math.abs(a - b) <= MAX_MOVED * Math.min(a, b);
  }

  private double flag(int ofCase, int round) {
    return (before[ofCase][round] + after[ofCase][round]) / 2;
  }

  private boolean counts(int ofCase, int round, DoublePredicate place) {
    return steady(ofCase, round) && place.test(flag(ofCase, round));
  }

  /** Windows in which F moved. */
  int dropped(int ofCase) {
    int n = 0;
    for (int r = 0; r < rounds; r++) {
      n += steady(ofCase, r) ? 0 : 1;
    }
    return n;
  }

  /** The steady windows of a case whose F is there, sorted. */
  double[] figures(int ofCase, DoublePredicate place) {
    double[] all = new double[rounds];
    int n = 0;
    for (int r = 0; r < rounds; r++) {
      if (counts(ofCase, r, place)) {
        all[n++] = figures[ofCase][r];
      }
    }
    return sorted(all, n);
  }

  /** F around the steady windows of a case, sorted. */
  double[] flags(int ofCase, DoublePredicate place) {
    double[] all = new double[rounds];
    int n = 0;
    for (int r = 0; r < rounds; r++) {
      if (counts(ofCase, r, place)) {
        all[n++] = flag(ofCase, r);
      }
    }
    return sorted(all, n);
  }

  /** A case by another of the same round, where both count, sorted. */
  double[] ratios(int ofCase, int to, DoublePredicate place) {
    double[] all = new double[rounds];
    int n = 0;
    for (int r = 0; r < rounds; r++) {
      if (counts(ofCase, r, place) && counts(to, r, place)) {
        all[n++] = figures[ofCase][r] / figures[to][r];
      }
    }
    return sorted(all, n);
  }

  /** The figure of two threads: the median of the faster half of the steady windows. */
  double typical(int ofCase, DoublePredicate place) {
    return part(figures(ofCase, place), FAST_HALF);
  }

  /** One thread's figure: what the fastest twentieth of its windows reached. */
  double fast(int ofCase) {
    return part(figures(ofCase, f -> true), FAST);
  }

  /** Windows of one thread that took at most 15 % longer than its figure. */
  int undisturbed(int ofCase) {
    double most = fast(ofCase) * (1 + MAX_MOVED);
    return (int) Arrays.stream(figures(ofCase, f -> true)).filter(f -> f <= most).count();
  }

  /** The figure below which this part of the sorted ones is. */
  static double part(double[] sorted, double part) {
    return sorted.length == 0 ? Double.NaN : sorted[(int) (part * (sorted.length - 1))];
  }

  private static double[] sorted(double[] all, int n) {
    double[] some = Arrays.copyOf(all, n);
    Arrays.sort(some);
    return some;
  }
}
