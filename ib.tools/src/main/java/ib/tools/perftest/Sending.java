package ib.tools.perftest;

import java.util.Arrays;

/**
 * The requests of a bandwidth run: how many each queue pair has outstanding, and their times. For
 * the run's thread only.
 */
final class Sending {
  /** Posts the next requests of a queue pair. */
  @FunctionalInterface
  interface Poster {
    void post(int qp, boolean signaled);
  }

  private final PerftestOptions options;
  private final Sampling sampling;
  private final Poster poster;
  private final long[] posted;
  private final long[] completed;
  private final long[] sent;
  private final long[] done;
  private final long iters; // messages of each queue pair
  private int allSent;
  private int allDone;

  Sending(PerftestOptions options, Sampling sampling, Poster poster) {
    this.options = options;
    this.sampling = sampling;
    this.poster = poster;
    boolean timed = sampling.timed;
    int total = timed ? 0 : options.iters() * options.queuePairs();
    iters = timed ? Long.MAX_VALUE : options.iters();
    posted = new long[total];
    completed = new long[total];
    sent = new long[options.queuePairs()];
    done = new long[options.queuePairs()];
  }

  boolean complete() {
    return !sampling.timed && allDone == completed.length;
  }

  /** Posts requests until the send queues are full. */
  void fill() {
    int list = options.postList();
    for (int i = 0; i < sent.length; i++) {
      while (sent[i] < iters && sent[i] - done[i] + list <= options.txDepth()) {
        if (!sampling.timed) {
          Arrays.fill(posted, allSent, allSent + list, System.nanoTime());
          allSent += list;
        }
        sent[i] += list;
        poster.post(i, sent[i] % options.cqMod() == 0 || sent[i] == iters);
      }
    }
  }

  /** Counts completions; each stands for all requests since the previous signaled one. */
  void take(Completions queue, int n) {
    for (int k = 0; k < n; k++) {
      int i = queue.qp(k);
      int fill = (int) Math.min(options.cqMod(), iters - done[i]);
      done[i] += fill;
      if (sampling.timed) {
        sampling.count(fill);
      } else {
        Arrays.fill(completed, allDone, allDone + fill, System.nanoTime());
        allDone += fill;
      }
    }
  }

  /** {@return the number of complete messages of all queue pairs} */
  long done() {
    return Arrays.stream(done).sum();
  }

  Bandwidth report(int size) {
    return sampling.timed
        ? Bandwidth.of(size, sampling.counted(), sampling.ns())
        : Bandwidth.of(size, posted, completed, options.peak(), options.cqMod());
  }
}
