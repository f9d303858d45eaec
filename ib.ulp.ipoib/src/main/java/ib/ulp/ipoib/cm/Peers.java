package ib.ulp.ipoib.cm;

import ib.core.verbs.AhAttr;
import ib.core.verbs.GlobalRoute;
import ib.ulp.ipoib.cm.Connection.State;
import ib.ulp.ipoib.wire.LinkAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The connections of one interface, by peer. Used on the loop's thread only. */
final class Peers {
  /**
   * The connections with one peer: at most one that this side asked for, any number that the peer
   * asked for.
   */
  static final class Peer {
    @Nullable Connection active;
    final List<Connection> passive = new ArrayList<>();
    boolean shares; // the peer follows C3: its connection serves both directions

    @Nullable Connection among(State state) {
      for (Connection c : passive) {
        if (c.state == state) {
          return c;
        }
      }
      return null;
    }
  }

  private final Map<LinkAddress, Peer> peers = new HashMap<>();
  private final Map<Object, Integer> bySource =
      new HashMap<>(); // number of passive connections by source
  private int passives;

  Peer of(LinkAddress address) {
    return peers.computeIfAbsent(address, a -> new Peer());
  }

  @Nullable Peer known(LinkAddress address) {
    return peers.get(address);
  }

  /** {@return how many connections peers have asked for} */
  int passives() {
    return passives;
  }

  /** {@return how many connections the port at the end of that path has asked for} */
  int passives(AhAttr way) {
    return bySource.getOrDefault(source(way), 0);
  }

  /**
   * Returns the part of an address that its holder cannot choose: the GID on RoCE, else the LID.
   */
  private static Object source(AhAttr way) {
    GlobalRoute route = way.grh();
    return way.dlid() == 0 && route != null ? route.dgid() : way.dlid();
  }

  void add(Connection c) {
    Peer peer = of(c.peer);
    if (c.active) {
      peer.active = c;
    } else {
      peer.passive.add(c);
      passives++;
      bySource.merge(source(c.way), 1, Integer::sum);
    }
  }

  void remove(Connection c) {
    Peer peer = peers.get(c.peer);
    if (peer != null) {
      if (c.equals(peer.active)) {
        peer.active = null;
      }
      if (peer.passive.remove(c)) {
        passives--;
        bySource.computeIfPresent(source(c.way), (source, n) -> n == 1 ? null : n - 1);
      }
      tidy(c.peer);
    }
  }

  /** Forgets a peer that has no connection and does not share. */
  void tidy(LinkAddress address) {
    Peer peer = peers.get(address);
    if (peer != null && peer.active == null && peer.passive.isEmpty() && !peer.shares) {
      peers.remove(address);
    }
  }

  /**
   * Forgets all peers without a connection, also those that shared: a peer may have changed its
   * behaviour.
   */
  void tidyAll() {
    peers.values().removeIf(p -> p.active == null && p.passive.isEmpty());
  }

  /** {@return the connection to send to a peer on; null when there is none} */
  @Nullable Connection usable(LinkAddress address) {
    Peer peer = peers.get(address);
    if (peer == null) {
      return null;
    }
    Connection mine = peer.active;
    if (mine != null && mine.state == State.ESTABLISHED) {
      return mine;
    }
    return peer.shares ? peer.among(State.ESTABLISHED) : null;
  }

  /** {@return whether a connection to the peer exists or is being set up} */
  boolean coming(LinkAddress address) {
    Peer peer = peers.get(address);
    return peer != null
        && (peer.active != null || peer.shares && peer.among(State.REP_SENT) != null);
  }
}
