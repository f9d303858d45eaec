package ib.driver.rxe.udp;

import ib.core.verbs.Gid;
import ib.core.wire.Icrc;
import ib.engine.wire.Packet;
import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;

/**
 * One local address of a port and the socket bound to it; or a multicast group of the port, whose
 * socket only receives. Any thread may call.
 */
abstract class Endpoint implements AutoCloseable {
  final InetAddress address;
  final Gid gid;
  final int port; // UDP port of the peers
  final int localPort;
  final Flows flows;
  final Icrc.Network network;
  final UdpCounters counters;
  final Destinations peers;
  private final UdpOptions.Gso gso;
  private int
      groupsBy; // index of the interface for sending to groups; the wire's monitor guards it

  Endpoint(InetAddress address, UdpOptions options, int localPort, UdpCounters counters) {
    this.gso = options.gso();
    this.counters = counters;
    this.address = address;
    this.gid = Addresses.gid(address);
    this.port = options.port();
    this.localPort = localPort;
    this.flows = new Flows(localPort == options.port() ? options.sourcePorts() : 0);
    this.peers = new Destinations(gso, port, Addresses.scope(address), counters);
    this.network = Addresses.four(address) ? Icrc.Network.IPV4 : Icrc.Network.IPV6;
  }

  /** Takes note of a packet from a peer, which may prove that long sends arrive there. */
  final void heard(Packet p) {
    if (gso == UdpOptions.Gso.AUTO) {
      Destinations.Destination from = peers.known(p.sgidHigh, p.sgidLow);
      if (from != null) {
        from.proof().heard(p);
      }
    }
  }

  /** Ages the proofs of all peers. One thread calls this about once a second. */
  final void look() {
    peers.look();
  }

  /** {@return whether {@link #look} and {@link Flows#open} have something to do, now or later} */
  final boolean hasWork() {
    return peers.hasWork() || flows.isAsked();
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
