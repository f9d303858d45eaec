package ib.driver.rxe.udp;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLongArray;

/** The counter values of one device. Any thread may call; calls do not block. */
final class UdpCounters {
  private static final UdpCounter[] ALL = UdpCounter.values();

  private final AtomicLongArray counts = new AtomicLongArray(ALL.length);

  void count(UdpCounter which) {
    counts.getAndIncrement(which.ordinal());
  }

  void count(UdpCounter which, int n) {
    counts.getAndAdd(which.ordinal(), n);
  }

  long read(UdpCounter which) {
    return counts.get(which.ordinal());
  }

  /** {@return all counters by name, in order} */
  Map<String, Long> named() {
    Map<String, Long> named = new LinkedHashMap<>();
    for (UdpCounter counter : ALL) {
      named.put(counter.label(), read(counter));
    }
    return named;
  }
}
