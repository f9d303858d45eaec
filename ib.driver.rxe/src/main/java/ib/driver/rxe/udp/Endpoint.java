package ib.driver.rxe.udp;

import ib.core.verbs.Gid;
import ib.core.wire.Icrc;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * One local address of a port, with the socket that is bound to it; or a multicast group that the
 * port is a member of, with a socket that only receives.
 */
abstract class Endpoint implements AutoCloseable {
  /** Sent, or at least the system took it. */
  static final int SENT = 0;

  /** The system has no room now. */
  static final int FULL = 1;

  /** The system refused it. */
  static final int REFUSED = 2;

  private static final int PEERS = 256;

  final InetAddress address;
  final Gid gid;
  final int port; // of the peers
  final int localPort;
  final Flows flows;
  final Icrc.Network network;
  private final int scope;
  private final AtomicReferenceArray<Destination> peers = new AtomicReferenceArray<>(PEERS);

  /**
   * Where to.
   *
   * @param high upper half of the GID
   * @param low lower half of the GID
   * @param address the same for the system
   */
  record Destination(long high, long low, InetSocketAddress address) {}

  Endpoint(InetAddress address, UdpOptions options, int localPort) {
    this.address = address;
    this.gid = Addresses.gid(address);
    this.port = options.port();
    this.localPort = localPort;
    this.flows = new Flows(localPort == options.port() ? options.sourcePorts() : 0);
    this.scope = Addresses.scope(address);
    this.network = Addresses.four(address) ? Icrc.Network.IPV4 : Icrc.Network.IPV6;
  }

  /** {@return the peer with a GID; made when it is new, or when another took its place} */
  Destination destination(long high, long low) {
    long mixed = (high ^ low) * 0x9E3779B97F4A7C15L;
    int i = (int) (mixed >>> 56);
    @Nullable Destination known = peers.get(i);
    if (known == null || known.low != low || known.high != high) {
      InetAddress to = Addresses.address(high, low, scope);
      known = new Destination(high, low, new InetSocketAddress(to, port));
      peers.set(i, known);
    }
    return known;
  }

  /**
   * Sends a datagram. Never waits.
   *
   * @param sender what is sent lies in its bytes, from 0 on
   * @param length how many
   * @param to where to
   * @param trafficClass for the IP header, where the system lets it be set
   * @param hopLimit for the IP header, where the system lets it be set; 0 and 1 leave it the choice
   * @return {@link #SENT}, {@link #FULL} or {@link #REFUSED}
   */
  abstract int send(Sender sender, int length, Destination to, int trafficClass, int hopLimit);

  @Override
  public abstract void close();
}
