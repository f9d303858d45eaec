package ib.ulp.ipoib.link;

import ib.cm.CmPort;
import ib.core.verbs.Gid;
import ib.core.verbs.IbException;
import ib.core.verbs.WcStatus;
import ib.ulp.ipoib.cm.Connection;
import ib.ulp.ipoib.cm.Connections;
import ib.ulp.ipoib.cm.RcEnd;
import ib.ulp.ipoib.cm.Refusals;
import ib.ulp.ipoib.cm.Self;
import ib.ulp.ipoib.link.Statistics.Count;
import ib.ulp.ipoib.loop.Loop;
import ib.ulp.ipoib.wire.Connected;
import ib.ulp.ipoib.wire.Encapsulation;
import ib.ulp.ipoib.wire.LinkAddress;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends and receives packets on reliable connections (RFC 4755). Datagrams carry all other packets,
 * and short ones until a connection is established (C1). Used on the loop's thread only.
 */
final class ConnectedMode implements Loop.Work, RcQueue.Receiver, Connections.Owner {
  /** I9: the longest IP packet in bytes. */
  static final int MTU = Connected.LINUX_RECEIVE_MTU - Encapsulation.BYTES;

  private static final int MAX_SENDS = 128;
  private static final int MAX_RECEIVES = 256;
  private static final int BURST = 48;

  /** The objects that exist while the mode is on. */
  private record Running(RcQueue queue, Connections connections, CmPort cm) {}

  private final Logger log = LoggerFactory.getLogger(ConnectedMode.class);
  private final Link link;
  private final Shared shared;
  private final ConnectedPeers peers;
  private @Nullable Running running;
  private boolean refusing;
  private boolean stopping;

  ConnectedMode(Link link, Shared shared) {
    this.link = link;
    this.shared = shared;
    peers = new ConnectedPeers(link, this::connections);
  }

  private @Nullable Connections connections() {
    return running == null ? null : running.connections;
  }

  /** {@return whether connected mode is on} */
  boolean on() {
    return running != null;
  }

  /** {@return whether packets to a neighbour may use a connection} */
  boolean reaches(LinkAddress to) {
    return on() && (to.flags() & LinkAddress.RC) != 0;
  }

  /** Turns the mode on and listens. {@return false when the device refuses it} */
  boolean start(int udQpn, int pkeyIndex) {
    try {
      Running is = running == null ? make(udQpn, pkeyIndex) : running;
      running = is;
      if (!is.connections.started()) {
        is.connections.start(self(udQpn, pkeyIndex));
      }
      return true;
    } catch (IbException e) {
      link.log("stays in datagram mode: " + e.getMessage());
      return false;
    }
  }

  private Self self(int udQpn, int pkeyIndex) {
    return new Self(
        new LinkAddress(0, udQpn, gid()),
        link.pkey(),
        pkeyIndex,
        link.appearance.ethernet(),
        Connected.LINUX_RECEIVE_MTU,
        link.config.rfcService());
  }

  private Gid gid() {
    return link.device.gid(link.port, link.appearance.gidIndex());
  }

  private Running make(int udQpn, int pkeyIndex) {
    LinkConfig config = link.config;
    int sends = Math.min(MAX_SENDS, config.sends());
    int receives = Math.min(MAX_RECEIVES, config.receives());
    Refusals refusals = link.statistics().refusals;
    CmPort cm = shared.cm.open(link.device.name(), link.port, "ib.ulp.ipoib");
    boolean whole = false;
    try {
      Connections connections = new Connections(link.loop(), cm, udQpn, this, refusals);
      RcQueue queue =
          new RcQueue(link.queue.pd, link.port, pkeyIndex, sends, receives, link.loop());
      whole = true;
      return new Running(queue, connections, cm);
    } finally {
      if (!whole) {
        cm.close();
      }
    }
  }

  /** Closes all connections and accepts no new ones until {@link #start}; drops waiting packets. */
  void flush() {
    if (running != null) {
      stopping = true;
      running.connections.stop();
      stopping = false;
      peers.flush();
    }
  }

  /** Turns the mode off and closes all its objects. Blocks, at most about 0.5 s. */
  void stop() {
    Running was = running;
    if (was != null) {
      flush();
      stopping = true;
      was.queue.drain(this);
      was.queue.close();
      was.cm.close();
      stopping = false;
      running = null;
    }
  }

  // ---- out ----

  /** {@return whether send buffers are free; if not, {@link Host#writable} follows (D8)} */
  boolean hasRoom() {
    boolean room = running == null || running.queue.room() >= BURST;
    refusing |= !room;
    return room;
  }

  /**
   * Sends a packet on a connection, keeps it until there is one, or drops it.
   *
   * @return false when the caller must send the packet as a datagram
   */
  boolean take(LinkAddress to, Outgoing packet) {
    Running is = running;
    if (is == null || (to.flags() & LinkAddress.RC) == 0 || packet.isResolution()) {
      // D2, C1: the neighbour has no connected mode, or the packet is ARP or ND, which never use it
      return false;
    }
    LinkAddress address = to.plain();
    Connection c = is.connections.to(address);
    if (c != null) {
      send(is.queue, c, packet);
      return true;
    }
    boolean fits = packet.length() <= link.datagramMtu();
    boolean coming = peers.connect(is.connections, address);
    if (fits) {
      return false;
    }
    peers.await(address, coming, packet);
    return true;
  }

