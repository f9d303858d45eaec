package ib.ulp.ipoib.cm;

import ib.cm.CmEndpoint;
import ib.cm.CmListener;
import ib.cm.CmPath;
import ib.cm.CmPort;
import ib.cm.CmTerms;
import ib.core.verbs.IbException;
import ib.ulp.ipoib.cm.Connection.State;
import ib.ulp.ipoib.loop.Loop;
import ib.ulp.ipoib.wire.Connected;
import ib.ulp.ipoib.wire.Encapsulation;
import ib.ulp.ipoib.wire.LinkAddress;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The connections of one interface. Used on the loop's thread only. */
public final class Connections {
  /**
   * The interface, which opens queue pairs and is notified of connections. Called on the loop's
   * thread.
   */
  public interface Owner {
    /**
     * Opens a queue pair for a connection.
     *
     * @throws IbException when the device refuses one
     */
    RcEnd open(Connection connection);

    /** Packets may be sent to this peer. */
    void up(Connection connection);

    /** The connection has ended, or was never established. */
    void down(Connection connection, String why);
  }

  /** C2: how many connections that peers asked for are accepted. */
  static final int MAX_ACCEPTED = 4096;

  /**
   * B10: how many of them one peer port may have. A peer needs one; the others are left from before
   * a restart of the peer.
   */
  static final int MAX_PER_PEER = 16;

  /** C2: after this idle time a connection that the peer asked for is closed. */
  static final long IDLE_NS = 2 * 256_000_000_000L;

  /** C2: how often idle connections of peers are looked for. */
  static final long SWEEP_NS = 3 * 256_000_000_000L;

  /** After this idle time a connection that this side asked for is closed, as paths are (D4). */
  static final long ACTIVE_IDLE_NS = 60_000_000_000L;

  /** How many requests may wait for the loop; the senders of more repeat them. */
  static final int MAX_WAITING = 128;

  /** C2: no retries of the queue pair, 4.3 s for an answer, 15 repetitions; 1.1 s for an ACK. */
  static final CmTerms TERMS = new CmTerms(0, 18, 20, 15, 0);

  /** C2: how many RDMA reads and atomics this side accepts at a time. */
  private static final int READS = 4;

  final Loop loop;
  private final CmPort cm;
  final Owner owner;
  final Refusals refusals;
  private final int most;
  private final Answers answers = new Answers(this);
  private final List<CmListener> listeners = new ArrayList<>();
  private final Set<Connection> all = new LinkedHashSet<>();
  final Peers peers = new Peers();
  private @Nullable Self self;
  private Loop.@Nullable Timer sweep;

  /**
   * Creates the table, without connections. Until {@link #start}, requests are dropped, and the
   * peer repeats them (B11).
   *
   * @param cm this interface's share of the port's connection manager; its close closes the
   *     connections
   * @param udQpn datagram queue pair number of the interface, which its service IDs contain (W14)
   * @param refusals counts refused requests
   */
  public Connections(Loop loop, CmPort cm, int udQpn, Owner owner, Refusals refusals) {
    this(loop, cm, udQpn, owner, refusals, MAX_ACCEPTED);
  }

  /** Creates the table with another limit of connections that peers ask for. */
  Connections(Loop loop, CmPort cm, int udQpn, Owner owner, Refusals refusals, int most) {
    this.loop = loop;
    this.cm = cm;
    this.owner = owner;
    this.refusals = refusals;
    this.most = most;
    listeners.add(cm.listen(Connected.linuxServiceId(udQpn), 0, answers::requests));
    listeners.add(cm.listen(Connected.rfcServiceId(udQpn), 0, answers::requests));
  }

  /** Starts to listen for requests. */
  public void start(Self identity) {
    self = identity;
    listeners.forEach(each -> each.backlog(MAX_WAITING));
    sweep = loop.after(SWEEP_NS, this::sweep);
  }

  /** {@return whether the interface listens, between {@link #start} and {@link #stop}} */
  public boolean started() {
    return self != null;
  }

  /** Closes all connections; the peers' answers are not awaited. */
  public void stop() {
    if (self == null) {
      return;
    }
    listeners.forEach(each -> each.backlog(0));
    for (Connection c : List.copyOf(all)) {
      disconnect(c, "the interface goes");
    }
    peers.tidyAll();
    if (sweep != null) {
      sweep.cancel();
    }
    self = null;
  }

  /** {@return the connection to send to a peer on; null when there is none} */
  public @Nullable Connection to(LinkAddress address) {
    return peers.usable(address);
  }

