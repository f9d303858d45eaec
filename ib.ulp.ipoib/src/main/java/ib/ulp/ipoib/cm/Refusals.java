package ib.ulp.ipoib.cm;

import ib.core.client.Incidents;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLongArray;
import org.slf4j.LoggerFactory;

/** Counts refused requests by reason, and logs them at a limited rate. Any thread may call. */
public final class Refusals {
  private final AtomicLongArray counts = new AtomicLongArray(Refusal.values().length);
  private final Incidents incidents =
      new Incidents("connection manager", LoggerFactory.getLogger(Refusals.class)::warn);

  public Refusals() {}

  /**
   * Counts a refused request.
   *
   * @param from the sender, for the log
   */
  void count(Refusal why, Object from) {
    counts.incrementAndGet(why.ordinal());
    incidents.refused(why.label(), from::toString);
  }

  public long of(Refusal why) {
    return counts.get(why.ordinal());
  }

  /** {@return the counters above 0, by name} */
  public Map<String, Long> all() {
    Map<String, Long> all = new LinkedHashMap<>();
    for (Refusal why : Refusal.values()) {
      if (of(why) != 0) {
        all.put(why.label(), of(why));
      }
    }
    return all;
  }
}
