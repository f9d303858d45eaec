package ib.ulp.ipoib.cm;

import ib.core.verbs.AhAttr;
import ib.core.verbs.IbException;
import ib.core.verbs.IbInvalidException;
import ib.ulp.ipoib.cm.Connection.State;
import ib.ulp.ipoib.cm.Peers.Peer;
import ib.ulp.ipoib.wire.LinkAddress;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers connection manager messages of one interface, by the state of the connection (IBA
 * 12.9.5-12.9.7). The agent's thread calls {@link #received}; everything else runs on the
 * interface's loop.
 */
final class Answers implements CmParty {
  private final Logger log = LoggerFactory.getLogger(Answers.class);
  private final Connections all;

  Answers(Connections all) {
    this.all = all;
  }

  @Override
  public void received(long tid, CmMessage message, AhAttr answer) {
    all.loop()
        .execute(
            () -> {
              if (all.started()) {
                take(tid, message, answer);
              }
            });
  }

  private void take(long tid, CmMessage message, AhAttr answer) {
    if (message instanceof CmRequest req) {
      request(tid, req, answer);
      return;
    }
    Connection c = all.named(message.remoteId());
    if (c == null) { // the connection ended before its message arrived
      all.refusals().count(Refusal.UNKNOWN_CONNECTION, answer);
      CmMessage refusal = CmPort.refusal(message);
      if (refusal != null) {
        all.speech().send(tid, refusal, answer);
      }
      return;
    }
    switch (message) {
      case CmReply rep -> reply(c, rep, answer);
      case CmMessage.ReadyToUse rtu -> {
        if (c.state == State.REP_SENT && rtu.localId() == c.remoteId) {
          all.established(c);
        }
      }
      case CmReject rej -> rejected(c, rej);
      case CmMessage.DisconnectRequest dreq -> {
        all.speech().send(tid, new CmMessage.DisconnectReply(c.id, dreq.localId()), answer);
        all.forget(c, "the peer ended it");
        all.release(c);
      }
      case CmMessage.DisconnectReply drep -> {
        if (c.state == State.DREQ_SENT && drep.localId() == c.remoteId) {
          all.release(c);
        }
      }
      case CmMessage.ReceiptAck mra -> {
        if (c.state == State.REQ_SENT || c.state == State.REP_SENT) {
          all.speech().await(c, Connections.RESPONSE_NS + (4096L << mra.timeout()));
        }
      }
      case CmRequest req -> throw new AssertionError(req); // handled above
    }
  }

  private void request(long tid, CmRequest req, AhAttr answer) {
    Self me = all.identity();
    Refusal wrong = Origin.check(req, answer, me);
    if (wrong != null) {
      refuse(tid, req, answer, Origin.reason(wrong, answer), wrong);
      return;
    }
    LinkAddress address = new LinkAddress(0, req.data().qpn(), req.path().localGid());
    Peer peer = all.peers().of(address);
    for (Connection c : peer.passive) {
      if (c.remoteId == req.localId()) {
        if (c.state == State.REP_SENT) {
          all.speech().say(c); // the REP was lost
        }
        return;
      }
    }
    Connection mine = peer.active;
    boolean crossing = mine != null && mine.state == State.REQ_SENT;
    boolean mineLives = crossing && !me.yields(address);
    if (mineLives) { // C3: the peer's request yields to ours
      refuse(tid, req, answer, CmReject.CONSUMER, null);
    } else if (all.full()) {
      refuse(tid, req, answer, CmReject.NO_RESOURCES, Refusal.LIMIT);
    } else if (all.peers().passives(answer) >= Connections.MAX_PER_PEER) {
      refuse(tid, req, answer, CmReject.NO_RESOURCES, Refusal.PEER_LIMIT);
    } else if (!accept(tid, req, address, answer)) {
      refuse(tid, req, answer, CmReject.NO_RESOURCES, Refusal.DEVICE);
    }
    all.peers().tidy(address);
  }

  private void refuse(
      long tid, CmRequest req, AhAttr answer, int reason, @Nullable Refusal counted) {
    if (counted != null) {
      all.refusals().count(counted, answer);
    }
    CmReject no = new CmReject(0, req.localId(), CmReject.OF_REQ, reason, all.data());
    all.speech().send(tid, no, answer);
  }

  private boolean accept(long tid, CmRequest req, LinkAddress address, AhAttr answer) {
    Self me = all.identity();
    CmService cm = all.service();
    Connection c = new Connection(cm.name(this), address, false, answer, all.loop().now());
    c.tid = tid;
    RcEnd end = null;
    try {
      end = all.owner().open(c);
      AhAttr back = req.path().back(me.port(), me.sgidIndex(), me.ethernet());
      end.connect(back, req.mtu(), req.path().ackTimeout(), req.qpn(), req.psn());
    } catch (IbException e) {
      log.warn("connection request of {} is rejected: {}", address, e.getMessage());
      if (end != null) {
        end.close();
      }
      cm.release(c.id);
      return false;
    }
    c.remoteId = req.localId();
    c.remoteQpn = req.qpn();
    c.mtu = all.mtu(req.data());
    all.add(c, end);
    all.speech()
        .ask(c, new CmReply(c.id, c.remoteId, end.qpn(), end.psn(), me.caGuid(), all.data()));
    return true;
  }

  private void reply(Connection c, CmReply rep, AhAttr answer) {
    RcEnd end = c.end;
    if (c.active && c.state == State.ESTABLISHED && c.remoteId == rep.localId()) {
      all.speech().say(c); // the RTU was lost
    } else if (c.active && c.said instanceof CmRequest req && end != null) {
      c.remoteId = rep.localId();
      c.remoteQpn = rep.qpn();
      c.mtu = all.mtu(rep.data());
      try {
        if (!Origin.takesIp(rep.data())) {
          all.refusals().count(Refusal.MTU, answer);
          throw new IbInvalidException(
              "connection of " + c.peer, "receive MTU " + rep.data().receiveMtu(), "1284 or more");
        }
        end.connect(c.way, req.mtu(), req.path().ackTimeout(), rep.qpn(), rep.psn());
      } catch (IbException e) {
        refuse(c, rep, CmReject.CONSUMER, answer);
        all.forget(c, String.valueOf(e.getMessage()));
        all.release(c);
        return;
      }
      c.said = new CmMessage.ReadyToUse(c.id, c.remoteId);
      all.speech().say(c);
      all.established(c);
    } else {
      refuse(
          c,
          rep,
          CmReject.INVALID_ID,
          answer); // the REP of a second connection that a repeated REQ has created at the peer
    }
  }

  private void refuse(Connection c, CmReply rep, int reason, AhAttr answer) {
    CmReject no = new CmReject(c.id, rep.localId(), CmReject.OF_REP, reason, all.data());
    all.speech().send(c.tid, no, answer);
  }

  private void rejected(Connection c, CmReject rej) {
    boolean asked = c.state == State.REQ_SENT;
    if (!asked && (c.state == State.DREQ_SENT || rej.localId() != c.remoteId)) {
      return;
    }
    c.reason = rej.reason();
    boolean ruled = rej.message() == CmReject.OF_REQ && rej.reason() == CmReject.CONSUMER;
    if (asked && ruled && all.identity().yields(c.peer)) {
      all.peers().of(c.peer).shares =
          true; // C3: the peer's own request, which crossed ours, becomes the connection
    }
    all.forget(c, "refused, reason " + rej.reason());
    all.release(c);
    Connection theirs = all.to(c.peer);
    if (theirs != null) {
      all.report(theirs);
    }
  }
}
