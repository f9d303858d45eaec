package ib.cm.rdma;

import ib.cm.CmConnection;
import ib.cm.CmEndpoint;
import ib.cm.CmEvent;
import ib.core.verbs.IbException;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.QueuePair;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The queue pair of a connection, and the messages by which the queue pairs of both ends become
 * one. Each change happens under the lock of the connection's {@link Life}, and none happens when
 * the connection has ended.
 */
final class Channel {
  private static final Logger LOG = LoggerFactory.getLogger(Channel.class);
  private static final byte[] NONE = {};

  private final RdmaConnection of;
  private final Connections owner;
  private final Life life;
  private final RdmaOptions options;
  private final Pair pair;
  private final Exchange exchange;
  private volatile byte[] data = NONE;

  /**
   * Creates it, without a queue pair.
   *
   * @param of the connection, which hears of its end
   * @param owner gives the connection its place
   */
  Channel(RdmaConnection of, Connections owner, Life life, RdmaOptions options, QpFactory factory) {
    this.of = of;
    this.owner = owner;
    this.life = life;
    this.options = options;
    this.pair = new Pair(of.toString(), options, factory);
    this.exchange = new Exchange(options);
  }

  // ---- the active side ----

  /**
   * Asks the peer by a way that was found; the way's device may be gone since.
   *
   * @throws RuntimeException when the queue pair cannot be made
   */
  void begin(Routes.Route route, Identity ends) {
    owner.place(of, route.site(), route.local());
    route.site().check(of.toString(), options.type());
    QueuePair made = pair.make(route.site(), route.path());
    boolean begun =
        life.unlessEnded(
            () -> {
              CmEndpoint mine = pair.take(made, route.path(), options.initiatorDepth());
              exchange.begin(route, ends, mine, pair.data(), of);
            });
    if (!begun) {
      pair.destroy(made);
    }
  }

  /** The peer has answered: moves the queue pair and confirms, or ends the connection. */
  void replied(CmConnection c, CmEvent.Replied reply) {
    try {
      life.unlessEnded(
          () -> {
            data = reply.privateData();
            pair.move(c, reply.peer(), options.terms());
            confirm(c);
          });
    } catch (Throwable e) { // of a driver, too
      of.finish(RdmaEnd.failed(RdmaEnd.Kind.CONNECT_ERROR, pair.known(e)));
      Applicant.giveUp(c, e);
    }
  }

  private void confirm(CmConnection c) {
    try {
      c.ready(NONE);
    } catch (IbInvalidException e) { // it has ended since the reply; its next event says why (A16)
      LOG.debug("{} is not confirmed", of, e);
    }
  }

  /** A datagram service has answered with private data. */
  void answered(byte[] answer) {
    data = answer;
  }

  // ---- the passive side ----

  /**
   * Accepts a request.
   *
   * @throws IbException when the queue pair cannot be made or moved; the connection has ended then
   */
  void accept(RdmaRequest request, Identity ends) {
    data = request.data();
    AtomicReference<@Nullable QueuePair> made = new AtomicReference<>();
    try {
      owner.add(of, null);
      owner.place(of, request.site, ends.local().getAddress());
      QueuePair qp = pair.make(request.site, request.path());
      made.set(qp);
      if (!life.unlessEnded(() -> accept(request, qp))) {
        throw of.whyEnded();
      }
    } catch (Throwable e) { // of code that is not ours
      of.finish(RdmaEnd.failed(RdmaEnd.Kind.CONNECT_ERROR, pair.known(e)));
      request.applicant.failed(e);
      of.close();
      QueuePair left = made.get();
      if (left != null && !left.equals(pair.qp())) {
        pair.destroy(left); // close() does not know it
      }
      throw e;
    }
  }

  private void accept(RdmaRequest request, QueuePair made) {
    int depth = Math.min(options.initiatorDepth(), request.peer().responderResources());
    CmEndpoint mine = pair.take(made, request.path(), depth);
    CmConnection by = request.applicant.connection();
    exchange.accept(by);
    if (by != null) {
      pair.move(by, request.peer(), request.terms());
    }
    request.applicant.accept(mine, pair.data());
  }

  // ---- both ----

  /** {@return an exception of ours, or one about what the queue pair factory has thrown} */
  IbException known(Throwable e) {
    return pair.known(e);
  }

  /** Moves the queue pair to the error state; the caller holds the lock. */
  void error() {
    pair.error();
  }

  /** Tells the peer of the end; {@return whether an event will say that the peer knows} */
  boolean end() {
    return exchange.end();
  }

  /** Destroys the queue pair; not under the lock. */
  void destroy() {
    pair.destroy(pair.qp());
  }

  /** Takes note of the first message that has arrived on the queue pair. */
  void dataArrived() {
    exchange.dataArrived(life.turns);
  }

  @Nullable QueuePair qp() {
    return pair.qp();
  }

  /** {@return the queue pair; see {@link RdmaConnection#qp}} */
  QueuePair given() {
    return pair.given();
  }

  /** {@return where datagrams go; see {@link RdmaConnection#destination}} */
  RdmaDestination destination() {
    return exchange.destination(of.toString());
  }

  /** {@return private data of the peer} */
  byte[] data() {
    return data.clone();
  }
}
