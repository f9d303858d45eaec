package ib.tools.perftest;

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
  private static final int TAIL = 2;

  /**
   * Counts.
   *
   * @param posted when each message was posted, in ns
   * @param perMessage one-way latencies in the time of a message: 2 when it went there and back
   */
  static Latency of(int size, long[] posted, int perMessage) {
    double[] delta = new double[posted.length - 1];
    for (int i = 0; i < delta.length; i++) {
      delta[i] = (posted[i + 1] - posted[i]) / 1e3 / perMessage;
    }
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
