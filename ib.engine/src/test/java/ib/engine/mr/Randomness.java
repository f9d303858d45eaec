package ib.engine.mr;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.LongBinaryOperator;
import java.util.function.LongUnaryOperator;

/**
 * Is a stream of numbers predictable? Every statistic is brought to a standard normal one and must
 * stay within {@value #SIGMAS}: a good generator fails one of them with probability 2.6e-12, and a
 * verdict of at most 200 of them with less than 1e-9.
 */
public final class Randomness {
  static final double SIGMAS = 7;
  private static final int SERIAL_BITS = 6;

  private final String name;
  private final long[] values;
  private final int low;
  private final int bits;
  private final List<String> failures = new ArrayList<>();
  private int statistics;

  private Randomness(String name, long[] values, int low, int bits) {
    this.name = name;
    this.values = values;
    this.low = low;
    this.bits = bits;
  }

  /**
   * Judges a stream.
   *
   * @param name for the report
   * @param values in the order in which they were given
   * @param low the lowest bit that has to be random
   * @param bits how many bits from there on have to be
   * @return what is wrong with it; empty when nothing
   */
  public static List<String> judge(String name, long[] values, int low, int bits) {
    Randomness r = new Randomness(name, values, low, bits);
    r.frequencies("value", (before, now) -> now);
    r.frequencies("difference", (before, now) -> now - before);
    r.frequencies("exclusive or", (before, now) -> before ^ now);
    r.serial();
    r.predictors();
    if (r.statistics > 200) {
      throw new AssertionError(r.statistics + " statistics: the stated error rate does not hold");
    }
    return r.failures;
  }

  private long value(int i) {
    return values[i] >>> low;
  }

  private void statistic(String what, double z) {
    statistics++;
    if (!(Math.abs(z) <= SIGMAS)) {
      failures.add(String.format(Locale.ROOT, "%s: %s: %.1f sigmas", name, what, z));
    }
  }

  /** Chi-square brought to normal (Wilson, Hilferty). */
  static double chiSquare(long[] cells) {
    long n = 0;
    for (long c : cells) {
      n += c;
    }
    double expected = (double) n / cells.length;
    double sum = 0;
    for (long c : cells) {
      sum += (c - expected) * (c - expected) / expected;
    }
    double df = cells.length - 1;
    double v = 2 / (9 * df);
    return (Math.cbrt(sum / df) - (1 - v)) / Math.sqrt(v);
  }

  /** Every byte of what two neighbours make, and every single bit of it. */
  private void frequencies(String what, LongBinaryOperator of) {
    for (int at = 0; at < bits; at += 8) {
      int shift = Math.min(at, bits - 8);
      long[] cells = new long[256];
      for (int i = 1; i < values.length; i++) {
        cells[(int) (of.applyAsLong(value(i - 1), value(i)) >>> shift) & 255]++;
      }
      statistic(what + ", byte from bit " + shift, chiSquare(cells));
    }
  }

  /** Serial test: the upper bits of neighbours, and the lower ones, in pairs. */
  private void serial() {
    for (int shift : new int[] {0, bits - SERIAL_BITS}) {
      LongUnaryOperator part = v -> v >>> shift & (1 << SERIAL_BITS) - 1;
      long[] cells = new long[1 << 2 * SERIAL_BITS];
      for (int i = 1; i < values.length; i += 2) {
        cells[(int) (part.applyAsLong(value(i - 1)) << SERIAL_BITS | part.applyAsLong(value(i)))]++;
      }
      statistic("serial, from bit " + shift, chiSquare(cells));
    }
  }

  /**
   * Guesses each number from those before: the same step again, the commonest step, the next
   * number, the next index whatever its lower byte. Right in all bits, or in the upper 8, no more
   * often than chance.
   */
  private void predictors() {
    long[] whole = new long[4];
    long[] upper = new long[4];
    long step = 1;
    for (int i = 2; i < values.length; i++) {
      long last = value(i - 1);
      long again = last - value(i - 2);
      long[] guesses = {last + again, last + step, last + 1, last + 256};
      for (int g = 0; g < guesses.length; g++) {
        long wrong = (guesses[g] ^ value(i)) & mask(bits);
        whole[g] += g == 3 ? one(wrong >>> 8) : one(wrong);
        upper[g] += one(wrong >>> bits - 8);
      }
      step = step == again || i % 2 == 0 ? again : step;
    }
    int n = values.length - 2;
    for (int g = 0; g < 4; g++) {
      statistic("predictor " + g + ", upper 8 bits", binomial(upper[g], n, 1.0 / 256));
      int guessed = g == 3 ? bits - 8 : bits;
      rare("predictor " + g, whole[g], n * Math.pow(2, -guessed));
    }
  }

  private static int one(long wrong) {
    return wrong == 0 ? 1 : 0;
  }

  private static long mask(int bits) {
    return -1L >>> 64 - bits;
  }

  private static double binomial(long hits, int n, double p) {
    return (hits - n * p) / Math.sqrt(n * p * (1 - p));
  }

  /** For few expected hits: Poisson, at most one in 1e12 good streams has so many. */
  private void rare(String what, long hits, double expected) {
    statistics++;
    double below = 0;
    double term = Math.exp(-expected);
    long allowed = 0;
    while (1 - below - term > 1e-12) {
      below += term;
      term *= expected / ++allowed;
    }
    if (hits > allowed) {
      failures.add(name + ": " + what + ": " + hits + " hits, by chance " + expected);
    }
  }
}
