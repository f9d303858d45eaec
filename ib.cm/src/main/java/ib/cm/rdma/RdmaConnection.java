package ib.cm.rdma;

import ib.cm.CmConnection;
import ib.cm.CmEvent;
import ib.cm.CmId;
import ib.core.verbs.AnyContext;
import ib.core.verbs.Fence;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbException;
import ib.core.verbs.MaySleep;
import ib.core.verbs.QueuePair;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection with its queue pair, from the attempt to make it to its end. It ends exactly once
 * (API-4), and its queue pair is in the error state then. In {@link PortSpace#UDP} it is a queue
 * pair of type UD that the core keeps with the peer's address: the active side asks for it, and no
 * side hears what becomes of the other. Any thread may call, also from a callback of this
 * connection or another one (API-2).
 */
public final class RdmaConnection implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(RdmaConnection.class);

  private final Connections owner;
  private final String what;
  private final RdmaOptions options;
  private final Identity identity;
  private final Life life;
  private final Channel channel;
  private final AtomicReference<@Nullable Thread> closer = new AtomicReference<>(); // the first
  private volatile @Nullable Thread accepting; // it may be making a queue pair
  private volatile boolean released; // by that thread: the queue pair is destroyed

  /** Those by which this side has begun; null where the peer has. */
  private volatile @Nullable Routes routes;

  /** Only {@code ib.cm.rdma} makes connections. */
  RdmaConnection(
      Connections owner, Ends ends, RdmaOptions options, QpFactory factory, RdmaHandler to) {
    this.owner = owner;
    this.what = ends.what;
    this.options = options;
    this.identity = new Identity(ends, options);
    this.life = new Life(this, owner, to);
    this.channel = new Channel(this, owner, life, options, factory);
  }

  /**
   * The two ends.
   *
   * @param what what is done, for reports
   * @param local address of this side
   * @param remote address of the other side
   */
  record Ends(String what, InetSocketAddress local, InetSocketAddress remote) {}

  // ---- the active side ----

  /** Begins to connect, in a callback of its own. */
  void start(Routes by) {
    routes = by;
    life.turns.offer(() -> begin(by));
  }

  private void begin(Routes by) {
    try {
      begin(by.find(identity.remote(), options, identity.local().getPort()));
    } catch (Throwable e) { // of code that is not ours
      finish(RdmaEnd.unmade(what, identity.site() != null, channel.known(e)));
    }
  }

  /** Begins by a way that was found; the way's device may be gone since. */
  void begin(Routes.Route route) {
    channel.begin(route, identity);
  }

  /** A datagram service has answered, or will not; a group is joined, or may not be. */
  void resolved(byte @Nullable [] answer, @Nullable Throwable why) {
    if (answer == null) {
      finish(RdmaEnd.unresolved(what, Objects.requireNonNull(why)));
    } else {
      channel.answered(answer);
      up();
    }
  }

  // ---- the passive side ----

  /**
   * Accepts a request.
   *
   * @throws ib.core.verbs.IbException when the queue pair cannot be made or moved; the connection
   *     has ended then
   */
  void accept(RdmaRequest request) {
    accepting = Thread.currentThread();
    try {
      channel.accept(request, identity);
    } finally {
      accepting = null;
    }
    if (request.isDatagram()) {
      up();
    }
  }

  // ---- both ----

  /** The connection has its place; the caller holds the lock of {@link Connections}. */
  void placed(Site at, InetAddress local) {
    identity.place(at, new InetSocketAddress(local, identity.local().getPort()));
  }

  /** Hears the events of {@code ib.cm}. */
  void heard(CmConnection c, CmEvent event) {
    switch (event) {
      case CmEvent.Replied reply -> channel.replied(c, reply);
      case CmEvent.Established up -> up();
      case CmEvent.Ended gone -> finish(RdmaEnd.of(what, gone, options.terms()));
      case CmEvent.Requested asked -> throw new IllegalStateException("asked again: " + asked);
      case CmEvent.Released free -> LOG.debug("{}: {}", this, free);
    }
  }

  private void up() {
    life.up(identity::ready);
  }

  /** Ends the connection, unless it has ended. */
  void finish(RdmaEnd how) {
    life.end(how, () -> ends(how));
  }

  private void ends(RdmaEnd how) {
    Routes by = routes;
    if (by != null && !identity.isReady()) {
      by.failed(identity.remote());
    }
    identity.ended(how);
    identity.note(owner.cm, owner.program, how);
    channel.error();
  }

  /** {@return why the connection has ended, which it has} */
  IbException whyEnded() {
    return Objects.requireNonNull(life.end()).why();
  }

  /**
   * Disconnects: moves the queue pair to the error state, sends the DREQ, and lets the connection
   * manager repeat it. The connection ends when the peer has confirmed it. An attempt to connect is
   * given up. Does nothing when the connection has ended. It does not wait for the peer.
   */
  @MaySleep
  public void disconnect() {
    life.unlessEnded(channel::error);
    if (!channel.end()) {
      finish(RdmaEnd.closed(what));
    }
  }

  /**
   * Reports that the first message has arrived on the queue pair, which stands for a lost RTU: an
   * event handler calls it for COMM_EST (RD-7). The connection takes note in a callback of its own,
   * once.
   */
  @AnyContext
  public void dataArrived() {
    channel.dataArrived();
  }

  /** The device goes. */
  void removed() {
    finish(RdmaEnd.removal(what));
  }

  boolean isOf(IbDevice device) {
    return identity.isAt(device);
  }

  /** {@return the connection for a list; null before its device is known} */
  @Nullable CmId id(String program) {
    return identity.id(program, channel.qp());
  }

  /**
   * Closes the connection: disconnects it where that was not done, and destroys its queue pair. It
   * does not wait for the peer, nor for timewait; of several threads that close it the others wait
   * for the first. When this returns, no callback of it runs or will run (API-3); inside of a
   * callback that is so when the callback has returned.
   */
  @Override
  @MaySleep
  @Fence
  public void close() {
    finish(RdmaEnd.closed(what)); // no queue pair is taken afterwards
    channel.end();
    Thread me = Thread.currentThread();
    try {
      if (!me.equals(accepting)) { // else it destroys itself what it is making
        await(() -> accepting == null, () -> accepting);
      }
      if (closer.compareAndSet(null, me)) {
        try {
          channel.destroy();
        } finally { // also when the queue pair factory throws
          released = true;
        }
      } else if (!me.equals(accepting)) {
        await(() -> released, closer::get);
      }
    } finally {
      life.turns.fence(what);
      owner.forget(this);
    }
  }

  /** Closes each; what the queue pair factory of one throws is logged, and the next is closed. */
  static void closeAll(List<RdmaConnection> all) {
    for (RdmaConnection each : all) {
      try {
        each.close();
      } catch (Throwable e) { // of code that is not ours
        LOG.error("the close of {} failed", each, e);
      }
    }
  }

  private void await(BooleanSupplier over, Supplier<@Nullable Thread> who) {
    if (!over.getAsBoolean()) {
      life.turns.await(Turns.target(over, who, "the close of " + what));
    }
  }

  /** {@return completes when both sides are ready, or with the exception of its end} */
  @AnyContext
  public CompletableFuture<RdmaConnection> established() {
    return life.established();
  }

  /** {@return completes when the connection has ended, and its queue pair is in the error state} */
  @AnyContext
  public CompletableFuture<RdmaEnd> ended() {
    return life.ended();
  }

  /** {@return whether both sides are ready, and none has ended the connection} */
  @AnyContext
  public boolean isOpen() {
    return life.isOpen();
  }

  /**
   * {@return the queue pair}
   *
   * @throws ib.core.verbs.IbInvalidException before it was made
   */
  @AnyContext
  public QueuePair qp() {
    return channel.given();
  }

  /**
   * {@return where datagrams go, on an active side in {@link PortSpace#UDP}}
   *
   * @throws ib.core.verbs.IbInvalidException before the peer has answered, and for other
   *     connections
   */
  @AnyContext
  public RdmaDestination destination() {
    return channel.destination();
  }

  /**
   * {@return private data of the peer: of its REQ 56 bytes, of its REP 196 bytes; for datagrams 180
   * and 136 bytes}
   */
  @AnyContext
  public byte[] data() {
    return channel.data();
  }

  /** {@return address and port of this side} */
  @AnyContext
  public InetSocketAddress localAddress() {
    return identity.local();
  }

  /** {@return address and port of the other side} */
  @AnyContext
  public InetSocketAddress remoteAddress() {
    return identity.remote();
  }

  @Override
  public String toString() {
    return what;
  }
}
