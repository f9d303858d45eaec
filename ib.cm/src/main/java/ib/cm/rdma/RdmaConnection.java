package ib.cm.rdma;

import ib.cm.CmConnection;
import ib.cm.CmEndpoint;
import ib.cm.CmEvent;
import ib.cm.CmId;
import ib.core.serial.Waits;
import ib.core.verbs.AnyContext;
import ib.core.verbs.Fence;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbException;
import ib.core.verbs.MaySleep;
import ib.core.verbs.QueuePair;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
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
  private static final int MAX_CALLBACKS = 8; // more than a connection ever has
  private static final byte[] NONE = {};

  private final RdmaCm owner;
  private final String what;
  private final RdmaOptions options;
  private final RdmaHandler handler;
  private final Turns turns;
  private final CompletableFuture<RdmaConnection> established = new CompletableFuture<>();
  private final CompletableFuture<RdmaEnd> ended = new CompletableFuture<>();
  private final ReentrantLock lock = new ReentrantLock();

  private final Identity identity;

  // written under the lock; what is volatile is read in any context
  private final Pair pair;
  private final Exchange exchange;
  private @Nullable RdmaEnd end;
  private volatile boolean open;
  private boolean closed;
  private volatile byte[] data = NONE;

  private volatile boolean released;

  /** Those by which this side has begun; null where the peer has. */
  private volatile @Nullable Routes routes;

  /** Only {@code ib.cm.rdma} makes connections. */
  RdmaConnection(RdmaCm owner, Ends ends, RdmaOptions options, QpFactory factory, RdmaHandler to) {
    this.owner = owner;
    this.turns = new Turns(MAX_CALLBACKS, owner::graph);
    this.identity = new Identity(ends, options.space());
    this.what = ends.what;
    this.options = options;
    this.pair = new Pair(what, options, factory);
    this.exchange = new Exchange(options);
    this.handler = to;
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
    turns.offer(() -> begin(by));
  }

  private void begin(Routes by) {
    try {
      begin(by.find(identity.remote(), options, identity.local().getPort()));
    } catch (RuntimeException e) {
      finish(RdmaEnd.unmade(what, identity.site() != null, pair.known(e)));
    }
  }

  /** Begins by a way that was found; the way's device may be gone since. */
  void begin(Routes.Route route) {
    owner.place(this, route.site(), route.local());
    request(route, pair.make(route.site(), route.path()));
  }

  /** The connection has its place; the caller holds the lock of the connection's {@link RdmaCm}. */
  void placed(Site at, InetAddress local) {
    identity.place(at, new InetSocketAddress(local, identity.local().getPort()));
  }

  private void request(Routes.Route route, QueuePair made) {
    boolean late;
    lock.lock();
    try {
      late = end != null;
      if (!late) {
        CmEndpoint mine = pair.take(made, route.path(), options.initiatorDepth());
        exchange.begin(route, identity, mine, pair.data(), this);
      }
    } finally {
      lock.unlock();
    }
    if (late) {
      pair.destroy(made);
    }
  }

  /** A datagram service has answered, or will not; a group is joined, or may not be. */
  void resolved(byte @Nullable [] answer, @Nullable Throwable why) {
    if (answer == null) {
      finish(RdmaEnd.unresolved(what, Objects.requireNonNull(why)));
    } else {
      data = answer;
      up();
    }
  }

  // ---- the passive side ----

  /**
   * Accepts a request.
   *
   * @throws IbException when the queue pair cannot be made or moved; the connection has ended then
   */
  void accept(RdmaRequest request) {
    data = request.data();
    QueuePair made = null;
    try {
      owner.add(this, null);
      owner.place(this, request.site(), identity.local().getAddress());
      made = pair.make(request.site(), request.path());
      int depth = Math.min(options.initiatorDepth(), request.peer().responderResources());
      lock.lock();
      try {
        if (end != null) {
          throw end.why();
        }
        CmEndpoint mine = pair.take(made, request.path(), depth);
        CmConnection by = request.applicant().connection();
        exchange.accept(by);
        if (by != null) {
          pair.move(by, request.peer(), request.terms());
        }
        request.applicant().accept(mine, pair.data());
      } finally {
        lock.unlock();
      }
      if (request.isDatagram()) {
        up();
      }
    } catch (RuntimeException e) {
      finish(RdmaEnd.failed(RdmaEnd.Kind.CONNECT_ERROR, pair.known(e)));
      request.applicant().refuse();
      close();
      if (made != null && !made.equals(pair.qp())) {
        pair.destroy(made); // close() does not know it
      }
      throw e;
    }
  }

  // ---- both ----

  /** Hears the events of {@code ib.cm}. */
  void heard(CmConnection c, CmEvent event) {
    switch (event) {
      case CmEvent.Replied replied -> replied(c, replied);
      case CmEvent.Established up -> up();
      case CmEvent.Ended gone -> finish(RdmaEnd.of(what, gone, options.terms().maxRetries() + 1));
      case CmEvent.Requested asked -> throw new IllegalStateException("asked again: " + asked);
      case CmEvent.Released free -> LOG.debug("{}: {}", this, free);
    }
  }

  private void replied(CmConnection c, CmEvent.Replied reply) {
    IbException why = null;
    lock.lock();
    try {
      if (end == null) {
        data = reply.privateData();
        pair.move(c, reply.peer(), options.terms());
        c.ready(NONE);
      }
    } catch (IbException e) {
      why = e;
    } finally {
      lock.unlock();
    }
    if (why != null) {
      finish(RdmaEnd.failed(RdmaEnd.Kind.CONNECT_ERROR, why));
      c.end();
    }
  }

  private void up() {
    lock.lock();
    try {
      if (end != null) {
        return;
      }
      open = true;
      identity.ready();
      turns.offer(
          () -> {
            try {
              handler.established(this);
            } finally {
              established.complete(this);
            }
          });
    } finally {
      lock.unlock();
    }
  }

  /** Ends the connection, unless it has ended. */
  void finish(RdmaEnd how) {
    lock.lock();
    try {
      if (end == null) {
        end = how;
        Routes by = routes;
        if (by != null && !identity.isReady()) {
          by.failed(identity.remote());
        }
        open = false;
        identity.ended(how);
        identity.note(owner.cm, owner.name, how);
        pair.error();
        turns.offer(() -> tell(how));
      }
    } finally {
      lock.unlock();
    }
  }

  private void tell(RdmaEnd how) {
    established.completeExceptionally(how.why());
    try {
      handler.ended(this, how);
    } finally {
      ended.complete(how);
    }
  }

  /**
   * Disconnects: moves the queue pair to the error state, sends the DREQ, and lets the connection
   * manager repeat it. The connection ends when the peer has confirmed it. An attempt to connect is
   * given up. Does nothing when the connection has ended. It does not wait for the peer.
   */
  @MaySleep
  public void disconnect() {
    lock.lock();
    try {
      if (end == null) {
        pair.error();
      }
    } finally {
      lock.unlock();
    }
    if (!exchange.end()) {
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
    exchange.dataArrived(turns);
  }

  /** The device goes. */
  void removed() {
    finish(RdmaEnd.removal(what));
  }

  /** {@return over when the program has closed the connection} */
  Waits.Target closing() {
    return turns.until(() -> released, "the close of " + what);
  }

  boolean isOf(IbDevice device) {
    return identity.isAt(device);
  }

  /** {@return the connection for a list; null before its device is known} */
  @Nullable CmId id(String program) {
    return identity.id(program, pair.qp());
  }

  /**
   * Closes the connection: disconnects it where that was not done, and destroys its queue pair. It
   * does not wait for the peer, nor for timewait. When this returns, no callback of it runs or will
   * run (API-3); inside of a callback that is so when the callback has returned.
   */
  @Override
  @MaySleep
  @Fence
  public void close() {
    finish(RdmaEnd.closed(what));
    @Nullable QueuePair old;
    boolean first;
    lock.lock();
    try {
      first = !closed;
      closed = true;
      old = pair.qp();
    } finally {
      lock.unlock();
    }
    exchange.end();
    if (first) {
      try {
        pair.destroy(old);
      } finally {
        released = true;
      }
    }
    turns.fence(what);
    owner.forget(this);
  }

  /** {@return completes when both sides are ready, or with the exception of its end} */
  @AnyContext
  public CompletableFuture<RdmaConnection> established() {
    return established.copy();
  }

  /** {@return completes when the connection has ended, and its queue pair is in the error state} */
  @AnyContext
  public CompletableFuture<RdmaEnd> ended() {
    return ended.copy();
  }

  /** {@return whether both sides are ready, and none has ended the connection} */
  @AnyContext
  public boolean isOpen() {
    return open;
  }

  /**
   * {@return the queue pair}
   *
   * @throws ib.core.verbs.IbInvalidException before it was made
   */
  @AnyContext
  public QueuePair qp() {
    return pair.given();
  }

  /**
   * {@return where datagrams go, on an active side in {@link PortSpace#UDP}}
   *
   * @throws ib.core.verbs.IbInvalidException before the peer has answered, and for other
   *     connections
   */
  @AnyContext
  public RdmaDestination destination() {
    return exchange.destination(what);
  }

  /**
   * {@return private data of the peer: of its REQ 56 bytes, of its REP 196 bytes; for datagrams 180
   * and 136 bytes}
   */
  @AnyContext
  public byte[] data() {
    return data.clone();
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
