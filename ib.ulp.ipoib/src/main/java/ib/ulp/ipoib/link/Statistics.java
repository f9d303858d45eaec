package ib.ulp.ipoib.link;

import ib.ulp.ipoib.cm.Refusals;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLongArray;

/** The counters of an interface. Only the loop's thread counts; any thread may read. */
public final class Statistics {
  /** The counters beside those of {@link Drop}; the first eight are Linux's (D10). */
  public enum Count {
    RX_PACKETS,
    TX_PACKETS,
    RX_BYTES,
    TX_BYTES,
    TX_ERRORS,
    RX_DROPPED,
    TX_DROPPED,
    MULTICAST,
    JOINS,
    JOINS_FAILED,
    JOINS_REPAIRED,
    JOIN_LATENCY_US,
    PATH_QUERIES,
    PATHS_FAILED,
    PATH_LATENCY_US,
    GSO_FRAMES,
    GSO_SEGMENTS,
    GRO_FRAMES,
    GRO_SEGMENTS,
    TX_WHOLE,
    RX_WHOLE
  }

  private static final int COUNTS = Count.values().length;

  /** The counters of refused connection manager messages. */
  final Refusals refusals = new Refusals();

  private final AtomicLongArray values = new AtomicLongArray(COUNTS + Drop.values().length);

  /** Adds to a counter; on the loop's thread only. */
  public void add(Count what, long by) {
    increase(what.ordinal(), by);
  }

  /** Counts a dropped packet by its reason and in Linux's sum; on the loop's thread only. */
  public void drop(Drop why) {
    increase(COUNTS + why.ordinal(), 1);
    add(why.sending() ? Count.TX_DROPPED : Count.RX_DROPPED, 1);
  }

  private void increase(int at, long by) {
    values.lazySet(at, values.getPlain(at) + by); // a single writer needs no atomic addition
  }

  public long of(Count what) {
    return values.get(what.ordinal());
  }

  public long of(Drop why) {
    return values.get(COUNTS + why.ordinal());
  }

  /** {@return all counters in the order in which they are printed; drop reasons only above 0} */
  public Map<String, Long> all() {
    Map<String, Long> all = new LinkedHashMap<>();
    for (Count count : Count.values()) {
      all.put(count.name().toLowerCase(Locale.ROOT), of(count));
    }
    for (Drop drop : Drop.values()) {
      if (of(drop) != 0) {
        all.put("drop_" + drop.label(), of(drop));
      }
    }
    all.putAll(refusals.all());
    return all;
  }
}
