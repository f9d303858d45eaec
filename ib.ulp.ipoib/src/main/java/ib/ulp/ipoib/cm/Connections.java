package ib.ulp.ipoib.cm;

import ib.core.verbs.IbException;
import ib.ulp.ipoib.cm.Connection.State;
import ib.ulp.ipoib.loop.Loop;
import ib.ulp.ipoib.wire.Connected;
import ib.ulp.ipoib.wire.Encapsulation;
import ib.ulp.ipoib.wire.LinkAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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

  /** C2: the time in which the peer must answer, 4.096 us * 2^20. */
  static final long RESPONSE_NS = 4096L << CmRequest.RESPONSE_TIMEOUT;

  private final Loop loop;
  private final CmService cm;
  private final Owner owner;
  private final Refusals refusals;
  private final int most;
  private final Speech speech;
  private final Answers answers = new Answers(this);
  private final Map<Integer, Connection> named = new HashMap<>();
  private final Peers peers = new Peers();
  private @Nullable Self self;
  private Loop.@Nullable Timer sweep;

  /**
   * Creates the table, without connections; nothing is sent before {@link #start}.
   *
   * @param refusals counts refused messages
   */
  public Connections(Loop loop, CmService cm, Owner owner, Refusals refusals) {
    this(loop, cm, owner, refusals, MAX_ACCEPTED);
  }

  /** Creates the table with another limit of connections that peers ask for. */
  Connections(Loop loop, CmService cm, Owner owner, Refusals refusals, int most) {
    this.loop = loop;
    this.cm = cm;
    this.owner = owner;
    this.refusals = refusals;
    this.most = most;
    speech = new Speech(loop, cm, this::unheard);
  }

  /** Starts to listen for requests. */
  public void start(Self identity) {
    self = identity;
    speech.pkeyIndex(identity.pkeyIndex());
    cm.listen(identity.address().qpn(), answers);
    sweep = loop.after(SWEEP_NS, this::sweep);
  }

  /** {@return whether the interface listens, between {@link #start} and {@link #stop}} */
  public boolean started() {
    return self != null;
  }

  /** Closes all connections. Each established peer is sent one DREQ; answers are not awaited. */
  public void stop() {
    Self was = self;
    if (was == null) {
      return;
    }
    cm.unlisten(was.address().qpn());
    for (Connection c : List.copyOf(named.values())) {
      end(c, "the interface goes");
      release(c);
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
   * @throws IbException when the device refuses a queue pair
   */
  public void connect(LinkAddress address, Way way) {
    Self me = identity();
    Connection c = new Connection(cm.name(answers), address, true, way.ah(), loop.now());
    c.tid = cm.transaction(c.id);
    RcEnd end;
    try {
      end = owner.open(c);
    } catch (IbException e) {
      cm.release(c.id);
      throw e;
    }
    add(c, end);
    peers.of(address).shares = false;
    int qpn = address.qpn();
    speech.ask(
        c,
        new CmRequest(
            c.id,
            me.rfcService() ? Connected.rfcServiceId(qpn) : Connected.linuxServiceId(qpn),
            me.caGuid(),
            end.qpn(),
            end.psn(),
            me.pkey(),
            way.mtu(),
            true,
            CmRequest.Path.of(me, address.gid(), way),
            data()));
  }

  void add(Connection c, RcEnd end) {
    c.end = end;
    named.put(c.id, c);
    peers.add(c);
  }

  boolean full() {
    return peers.passives() >= most;
  }

  Refusals refusals() {
    return refusals;
  }

  Loop loop() {
    return loop;
  }

  CmService service() {
    return cm;
  }

  Owner owner() {
    return owner;
  }

  Speech speech() {
    return speech;
  }

  Peers peers() {
    return peers;
  }

  @Nullable Connection named(int id) {
    return named.get(id);
  }

  Self identity() {
    Self me = self;
    if (me == null) {
      throw new IllegalStateException("not started");
    }
    return me;
  }

  Connected data() {
    Self me = identity();
    return new Connected(me.address().qpn(), me.receiveMtu());
  }

  /** {@return the longest IP packet that both ends accept (C4)} */
  int mtu(Connected peer) {
    int most = identity().receiveMtu();
    boolean more = Integer.compareUnsigned(peer.receiveMtu(), most) > 0;
    return (more ? most : peer.receiveMtu()) - Encapsulation.BYTES;
  }

  void established(Connection c) {
    c.state = State.ESTABLISHED;
    speech.silence(c);
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
    if (c.state == State.REP_SENT) {
      established(c); // IBA 12.9.7.2: communication established
    }
  }

  // ---- the end of one ----

  private void unheard(Connection c) {
    c.reason = CmReject.TIMEOUT;
    end(c, "no answer");
    release(c);
  }

  /** Closes a connection and sends the peer a DREQ, repeated until it is answered, or a REJ. */
  public void disconnect(Connection c, String why) {
    if (c.state != State.DREQ_SENT && c.state != State.CLOSED) {
      boolean asks = c.state == State.ESTABLISHED;
      try {
        end(c, why);
      } finally { // also when the device cannot close the queue pair
        if (asks) {
          speech.await(c, RESPONSE_NS);
        } else {
          release(c);
        }
      }
    }
  }

  /** Ends a connection; an established one with a DREQ, which is repeated until it is answered. */
  private void end(Connection c, String why) {
    boolean was = c.state == State.ESTABLISHED;
    if (was) {
      c.said = new CmMessage.DisconnectRequest(c.id, c.remoteId, c.remoteQpn);
      speech.say(c);
    } else if (c.state == State.REP_SENT) {
      int reason = c.reason == CmReject.TIMEOUT ? c.reason : CmReject.CONSUMER;
      speech.send(c.tid, new CmReject(c.id, c.remoteId, CmReject.OF_REP, reason, data()), c.way);
    }
    try {
      forget(c, why);
    } finally {
      c.state = was ? State.DREQ_SENT : State.CLOSED;
      c.tries = 0;
    }
  }

  /**
   * Takes a connection out of use: closes its queue pair and notifies the owner. Its ID stays until
   * {@link #release}.
   */
  void forget(Connection c, String why) {
    if (c.state == State.DREQ_SENT || c.state == State.CLOSED) {
      return;
    }
    speech.silence(c);
    c.state = State.CLOSED;
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

  void release(Connection c) {
    speech.silence(c);
    c.state = State.CLOSED;
    named.remove(c.id);
    cm.release(c.id);
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
    for (Connection c : List.copyOf(named.values())) {
      boolean up = c.state == State.ESTABLISHED;
      if (up && c.active == active && loop.now() - c.usedNs >= ns) {
        disconnect(c, "idle");
      }
    }
  }

  /** {@return the connections that have not ended, in no order} */
  public List<Connection> all() {
    return named.values().stream().filter(c -> c.state != State.DREQ_SENT).toList();
  }
}