  /**
   * {@return whether a connection to the peer exists or is being set up, so that {@link #connect}
   * is not needed}
   */
  public boolean coming(LinkAddress address) {
    return peers.coming(address);
  }

  /**
   * Asks a peer for a connection.
   *
   * @throws IbException when the device refuses a queue pair, or the connection manager is gone
   */
  public void connect(LinkAddress address, Way way) {
    Self me = identity();
    Connection c = new Connection(address, true, way.ah(), loop.now());
    c.pathMtu = way.mtu();
    RcEnd end = owner.open(c);
    int qpn = address.qpn();
    try {
      c.cm =
          cm.connect(
              me.rfcService() ? Connected.rfcServiceId(qpn) : Connected.linuxServiceId(qpn),
              new CmPath(
                  way.ah(),
                  me.address().gid(),
                  address.gid(),
                  way.localLid(),
                  way.mtu(),
                  CmPath.ROCE_PACKET_LIFE,
                  me.pkey(),
                  me.pkeyIndex()),
              endpoint(end),
              TERMS,
              data(),
              (who, event) -> answers.of(c, event));
    } catch (IbException e) {
      end.close();
      throw e;
    }
    add(c, end);
    peers.of(address).shares = false;
  }

  /** C2: {@return a queue pair as messages describe it: shared receive queue, no RNR retries} */
  static CmEndpoint endpoint(RcEnd end) {
    return new CmEndpoint(end.qpn(), end.psn(), READS, 0, 0, true);
  }

  void add(Connection c, RcEnd end) {
    c.end = end;
    all.add(c);
    peers.add(c);
  }

  boolean full() {
    return peers.passives() >= most;
  }

  Self identity() {
    Self me = self;
    if (me == null) {
      throw new IllegalStateException("not started");
    }
    return me;
  }

  /** {@return the private data of this interface's messages (W13)} */
  byte[] data() {
    Self me = identity();
    return new Connected(me.address().qpn(), me.receiveMtu()).toBytes();
  }

  /** {@return the longest IP packet that both ends accept (C4)} */
  int mtu(Connected peer) {
    int most = identity().receiveMtu();
    boolean more = Integer.compareUnsigned(peer.receiveMtu(), most) > 0;
    return (more ? most : peer.receiveMtu()) - Encapsulation.BYTES;
  }

  void established(Connection c) {
    c.state = State.ESTABLISHED;
    c.usedNs = loop.now();
    if (c.equals(to(c.peer))) {
      report(c);
    }
  }

  void report(Connection c) {
    if (!c.reported) {
      c.reported = true;
      owner.up(c);
    }
  }

  /** A packet has arrived on a connection, so the peer is ready even if its RTU was lost. */
  public void heard(Connection c) {
    c.usedNs = loop.now();
    if (c.state == State.REP_SENT && c.cm != null) {
      c.cm.dataArrived(); // IBA 12.9.7.2: communication established
      established(c);
    }
  }

  // ---- the end of one ----

  /** Closes a connection; the connection manager sends the peer a DREQ or a REJ. */
  public void disconnect(Connection c, String why) {
    if (c.state != State.CLOSED) {
      try {
        forget(c, why);
      } finally { // also when the device cannot close the queue pair
        if (c.cm != null) {
          c.cm.end();
        }
      }
    }
  }

  /** Takes a connection out of use: closes its queue pair and notifies the owner. */
  void forget(Connection c, String why) {
    if (c.state == State.CLOSED) {
      return;
    }
    c.state = State.CLOSED;
    all.remove(c);
    peers.remove(c);
    RcEnd end = c.end;
    c.end = null;
    try {
      if (end != null) {
        end.close();
      }
    } finally { // the owner hears of it also when the device cannot close the queue pair
      if (c.active || c.reported) {
        owner.down(c, why);
      }
    }
  }

  // ---- idle ones ----

  private void sweep() {
    idle(false, IDLE_NS);
    sweep = loop.after(SWEEP_NS, this::sweep);
  }

  /** Closes idle connections that this side asked for (D4). */
  public void collect() {
    idle(true, ACTIVE_IDLE_NS);
    peers.tidyAll();
  }

  private void idle(boolean active, long ns) {
    for (Connection c : List.copyOf(all)) {
      boolean up = c.state == State.ESTABLISHED;
      if (up && c.active == active && loop.now() - c.usedNs >= ns) {
        disconnect(c, "idle");
      }
    }
  }

  /** {@return the connections that have not ended, the oldest first} */
  public List<Connection> all() {
    return List.copyOf(all);
  }
}
