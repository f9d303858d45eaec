package ib.ulp.ipoib.link;

import ib.core.verbs.IbException;
import ib.ulp.ipoib.cm.Connections;
import ib.ulp.ipoib.cm.Way;
import ib.ulp.ipoib.wire.LinkAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The peers that packets are sent to in connected mode: looks up their paths, connects, waits after
 * a failure, and keeps the packets that wait for a connection. Used on the loop's thread only.
 */
final class ConnectedPeers {
  private static final long HOLD_OFF_NS = 1_000_000_000L;
  private static final long MAX_HOLD_OFF_NS = 32_000_000_000L;

  /**
   * How long packets wait for a connection, as for a path (D1). REQs are repeated for 69 s (C2),
   * but the peer may have left connected mode while its link address is cached here.
   */
  private static final long HOPE_NS = Paths.TIMEOUT_MS * 1_000_000L;

  private final Link link;
  private final Supplier<@Nullable Connections> running;
  private final Map<LinkAddress, ConnectedPeer> peers = new HashMap<>();

  /** Creates an empty table; {@code running} supplies null while the mode is off. */
  ConnectedPeers(Link link, Supplier<@Nullable Connections> running) {
    this.link = link;
    this.running = running;
  }

  /** Drops all waiting packets and forgets the peers. */
  void flush() {
    peers.values().forEach(peer -> drop(peer, Drop.TX_NO_CARRIER));
    peers.clear();
  }

  /** Connects, unless that has failed recently. {@return whether a connection may come} */
  boolean connect(Connections connections, LinkAddress address) {
    ConnectedPeer peer = peers.computeIfAbsent(address, ConnectedPeer::new);
    peer.usedNs = link.loop().now();
    boolean wait = peer.notBeforeNs != 0 && peer.usedNs - peer.notBeforeNs < 0;
    if (peer.resolving || connections.coming(address)) {
      return true;
    }
    if (wait) {
      return false;
    }
    peer.resolving = true;
    link.ways().resolve(address.gid(), way -> resolved(peer, way));
    return peer.resolving || connections.coming(address);
  }

  private void resolved(ConnectedPeer peer, @Nullable Way way) {
    peer.resolving = false;
    Connections connections = running.get();
    if (connections == null || !peer.equals(peers.get(peer.address))) {
      return; // the mode was changed while the path was looked up
    }
    try {
      if (way == null) {
        failed(peer);
      } else if (connections.to(peer.address) == null && !connections.coming(peer.address)) {
        connections.connect(peer.address, way);
        link.loop().after(HOPE_NS, () -> unheard(peer));
      }
    } catch (IbException e) {
      link.log("no connection to " + peer.address + ": " + e.getMessage());
      failed(peer);
    }
  }

  /** After {@link #HOPE_NS} no packet waits for the peer; its answer is still accepted. */
  private void unheard(ConnectedPeer peer) {
    Connections connections = running.get();
    boolean known = peer.equals(peers.get(peer.address));
    if (known && connections != null && connections.to(peer.address) == null) {
      doubt(peer);
    }
  }

  /** Keeps a packet that is too long for a datagram until there is a connection, or drops it. */
  void await(LinkAddress address, boolean coming, Outgoing packet) {
    ConnectedPeer peer = peers.get(address);
    if (!coming || peer == null || peer.doubtful) {
      link.tooLong(packet, link.datagramMtu()); // I10: the MTU without connection
    } else if (peer.queue.size() >= Paths.QUEUE) {
      link.drop(Drop.TX_PATH_QUEUE); // D1
    } else {
      peer.queue.add(packet.toBytes());
    }
  }

  /** Takes note of a connection. {@return the peer, whose waiting packets the caller sends} */
  ConnectedPeer up(LinkAddress address) {
    ConnectedPeer peer = peers.computeIfAbsent(address, ConnectedPeer::new);
    peer.failures = 0;
    peer.notBeforeNs = 0;
    peer.doubtful = false;
    return peer;
  }

  /** Takes note of the end of a connection, which was up or failed to come up. */
  void down(Connections connections, LinkAddress address, boolean wasUp) {
    ConnectedPeer peer = peers.get(address);
    if (peer == null) {
      return;
    }
    boolean another = connections.to(address) != null || connections.coming(address);
    if (!another && wasUp) {
      drop(peer, Drop.TX_NO_PATH);
    } else if (!another) {
      failed(peer);
    }
  }

  private void failed(ConnectedPeer peer) {
    long wait = Math.min(MAX_HOLD_OFF_NS, HOLD_OFF_NS << Math.min(5, peer.failures++));
    peer.notBeforeNs = link.loop().now() + wait;
    doubt(peer);
  }

  /** Drops the waiting packets as too long for a datagram (I10). */
  private void doubt(ConnectedPeer peer) {
    peer.doubtful = true;
    for (byte[] waiting = peer.queue.poll(); waiting != null; waiting = peer.queue.poll()) {
      link.tooLong(Outgoing.of(waiting), link.datagramMtu());
    }
  }

  private void drop(ConnectedPeer peer, Drop why) {
    peer.queue.forEach(waiting -> link.drop(why));
    peer.queue.clear();
  }

  /** Forgets idle peers (D4). */
  void collect(Connections connections) {
    long now = link.loop().now();
    peers
        .values()
        .removeIf(
            p ->
                !p.resolving
                    && p.queue.isEmpty()
                    && connections.to(p.address) == null
                    && !connections.coming(p.address)
                    && now - p.usedNs >= Paths.IDLE_NS);
  }
}
