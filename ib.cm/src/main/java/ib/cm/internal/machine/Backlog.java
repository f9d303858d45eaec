package ib.cm.internal.machine;

import ib.core.verbs.IbInvalidException;
import java.util.HashMap;
import java.util.Map;

/**
 * The requests that wait at a listener. An eighth of the places is for peers that have none yet, so
 * that one peer alone does not keep others from a service. Only the station may touch it.
 */
final class Backlog {
  private static final int SHARE = 8;

  private final Map<Object, Integer> sources = new HashMap<>();
  private final int mostOfOne;
  private int places;
  private int waiting;

  Backlog(int places) {
    this(places, Integer.MAX_VALUE);
  }

  /**
   * Creates an empty backlog.
   *
   * @param places how many requests may wait, from 0
   * @param mostOfOne how many of one source
   */
  Backlog(int places, int mostOfOne) {
    this.mostOfOne = mostOfOne;
    places(places);
  }

  /**
   * Changes the number of places.
   *
   * @param requests how many requests may wait, from 0
   * @throws IbInvalidException for fewer than 0
   */
  void places(int requests) {
    if (requests < 0) {
      throw new IbInvalidException("listen", "backlog " + requests, "0 or more");
    }
    places = requests;
  }

  /** {@return whether one more request of a source may wait} */
  boolean takes(Object source) {
    int its = sources.getOrDefault(source, 0);
    return its < mostOfOne && waiting < places - (its > 0 ? places / SHARE : 0);
  }

  /** A request of a source waits. */
  void add(Object source) {
    waiting++;
    sources.merge(source, 1, Integer::sum);
  }

  /** A request of a source waits no more. */
  void remove(Object source) {
    waiting--;
    sources.computeIfPresent(source, (s, n) -> n == 1 ? null : n - 1);
  }
}
