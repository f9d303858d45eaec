package ib.cm.internal.machine;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Limits what each source of messages may have in a second (CM-7, API-9): a bucket of tokens that
 * fills in a second. The {@link #MAX_SOURCES} sources that have asked last are known.
 */
final class Quota {
  /** Answers that are made without state. */
  static final int ANSWERS = 1_000;

  static final int MAX_SOURCES = 1_024;
  private static final long SECOND_NS = 1_000_000_000L;

  private static final class Bucket {
    long tokens;
    long filledNs;
  }

  private final int most;

  private final Map<Object, Bucket> buckets =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Object, Bucket> eldest) {
          return size() > MAX_SOURCES;
        }
      };

  /**
   * Creates full buckets.
   *
   * @param most of one source in a second
   */
  Quota(int most) {
    this.most = most;
  }

  /** {@return whether a source may have one more} */
  boolean take(Object source, long nowNs) {
    Bucket b = buckets.get(source);
    if (b == null) {
      b = new Bucket();
      b.tokens = most;
      b.filledNs = nowNs;
      buckets.put(source, b);
    }
    long tokenNs = SECOND_NS / most;
    long more = (nowNs - b.filledNs) / tokenNs;
    b.filledNs += more * tokenNs;
    b.tokens = Math.min(most, b.tokens + more);
    if (b.tokens == 0) {
      return false;
    }
    b.tokens--;
    return true;
  }
}
