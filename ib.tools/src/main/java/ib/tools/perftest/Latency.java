package ib.tools.perftest;

import ib.tools.perftest.Options.Results;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.Arrays;
import java.util.Locale;

/**
 * What a latency test measured, in microseconds.
 *
 * @param size message size in bytes
 * @param iters messages
 * @param least the least
 * @param most the most, but for the two slowest, as the original leaves them out
 * @param typical the median
 * @param average the mean
 * @param deviation standard deviation
 * @param percent99 99 % are not slower
 * @param percent999 99.9 % are not slower
 */
record Latency(
    int size,
    int iters,
    double least,
    double most,
    double typical,
    double average,
    double deviation,
    double percent99,
    double percent999) {
  static final String HEAD =
      " #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]"
          + "    t_stdev[usec]   99% percentile[usec]   99.9% percentile[usec] ";
  private static final String TIMED_HEAD =
      " #bytes        #iterations       t_avg[usec]    tps average";
  private static final int TAIL = 2;
  private static final int DIGITS = 6;

  /** {@return the headline} */
  static String head(boolean timed) {
    return timed ? TIMED_HEAD : HEAD;
  }

  /**
   * Counts.
   *
   * @param posted when each message was posted, in ns
   * @param perMessage one-way latencies in the time of a message: 2 when it went there and back
   */
  static Latency of(int size, long[] posted, int perMessage) {
    double[] delta = deltas(posted, perMessage);
    Arrays.sort(delta);
    int n = delta.length - TAIL;
    double[] counted = Arrays.copyOf(delta, n);
    double mean = Arrays.stream(counted).average().orElseThrow();
    double variance =
        Arrays.stream(counted).map(d -> (d - mean) * (d - mean)).average().orElseThrow();
    return new Latency(
        size,
        posted.length,
        delta[0],
        delta[n],
        n % 2 == 1 ? delta[n / 2] : (delta[n / 2] + delta[n / 2 - 1]) / 2,
        mean,
        Math.sqrt(variance),
        delta[(int) Math.ceil(n * 0.99)],
        delta[(int) Math.ceil(n * 0.999)]);
  }

  private static double[] deltas(long[] posted, int perMessage) {
    double[] delta = new double[posted.length - 1];
    for (int i = 0; i < delta.length; i++) {
      delta[i] = (posted[i + 1] - posted[i]) / 1e3 / perMessage;
    }
    return delta;
  }

  /** {@return the single results of a test, one a line} */
  static String results(long[] posted, int perMessage, Results which) {
    double[] delta = deltas(posted, perMessage);
    int n = delta.length;
    if (which == Results.SORTED) {
      Arrays.sort(delta);
      n -= TAIL;
    }
    StringBuilder text = new StringBuilder("#, usec\n");
    for (int i = 0; i < n; i++) {
      text.append(i + 1).append(", ").append(general(delta[i])).append('\n');
    }
    return text.toString();
  }

  /** As C's %g: six digits, without the zeros that say nothing. */
  static String general(double value) {
    BigDecimal rounded = new BigDecimal(value).round(new MathContext(DIGITS)).stripTrailingZeros();
    int exponent = rounded.precision() - rounded.scale() - 1;
    if (rounded.signum() == 0) {
      return "0";
    }
    if (exponent >= -4 && exponent < DIGITS) {
      return rounded.toPlainString();
    }
    String digits = rounded.movePointLeft(exponent).stripTrailingZeros().toPlainString();
    return String.format(
        Locale.ROOT, "%se%s%02d", digits, exponent < 0 ? "-" : "+", Math.abs(exponent));
  }

  /**
   * What a run by time has done.
   *
   * @param size message size in bytes
   * @param messages how many were counted
   * @param ns in which time
   * @param perMessage one-way latencies in the time of a message
   */
  static String timed(int size, long messages, double ns, int perMessage) {
    return String.format(
        Locale.ROOT,
        " %-7d       %d            %-7.2f        %-7.2f",
        size,
        messages,
        ns / 1e3 / perMessage / messages,
        messages / (ns / 1e9));
  }

  String line() {
    return String.format(
        Locale.ROOT,
        " %-7d %d          %-7.2f        %-7.2f      %-7.2f  \t       %-7.2f     \t%-7.2f\t\t%-7.2f"
            + " \t\t%-7.2f",
        size,
        iters,
        least,
        most,
        typical,
        average,
        deviation,
        percent99,
        percent999);
  }
}
