package ib.tools.perftest;

import ib.tools.perftest.PerftestOptions.Results;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.Arrays;
import java.util.Locale;

/**
 * The result of a latency test, in microseconds.
 *
 * @param size message size in bytes
 * @param iters number of messages
 * @param least the smallest latency
 * @param most the second largest latency, as the original prints it
 * @param typical the median
 * @param average the mean
 * @param deviation standard deviation
 * @param percent99 latency that 99 % of the messages do not exceed
 * @param percent999 latency that 99.9 % of the messages do not exceed
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
   * Computes the result of a run.
   *
   * @param posted times in ns when the messages were posted
   * @param perMessage 2 if the message's time includes the way back; else 1
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

  /** {@return the single results of a test, one per line} */
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

  /** {@return a number in the format %g of C: six digits without trailing zeros} */
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
   * Returns the line of a run with a time limit.
   *
   * @param size message size in bytes
   * @param messages number of counted messages
   * @param ns duration in nanoseconds
   * @param perMessage 2 if a message's time includes the way back; else 1
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
