package ib.engine.sim;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Eight bytes that many change with atomics, and what they tell about the order in which that was
 * done. Every addition adds a unit in two bits of its own, so a value says which of them were made,
 * and one made twice shows; every swap puts in a number that no other does, so a number that was
 * replaced never comes back.
 */
final class Word {
  private static final int TICKETS = 32;
  private static final long ONES = 0x5555_5555_5555_5555L;

  final int index;
  final boolean adds;
  private final long first;
  private final List<Request> all = new ArrayList<>();
  private long known; // the units of additions that are complete
  private long believed; // what a swapper thinks stands there

  Word(int index, boolean adds, long first) {
    this.index = index;
    this.adds = adds;
    this.first = first;
    this.believed = first;
  }

  boolean isUsedUp() {
    return all.size() == TICKETS;
  }

  /** Makes up what a request does. */
  void plan(Request r, long random, boolean hopeless) {
    r.word = this;
    r.ticket = all.size();
    if (adds) {
      r.operand = unit(r);
      r.before = known;
    } else {
      r.operand = random;
      r.compare = hopeless && !all.isEmpty() ? all.getFirst().operand : believed;
    }
    all.add(r);
  }

  private static long unit(Request r) {
    return 1L << 2 * r.ticket;
  }

  /** A request has completed. */
  void done(Request r, long value) {
    r.outcome = Request.Outcome.DONE;
    r.found = value;
    if (adds) {
      long made = value - first;
      if ((made & ~posted()) != 0 || (made & unit(r)) != 0 || (made & r.before) != r.before) {
        throw fail(r + " found additions " + Long.toHexString(made) + " made before it");
      }
      known |= unit(r);
    } else {
      if (value == r.operand || !isKnown(value)) {
        throw fail(r + " found " + Long.toHexString(value));
      }
      believed = value == r.compare ? r.operand : value;
    }
  }

  private long posted() {
    return all.size() == TICKETS ? ONES : ONES & (1L << 2 * all.size()) - 1;
  }

  private boolean isKnown(long value) {
    return value == first || all.stream().anyMatch(r -> r.operand == value);
  }

  /** All is over: is there an order in which each was done once, and all found what they found? */
  void check(long last) {
    if (adds) {
      checkAdditions(last - first);
    } else if (!leads(first, last, new HashSet<>())) {
      throw fail("no order of the swaps leads to " + Long.toHexString(last));
    }
  }

  private void checkAdditions(long last) {
    List<Request> done = new ArrayList<>(all);
    done.removeIf(r -> r.outcome != Request.Outcome.DONE);
    done.sort(
        (a, b) -> Integer.compare(Long.bitCount(a.found - first), Long.bitCount(b.found - first)));
    long made = 0;
    for (Request r : done) {
      long found = r.found - first;
      if ((found & made) != made) {
        throw fail(r + " missed an addition before it");
      }
      made = found | unit(r);
    }
    if ((last & made) != made || (last & ~posted()) != 0) {
      throw fail(
          "additions " + Long.toHexString(last) + " at the end, not " + Long.toHexString(made));
    }
  }

  /** Whether all swaps that succeeded lie on a way from a value to the last one. */
  private boolean leads(long from, long last, Set<Request> way) {
    for (Request r : all) {
      boolean here =
          switch (r.outcome) {
            case DONE -> r.found == from;
            case UNKNOWN -> true; // perhaps never executed
            case OPEN -> false;
          };
      if (here && r.compare == from && way.add(r)) {
        if (leads(r.operand, last, way)) {
          return true;
        }
        way.remove(r);
      }
    }
    return from == last && way.containsAll(succeeded());
  }

  private List<Request> succeeded() {
    return all.stream()
        .filter(r -> r.outcome == Request.Outcome.DONE && r.found == r.compare)
        .toList();
  }

  private SimFailure fail(String what) {
    return new SimFailure("word " + index + ": " + what);
  }
}
