package ib.ulp.ipoib.cm;

import ib.cm.CmConnection;
import ib.cm.CmEnd;
import ib.cm.CmEndpoint;
import ib.cm.CmEvent;
import ib.core.verbs.AhAttr;
import ib.core.verbs.IbException;
import ib.core.verbs.IbInvalidException;
import ib.ulp.ipoib.cm.Connection.State;
import ib.ulp.ipoib.cm.Peers.Peer;
import ib.ulp.ipoib.wire.Connected;
import ib.ulp.ipoib.wire.LinkAddress;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers the events of the connections of one interface. The connection manager's threads call
 * {@link #requests} and {@link #of}; everything else runs on the interface's loop.
 */
final class Answers {
  private static final byte[] NOTHING = {};

  /** Reject reason: the path names a GID that is not that of the sender or the receiver. */
  static final int INVALID_GID = 12;

  /** Reject reason: the path names a LID that is not that of the sender. */
  static final int INVALID_LID = 13;

  /** Reject reason: the interface does not support the request. */
  static final int UNSUPPORTED = 5;

  private final Logger log = LoggerFactory.getLogger(Answers.class);
  private final Connections all;

  /** The connections that peers have asked for, until they are released. */
  private final Map<CmConnection, Connection> passive = new HashMap<>();

  Answers(Connections all) {
    this.all = all;
  }

  /** An event of a connection that a peer has asked for. */
  void requests(CmConnection from, CmEvent event) {
    all.loop.execute(
        () -> {
          Connection known = passive.get(from);
          if (event instanceof CmEvent.Requested req) {
            request(from, req);
          } else if (known != null) {
            take(known, event);
          }
          if (event instanceof CmEvent.Released) {
            passive.remove(from);
          }
        });
  }

  /** An event of a connection that this side has asked for. */
  void of(Connection c, CmEvent event) {
    all.loop.execute(() -> take(c, event));
  }

  private void take(Connection c, CmEvent event) {
    switch (event) {
      case CmEvent.Replied rep -> reply(c, rep);
      case CmEvent.Established up -> {
        if (c.state == State.REP_SENT) {
          all.established(c);
        }
      }
      case CmEvent.Ended end -> ended(c, end);
      case CmEvent.Requested req -> throw new AssertionError(req); // handled above
      case CmEvent.Released gone -> log.trace("{} is released", c);
    }
  }

  private void request(CmConnection from, CmEvent.Requested req) {
    if (!all.started()) {
      from.end();
      return;
    }
    Self me = all.identity();
    AhAttr source = from.source();
    Connected data = Connected.of(req.privateData());
    Refusal wrong = Origin.check(req.path(), source, data, me);
    if (wrong != null) {
      refuse(from, Origin.reason(wrong, source), wrong);
      return;
    }
    LinkAddress address = new LinkAddress(0, data.qpn(), req.path().remote());
    Peer peer = all.peers.of(address);
    Connection mine = peer.active;
    boolean crossing = mine != null && mine.state == State.REQ_SENT;
    boolean mineLives = crossing && !me.yields(address);
    if (mineLives) { // C3: the peer's request yields to ours
      refuse(from, CmConnection.CONSUMER_REJECT, null);
    } else if (all.full()) {
      refuse(from, CmConnection.NO_RESOURCES, Refusal.LIMIT);
    } else if (all.peers.passives(source) >= Connections.MAX_PER_PEER) {
      refuse(from, CmConnection.NO_RESOURCES, Refusal.PEER_LIMIT);
    } else if (!accept(from, req, new Connection(address, false, source, all.loop.now()))) {
      refuse(from, CmConnection.NO_RESOURCES, Refusal.DEVICE);
    }
    all.peers.tidy(address);
  }

  private void refuse(CmConnection from, int reason, @Nullable Refusal counted) {
    if (counted != null) {
      all.refusals.count(counted, from.source());
    }
    reject(from, reason);
  }

  private void reject(CmConnection who, int reason) {
    try {
      who.reject(reason, NOTHING, all.data());
    } catch (IbInvalidException e) { // the peer has withdrawn what is refused
      log.debug("nothing to reject: {}", e.getMessage());
    }
  }

  private boolean accept(CmConnection from, CmEvent.Requested req, Connection c) {
    c.cm = from;
    RcEnd end = null;
    try {
      end = all.owner.open(c);
      CmEndpoint peer = req.peer();
      int ackTimeout = req.terms().ackTimeout();
      end.connect(req.path().way(), req.path().mtu(), ackTimeout, peer.qpn(), peer.startingPsn());
      from.accept(Connections.endpoint(end), all.data());
    } catch (IbException e) {
      log.warn("connection request of {} is rejected: {}", c.peer, e.getMessage());
      if (end != null) {
        end.close();
      }
      return false;
    }
    c.mtu = all.mtu(Connected.of(req.privateData()));
    passive.put(from, c);
    all.add(c, end);
    return true;
  }

  private void reply(Connection c, CmEvent.Replied rep) {
    RcEnd end = c.end;
    CmConnection cm = c.cm;
    if (c.state != State.REQ_SENT || end == null || cm == null) {
      return; // this side has given the request up
    }
    Connected data = Connected.of(rep.privateData());
    c.mtu = all.mtu(data);
    try {
      if (!Origin.takesIp(data)) {
        all.refusals.count(Refusal.MTU, c.way);
        throw new IbInvalidException(
            "connection of " + c.peer, "receive MTU " + data.receiveMtu(), "1284 or more");
      }
      CmEndpoint peer = rep.peer();
      int ackTimeout = Connections.TERMS.ackTimeout();
      end.connect(c.way, c.pathMtu, ackTimeout, peer.qpn(), peer.startingPsn());
      cm.ready(NOTHING);
    } catch (IbException e) {
      reject(cm, CmConnection.CONSUMER_REJECT);
      all.forget(c, String.valueOf(e.getMessage()));
      return;
    }
    all.established(c);
  }

  private void ended(Connection c, CmEvent.Ended end) {
    boolean ruled = end.how() == CmEnd.REJECTED && end.reason() == CmConnection.CONSUMER_REJECT;
    if (c.state == State.REQ_SENT && ruled && all.identity().yields(c.peer)) {
      all.peers.of(c.peer).shares =
          true; // C3: the peer's own request, which crossed ours, becomes the connection
    }
    if (c.state != State.CLOSED) {
      all.forget(c, end.how() + (end.reason() == 0 ? "" : ", reason " + end.reason()));
      Connection theirs = all.to(c.peer);
      if (theirs != null) {
        all.report(theirs);
      }
    }
  }
}
