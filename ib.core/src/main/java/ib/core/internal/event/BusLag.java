package ib.core.internal.event;

/**
 * The number of posts that the bus has not given back. It bounds how many events of a device wait
 * in the EventAdmin; the queue of the EventAdmin has no bound. Beyond the limit one post per probe
 * time is allowed, which shows whether the bus works again. Guarded by the {@link Poster}'s
 * monitor.
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

  /** {@return whether the bus takes a post; mirrored events may use half of the limit only} */
  boolean mayPost(long nowNs, boolean mirror) {
    return out < (mirror ? limit / 2 : limit) || nowNs - lastPostNs >= probeNs;
  }

  void posted(long key, long nowNs) {
    out++;
    lastKey = key;
    lastPostNs = nowNs;
  }

  void returned(long key) {
    // one thread posts, so the bus keeps the order: the latest post comes back last
    out = key == lastKey ? 0 : Math.max(0, out - 1);
  }
}
