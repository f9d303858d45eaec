package ib.web.counters;

import java.util.ArrayList;
import java.util.List;

/**
 * The samples of a port, oldest first.
 *
 * @param device device name
 * @param port from 1
 * @param samples at most {@value #MAX_SAMPLES}
 */
record Series(String device, int port, List<Sample> samples) {
  /** Five minutes at one sample per second. */
  static final int MAX_SAMPLES = 300;

  private static final double SECOND = 1e9;

  /** Copies the list. */
  Series {
    samples = List.copyOf(samples);
  }

  /** {@return this series with one more sample, without those that are too old} */
  Series with(Sample sample) {
    List<Sample> all = new ArrayList<>(samples);
    all.add(sample);
    int from = Math.max(0, all.size() - MAX_SAMPLES);
    return new Series(device, port, all.subList(from, all.size()));
  }

  /**
   * The rates between two samples.
   *
   * @param atNs time of the later one
   * @param sent bytes per second
   * @param received bytes per second
   * @param packets packets per second
   * @param drops packets dropped
   */
  record Rate(long atNs, double sent, double received, double packets, long drops) {}

  /** {@return the rates between samples; a counter that was set back counts as 0} */
  List<Rate> rates() {
    List<Rate> rates = new ArrayList<>();
    for (int i = 1; i < samples.size(); i++) {
      Sample before = samples.get(i - 1);
      Sample now = samples.get(i);
      double seconds = Math.max(1, now.atNs() - before.atNs()) / SECOND;
      rates.add(
          new Rate(
              now.atNs(),
              Math.max(0, now.sentBytes() - before.sentBytes()) / seconds,
              Math.max(0, now.receivedBytes() - before.receivedBytes()) / seconds,
              Math.max(0, now.packets() - before.packets()) / seconds,
              Math.max(0, now.dropCount() - before.dropCount())));
    }
    return rates;
  }
}
