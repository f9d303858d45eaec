package ib.cm.internal.machine;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Limits the answers that are made without state, for each source of messages (CM-7): a bucket of
 * {@link #BURST} tokens that fills in a second. The {@link #MAX_SOURCES} sources that have asked
 * last are known.
 */
final class Quota {
  static final int BURST = 1_000;
  static final int MAX_SOURCES = 1_024;
  private static final long TOKEN_NS = 1_000_000_000L / BURST;

  private static final class Bucket {
    long tokens = BURST;
    long filledNs;
  }

  private final Map<Object, Bucket> buckets =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Object, Bucket> eldest) {
          return size() > MAX_SOURCES;
        }
      };

  /** {@return whether a source may have one more answer} */
  boolean take(Object source, long nowNs) {
    Bucket b = buckets.get(source);
    if (b == null) {
      b = new Bucket();
      b.filledNs = nowNs;
      buckets.put(source, b);
    }
    long more = (nowNs - b.filledNs) / TOKEN_NS;
    b.filledNs += more * TOKEN_NS;
    b.tokens = Math.min(BURST, b.tokens + more);
    if (b.tokens == 0) {
      return false;
    }
    b.tokens--;
    return true;
  }
}
