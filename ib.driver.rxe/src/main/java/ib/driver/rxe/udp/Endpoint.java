package ib.driver.rxe.udp;

import ib.core.verbs.Gid;
import ib.core.wire.Icrc;
import ib.engine.wire.Packet;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * One local address of a port and the socket bound to it; or a multicast group of the port, whose
 * socket only receives. Any thread may call.
 */
abstract class Endpoint implements AutoCloseable {
  private static final int PEERS = 256;

  final InetAddress address;
  final Gid gid;
  final int port; // UDP port of the peers
  final int localPort;
  final Flows flows;
  final Icrc.Network network;
  final UdpCounters counters;
  private final UdpOptions.Gso gso;
  private final int scope;
  private int
      groupsBy; // index of the interface for sending to groups; the wire's monitor guards it
  private final AtomicReferenceArray<Destination> peers = new AtomicReferenceArray<>(PEERS);

  /**
   * A peer.
   *
   * @param high upper half of the GID
   * @param low lower half of the GID
   * @param address IP address and UDP port of the peer
   * @param proof whether long sends to the peer may be cut by the system
   */
  record Destination(long high, long low, InetSocketAddress address, PathProof proof) {
    /**
     * Compares identities: one peer may have several objects, after another peer has replaced it in
     * the table.
     */
    @Override
    public boolean equals(@Nullable Object other) {
      return this == other;
    }

    @Override
    public int hashCode() {
      return System.identityHashCode(this);
    }
  }

  Endpoint(InetAddress address, UdpOptions options, int localPort, UdpCounters counters) {
    this.gso = options.gso();
    this.counters = counters;
    this.address = address;
    this.gid = Addresses.gid(address);
    this.port = options.port();
    this.localPort = localPort;
    this.flows = new Flows(localPort == options.port() ? options.sourcePorts() : 0);
    this.scope = Addresses.scope(address);
    this.network = Addresses.four(address) ? Icrc.Network.IPV4 : Icrc.Network.IPV6;
  }

  private static int place(long high, long low) {
    long mixed = (high ^ low) * 0x9E3779B97F4A7C15L;
    return (int) (mixed >>> 56);
  }

  /** {@return the peer with a GID; a new object if another peer is in its place} */
  Destination destination(long high, long low) {
    int i = place(high, low);
    @Nullable Destination known = peers.get(i);
    if (known == null || known.low != low || known.high != high) {
      InetAddress to = Addresses.address(high, low, scope);
      PathProof proof = new PathProof(gso, counters);
      known = new Destination(high, low, new InetSocketAddress(to, port), proof);
      peers.set(i, known);
    }
    return known;
  }

  /** Takes note of a packet from a peer, which may prove that long sends arrive there. */
  final void heard(Packet p) {
    if (gso == UdpOptions.Gso.AUTO) {
      Destination from = peers.get(place(p.sgidHigh, p.sgidLow));
      if (from != null && from.low == p.sgidLow && from.high == p.sgidHigh) {
        from.proof.heard(p);
      }
    }
  }

  /** Ages the proofs of all peers. One thread calls this about once a second. */
  final void look() {
    for (int i = 0; i < PEERS; i++) {
      Destination known = peers.get(i);
      if (known != null) {
        known.proof.look();
      }
    }
  }

  /** {@return whether {@link #look} and {@link Flows#open} have something to do, now or later} */
  final boolean hasWork() {
    for (int i = 0; i < PEERS; i++) {
      Destination known = peers.get(i);
      if (known != null && known.proof.ages()) {
        return true;
      }
    }
    return flows.isAsked();
  }

  /**
   * Has packets for groups leave by an interface, also those of the address's other source ports;
   * the system does not follow the address by itself. The wire's monitor is held.
   *
   * @param on the interface that has the address now
   * @throws IOException when the system refuses; packets for groups leave as before
   */
  final void follow(NetworkInterface on) throws IOException {
    if (groupsBy != on.getIndex()) {
      for (Endpoint flow : flows.sockets(this)) {
        flow.follow(on);
      }
      setGroupsBy(on);
      groupsBy = on.getIndex();
    }
  }

  /** Sets the socket's interface for sending to groups. */
  abstract void setGroupsBy(NetworkInterface on) throws IOException;

  @Override
  public abstract void close();
}
