package ib.core.internal.event;

/**
 * How many posts the bus has not given back: bounds what a device piles up in the EventAdmin, whose
 * own queue has no bound. Beyond the limit one post per probe time is let through, to notice that
 * the bus is well again. Guarded by its {@link Poster}.
 */
final class BusLag {
  private final int limit;
  private final long probeNs;
  private int out;
  private long lastKey;
  private long lastPostNs;

  BusLag(int limit, long probeNs) {
    this.limit = limit;
    this.probeNs = probeNs;
  }

  /** Mirrored events get half of the room, so that they never displace the others. */
  boolean mayPost(long nowNs, boolean mirror) {
    return out < (mirror ? limit / 2 : limit) || nowNs - lastPostNs >= probeNs;
  }

  void posted(long key, long nowNs) {
    out++;
    lastKey = key;
    lastPostNs = nowNs;
  }

  void returned(long key) {
    // one poster, so the bus keeps order: when the latest is back, nothing earlier is still in it
    out = key == lastKey ? 0 : Math.max(0, out - 1);
  }
}
