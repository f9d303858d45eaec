package ib.cm.internal.machine;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** The connections of a station by each of their keys, and by the time of their timers. */
final class Book {
  /**
   * An adapter's name of a connection, or of a queue pair. The source is part of it: a stranger
   * that knows the numbers of an adapter does not stand for the adapter.
   */
  private record Key(Object source, long guid, int number) {
    static Key of(Connection c, int number) {
      return new Key(Strangers.source(c.way), c.remoteGuid, number);
    }
  }

  private final RandomGenerator random;
  private final Map<Integer, Connection> byId = new HashMap<>();
  private final Map<Key, Connection> byRequest = new HashMap<>(); // CM-39
  private final Map<Key, Connection> byQpn = new HashMap<>(); // CM-40
  private final TreeSet<Connection> timers =
      new TreeSet<>(
          Comparator.<Connection>comparingLong(c -> c.timerNs).thenComparingInt(c -> c.id));

  Book(RandomGenerator random) {
    this.random = random;
  }

  /** {@return a name that no connection has, not 0 and not to be guessed (CM-4)} */
  int freeId() {
    int id = random.nextInt();
    while (id == 0 || byId.containsKey(id)) {
      id = random.nextInt();
    }
    return id;
  }

  void add(Connection c) {
    byId.put(c.id, c);
    if (!c.active) {
      byRequest.put(Key.of(c, c.remoteId), c);
      keepQpn(c);
    }
  }

  /** Enters the peer's queue pair, which must not be part of another connection. */
  void keepQpn(Connection c) {
    byQpn.put(Key.of(c, c.peer().qpn()), c);
  }

  /** Lets the peer's queue pair connect again: this side has left the connection (CM-42). */
  void dropQpn(Connection c) {
    if (c.peer != null) {
      byQpn.remove(Key.of(c, c.peer.qpn()), c);
    }
  }

  void remove(Connection c) {
    byId.remove(c.id);
    byRequest.remove(Key.of(c, c.remoteId), c);
    dropQpn(c);
    timer(c, Connection.NO_TIMER);
  }

  @Nullable Connection named(int id) {
    return byId.get(id);
  }

  @Nullable Connection requestedBy(Object source, long guid, int remoteId) {
    return byRequest.get(new Key(source, guid, remoteId));
  }

  @Nullable Connection of(Object source, long guid, int qpn) {
    return byQpn.get(new Key(source, guid, qpn));
  }

  /** Starts, moves or stops the timer of a connection. */
  void timer(Connection c, long atNs) {
    timers.remove(c);
    c.timerNs = atNs;
    if (atNs != Connection.NO_TIMER) {
      timers.add(c);
    }
  }

  /** {@return the connection whose timer is next, or null} */
  @Nullable Connection next() {
    return timers.isEmpty() ? null : timers.first();
  }

  List<Connection> all() {
    return new ArrayList<>(byId.values());
  }

  /** {@return how many entries of any kind there are} */
  int size() {
    return byId.size() + byRequest.size() + byQpn.size() + timers.size();
  }
}
