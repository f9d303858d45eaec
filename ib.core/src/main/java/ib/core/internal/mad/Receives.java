package ib.core.internal.mad;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The messages that a port is receiving in one direction, or has received and remembers. Strangers
 * begin them, so there is an end to their number and to the segments that they keep together. On
 * the port's queue.
 */
final class Receives {
  /** How many messages there may be. */
  static final int MAX_MESSAGES = 1024;

  /** How many segments they may keep: two of the longest messages. */
  static final int MAX_SEGMENTS = 2 * Rmpp.MAX_SEGMENTS;

  /** A message on its way, and whose. */
  record Receiving(Agent agent, RmppReceive transfer) {}

  private final Map<Rmpp.Key, Receiving> all = new LinkedHashMap<>(); // the oldest first
  private int segments;

  Receives() {}

  @Nullable Receiving get(Rmpp.Key key) {
    return all.get(key);
  }

  /** {@return whether one more may begin; the oldest that has arrived is forgotten for it} */
  boolean admits() {
    if (all.size() < MAX_MESSAGES) {
      return true;
    }
    for (Iterator<Receiving> i = all.values().iterator(); i.hasNext(); ) {
      RmppReceive oldest = i.next().transfer;
      if (oldest.complete()) {
        i.remove();
        oldest.close();
        return true;
      }
    }
    return false;
  }

  void put(Rmpp.Key key, Receiving receiving) {
    all.put(key, receiving);
  }

  void remove(Rmpp.Key key) {
    all.remove(key);
  }

  /** Takes the space of one segment; returns false when no space is free. */
  boolean keep() {
    boolean room = segments < MAX_SEGMENTS;
    if (room) {
      segments++;
    }
    return room;
  }

  /** Frees the space of segments. */
  void free(int count) {
    segments -= count;
  }

  /** Drops all transfers to a closed agent, without an ABORT. */
  void leave(Agent agent) {
    all.values()
        .removeIf(
            r -> {
              boolean its = r.agent.equals(agent);
              if (its) {
                r.transfer.close();
              }
              return its;
            });
  }
}
