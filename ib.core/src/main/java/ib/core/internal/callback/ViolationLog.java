package ib.core.internal.callback;

import ib.core.client.Violation;
import ib.core.internal.trace.ViolationEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The latest violations. Each is logged once; a repetition of the same clause at the same place is
 * only counted. Lock-free, because threads in atomic sections add to the log.
 */
final class ViolationLog {
  private static final Logger LOG = LoggerFactory.getLogger("ib.core.contract");
  private static final int SIZE = 1000; // IbCore.violations

  private final AtomicReferenceArray<Violation> ring = new AtomicReferenceArray<>(SIZE);
  private final AtomicLong recorded = new AtomicLong();
  private final AtomicLong total = new AtomicLong();
  private final Set<Place> known = new ConcurrentSkipListSet<>();

  void add(Violation v) {
    total.incrementAndGet();
    if (!known.add(Place.of(v))) {
      return;
    }
    long n = recorded.getAndIncrement();
    ring.set((int) (n % SIZE), v);
    if (n % SIZE == SIZE - 1) {
      known.clear(); // bounds the memory: a violation that happens again is logged again
    }
    ViolationEvent.emit(v);
    LOG.warn("broken clause: {}", v.report());
  }

  long total() {
    return total.get();
  }

  List<Violation> list() {
    List<Violation> list = new ArrayList<>();
    long end = recorded.get();
    for (long n = Math.max(0, end - SIZE); n < end; n++) {
      Violation v = ring.get((int) (n % SIZE));
      if (v != null) {
        list.add(v);
      }
    }
    return list;
  }

  /**
   * Two violations with the same clause, culprit and stack are the same one. A device that is
   * removed with 1,000 objects left behind adds 1,000 violations, so the hash is compared first,
   * and the stack, which is long, only where the hashes are equal.
   */
  private record Place(int hash, String clause, String culprit, List<String> stack)
      implements Comparable<Place> {
    static Place of(Violation v) {
      int hash = Objects.hash(v.clause(), v.culprit(), v.stack());
      return new Place(hash, v.clause(), v.culprit(), v.stack());
    }

    @Override
    public int compareTo(Place other) {
      int order = Integer.compare(hash, other.hash);
      if (order == 0 && !equals(other)) {
        order = text().compareTo(other.text());
      }
      return order;
    }

    private String text() {
      return clause + ' ' + culprit + ' ' + stack;
    }
  }
}
