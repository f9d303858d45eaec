package ib.core.internal.mad;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLongArray;

/** The counts of one port. */
final class Counters {
  private final AtomicLongArray counts = new AtomicLongArray(Counter.values().length);

  void add(Counter which) {
    counts.incrementAndGet(which.ordinal());
  }

  long of(Counter which) {
    return counts.get(which.ordinal());
  }

  /** {@return name to value, in order} */
  Map<String, Long> named() {
    Map<String, Long> named = new LinkedHashMap<>();
    for (Counter c : Counter.values()) {
      named.put("mad_" + c.name().toLowerCase(Locale.ROOT), of(c));
    }
    return named;
  }
}
