package ib.cm.internal.machine;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Paces what a port asks of each peer: so many REQs, and so many DREQs, are under way to it; others
 * wait in order. A burst would find the peer's queue pair 1 without a receive, or the listener's
 * backlog full, and what is lost there is sent again only seconds later (F4). A place is free again
 * when the peer has answered, in whatever way, when the message is sent again, or after {@link
 * #HOLD_NS}: a peer that is dead, or takes its time, delays others a little, and only those to
 * itself.
 */
final class Pace {
  /** A quarter of the datagrams that a port keeps; Linux 7.3: for all peers together (LX-4). */
  static final int PLACES = 128;

  /** How long a message keeps a place for which others wait. */
  static final long HOLD_NS = 100_000_000L;

  /** The questions of a kind to a peer. */
  private record Way(Object peer, Act kind) {}

  private static final class Lane {
    final Way way;
    final LinkedHashSet<Connection> waiting = new LinkedHashSet<>();
    int underWay;

    Lane(Way way) {
      this.way = way;
    }
  }

  private record Place(Lane lane, long sinceNs) {}

  private final int places;
  private final Consumer<Connection> go;
  private final Map<Way, Lane> lanes = new HashMap<>();
  private final LinkedHashMap<Connection, Place> underWay = new LinkedHashMap<>(); // oldest first
  private final Map<Connection, Lane> waiting = new HashMap<>();

  /**
   * Creates it.
   *
   * @param places how many messages of a kind are under way to a peer
   * @param go sends the message of a connection that has waited
   */
  Pace(int places, Consumer<Connection> go) {
    this.places = places;
    this.go = go;
  }

  /**
   * Takes a place for a question; {@return whether it is to be sent now, not when its turn comes}
   */
  boolean enter(Connection c, Act kind, long nowNs) {
    Lane lane = lanes.computeIfAbsent(new Way(Strangers.source(c.way), kind), Lane::new);
    if (lane.underWay < places) {
      take(c, lane, nowNs);
      return true;
    }
    lane.waiting.add(c);
    waiting.put(c, lane);
    return false;
  }

  private void take(Connection c, Lane lane, long nowNs) {
    lane.underWay++;
    underWay.put(c, new Place(lane, nowNs));
  }

  /** A connection needs its place no more, or does not wait for one; others go on. */
  void leave(Connection c, long nowNs) {
    Place place = underWay.remove(c);
    Lane lane = place == null ? waiting.remove(c) : place.lane;
    if (lane == null) {
      return;
    }
    if (place == null) {
      lane.waiting.remove(c);
    } else {
      lane.underWay--;
    }
    while (lane.underWay < places && !lane.waiting.isEmpty()) {
      Connection next = lane.waiting.removeFirst();
      waiting.remove(next);
      take(next, lane, nowNs);
      go.accept(next);
    }
    if (lane.underWay == 0) {
      lanes.remove(lane.way);
    }
  }

  /** Frees the places that were kept for long enough. */
  void tick(long nowNs) {
    while (nextNs() <= nowNs) {
      leave(underWay.firstEntry().getKey(), nowNs);
    }
  }

  /** {@return when {@link #tick} is to be called, {@link Connection#NO_TIMER} for never} */
  long nextNs() {
    Map.@Nullable Entry<Connection, Place> oldest = underWay.firstEntry();
    boolean none = oldest == null || waiting.isEmpty();
    return none ? Connection.NO_TIMER : oldest.getValue().sinceNs + HOLD_NS;
  }

  /** {@return how many entries of any kind there are} */
  int size() {
    return lanes.size() + underWay.size() + waiting.size();
  }
}
