package ib.tools.perftest;

import java.util.Arrays;
import java.util.function.IntConsumer;

/**
 * The receives of a bandwidth run, which keeps the receive queues full. For the run's thread only.
 */
final class Receiving {
  private final PerftestOptions options;
  private final Sampling sampling;
  private final IntConsumer poster;
  private final long[] posted;
  private final long total;
  private long received;
  private long first;

  Receiving(PerftestOptions options, Sampling sampling, IntConsumer poster) {
    this.options = options;
    this.sampling = sampling;
    this.poster = poster;
    posted = new long[options.queuePairs()];
    Arrays.fill(posted, options.rxDepth());
    total = (long) options.iters() * options.queuePairs();
  }

  boolean complete() {
    return !sampling.timed && received == total;
  }

  boolean begun() {
    return received > 0;
  }

  /** Counts completions, and posts a receive for each. */
  void take(Completions queue, int n) {
    if (n > 0 && received == 0) {
      first = System.nanoTime();
      sampling.begin();
    }
    received += n;
    sampling.count(n);
    for (int k = 0; k < n; k++) {
      int i = queue.qp(k);
      if (sampling.timed || posted[i] < options.iters()) {
        poster.accept(i);
        posted[i]++;
      }
    }
  }

  /** {@return the number of received messages} */
  long received() {
    return received;
  }

  Bandwidth report(int size) {
    return sampling.timed
        ? Bandwidth.of(size, sampling.counted(), sampling.ns())
        : Bandwidth.of(size, total, Math.max(1, System.nanoTime() - first));
  }
}