  /**
   * Sends a long TCP packet whole, with the checksum of its pseudo header only, if the neighbour is
   * in this JVM and accepts that (D9).
   *
   * @return false when the caller must sum and cut the packet
   */
  boolean takeWhole(LinkAddress to, Outgoing packet) {
    Running is = running;
    Connection c = is == null || !reaches(to) ? null : is.connections.to(to.plain());
    boolean whole =
        c != null && c.end() instanceof RcPair end && end.whole() && packet.length() <= c.mtu();
    if (whole && is != null && c != null) {
      link.statistics().add(Count.TX_WHOLE, 1);
      send(is.queue, c, packet);
    }
    return whole;
  }

  private void send(RcQueue by, Connection c, Outgoing packet) {
    if (packet.length() > c.mtu()) {
      link.tooLong(packet, c.mtu()); // I10
    } else if (roomOrDrop(by)) {
      c.used(link.loop().now());
      LongBuffers longs = link.longs().buffers();
      boolean lies = longs != null && packet.contiguous() && longs.hold(packet.memory());
      boolean keeps = link.traffic.near.reaches(c.peer());
      if (keeps) {
        link.traffic.near.begin();
      }
      try {
        count(lies && longs != null ? by.send(c, longs, packet) : by.send(c, packet));
      } finally {
        if (keeps) {
          link.traffic.near.end();
        }
      }
    }
  }

  private boolean roomOrDrop(RcQueue by) {
    if (by.room() == 0) {
      by.pollSends(this); // a packet that has come may be what is being answered
    }
    if (by.room() == 0) {
      link.drop(Drop.TX_RING_FULL);
      return false;
    }
    return true;
  }

  private void count(boolean taken) {
    if (!taken) {
      link.statistics().add(Count.TX_ERRORS, 1);
      link.drop(Drop.TX_ERROR);
    }
  }

  // ---- connections ----

  @Override
  public RcEnd open(Connection connection) {
    if (running == null) {
      throw new IllegalStateException("connected mode is off");
    }
    RcPair end = running.queue.open(connection);
    if (link.traffic.takesLong()) {
      end.joins(shared.localEnds, gid());
    }
    return end;
  }

  @Override
  public void up(Connection c) {
    ConnectedPeer peer = peers.up(c.peer());
    for (byte[] waiting = peer.queue.poll(); waiting != null; waiting = peer.queue.poll()) {
      Outgoing packet = Outgoing.of(waiting);
      if (running != null) {
        send(running.queue, c, packet);
      }
    }
  }

  @Override
  public void down(Connection c, String why) {
    log.debug("connection with {} ended: {}", c.peer(), why);
    Running is = running;
    if (is != null && !stopping) {
      peers.down(is.connections, c.peer(), c.wasUp());
    }
  }

  // ---- work ----

  @Override
  public boolean step() {
    if (running == null) {
      return false;
    }
    RcQueue by = running.queue;
    boolean any = by.poll(this);
    if (any) {
      link.traffic.receivedAll();
    }
    if (any && refusing && by.room() >= BURST) {
      refusing = false;
      link.traffic.writable();
    }
    if (any) {
      link.traffic.roomAgain(); // both modes share the long buffers
    }
    return any;
  }

  @Override
  public boolean arm() {
    return running != null && running.queue.arm();
  }

  @Override
  public void packet(Connection from, MemorySegment memory, long at, int length) {
    if (running != null && !stopping) {
      running.connections.heard(from);
      boolean whole = from.end() instanceof RcPair end && end.whole();
      int mss = whole && length > Encapsulation.BYTES ? Encapsulation.reserved(memory, at) : 0;
      link.traffic.connected(memory, at, length, from.peer(), mss);
    }
  }

  @Override
  public void sent(Connection to, int bytes, WcStatus status) {
    if (status == WcStatus.SUCCESS) {
      link.statistics().add(Count.TX_PACKETS, 1);
      link.statistics().add(Count.TX_BYTES, bytes);
    } else if (!stopping && running != null) {
      link.statistics().add(Count.TX_ERRORS, 1);
      link.drop(Drop.TX_ERROR);
      running.connections.disconnect(to, "send failed, " + status);
    }
  }

  /** Closes idle connections and forgets idle peers (D4). */
  void collect() {
    if (running != null) {
      running.connections.collect();
      peers.collect(running.connections);
    }
  }

  /** {@return the state of the connections by peer, as text for users} */
  Map<String, String> list() {
    Map<String, String> list = new TreeMap<>();
    for (Connection c : running == null ? List.<Connection>of() : running.connections.all()) {
      list.merge(c.peer().toString(), c.toString(), (one, other) -> one + "; " + other);
    }
    return list;
  }

  /** {@return the number of queue pairs whose last receive is not completed (C5)} */
  int closing() {
    return running == null ? 0 : running.queue.closing();
  }
}
