package ib.tools.perftest;

import java.util.Locale;

/**
 * The result of a bandwidth test.
 *
 * @param size message size in bytes
 * @param iters number of messages
 * @param peak largest MiB per second between any two messages; 0 when it was not computed
 * @param average MiB per second
 * @param messageRate millions of messages per second
 */
record Bandwidth(long size, long iters, double peak, double average, double messageRate) {
  private static final String HEAD =
      " #bytes     #iterations    BW peak[MB/sec]    BW average[MB/sec]   MsgRate[Mpps]";
  private static final double MIB = 0x100000;
  private static final double GBIT = 125_000_000;

  /**
   * Computes the result of a run.
   *
   * @param posted times in ns when messages were posted; at least the first one is set
   * @param completed times in ns when completions were polled; at least the last one is set
   * @param peak whether to compute the peak
   * @param step messages per completion
   */
  static Bandwidth of(int size, long[] posted, long[] completed, boolean peak, int step) {
    int n = completed.length;
    double ns = Math.max(1, completed[n - 1] - posted[0]);
    double least = Double.MAX_VALUE;
    if (peak) {
      for (int i = 0; i < n; i++) {
        for (int j = Math.min(n, (i / step + 1) * step) - 1; j < n; j += step) {
          least = Math.min(least, Math.max(1.0, completed[j] - posted[i]) / (j - i + 1));
        }
      }
    }
    return new Bandwidth(
        size, n, peak ? size * 1e9 / least / MIB : 0, size * 1e9 * n / ns / MIB, n * 1e3 / ns);
  }

  /**
   * Computes the result of a run with a time limit.
   *
   * @param size message size in bytes
   * @param messages number of messages
   * @param ns duration in nanoseconds
   */
  static Bandwidth of(int size, long messages, double ns) {
    return new Bandwidth(size, messages, 0, size * 1e9 * messages / ns / MIB, messages * 1e3 / ns);
  }

  /** {@return the sum of both ends' results, with the number of messages of this end} */
  Bandwidth with(Bandwidth other) {
    return new Bandwidth(
        size, iters, peak + other.peak, average + other.average, messageRate + other.messageRate);
  }

  /** {@return the head of the table, in MiB or Gb per second} */
  static String head(boolean gbits) {
    return gbits ? HEAD.replace("MB", "Gb") : HEAD;
  }

  String line(boolean gbits) {
    double unit = gbits ? MIB / GBIT : 1;
    return String.format(
        Locale.ROOT,
        " %-7d    %-10d       %-7.2f            %-7.2f\t\t   %-7.6f",
        size,
        iters,
        peak * unit,
        average * unit,
        messageRate);
  }
}
