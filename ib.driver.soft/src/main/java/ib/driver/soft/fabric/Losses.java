package ib.driver.soft.fabric;

import ib.engine.wire.Packet;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLongArray;

/** The lost packets of a port, by reason. Any thread may count; counting does not wait. */
final class Losses {
  /** Why the fabric does not deliver a packet. */
  enum Reason {
    /** The cable is not connected. */
    LINK_DOWN("the link is down"),
    /** No switch has a route, or the route ends at no adapter. */
    NO_ROUTE("no way to its destination"),
    /** The first switch on the route does not admit the partition of the packet. */
    PARTITION_IN("the switch takes no packets of its partition from this port"),
    /** The last switch on the route does not emit the partition of the packet. */
    PARTITION_OUT("the switch sends no packets of its partition to the destination"),
    /** The packet is longer than the MTU of the destination's link. */
    MTU("longer than the MTU of the destination's link"),
    /** No memory for one more receiver of a group. */
    NO_MEMORY("no memory for a replica");

    private final String text;
    private final String counter;

    Reason(String text) {
      this.text = text;
      this.counter = "fabric_drop_" + name().toLowerCase(Locale.ROOT);
    }
  }

  private static final Reason[] REASONS = Reason.values();

  private final AtomicLongArray counts = new AtomicLongArray(REASONS.length);

  Losses() {}

  void count(Reason why) {
    counts.getAndIncrement(why.ordinal());
  }

  /** Counts a lost packet, and reports it to the capture. */
  void count(Packet packet, Reason why) {
    count(why);
    packet.dropped = why.text;
  }

  long sum() {
    long sum = 0;
    for (int i = 0; i < REASONS.length; i++) {
      sum += counts.get(i);
    }
    return sum;
  }

  /** {@return all counters with their names, in order} */
  Map<String, Long> named() {
    Map<String, Long> all = new LinkedHashMap<>();
    for (Reason r : REASONS) {
      all.put(r.counter, counts.get(r.ordinal()));
    }
    return all;
  }
}
