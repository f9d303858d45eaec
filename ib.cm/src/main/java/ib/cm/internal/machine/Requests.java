package ib.cm.internal.machine;

import static ib.core.mad.cm.CmField.*;

import ib.cm.CmEndpoint;
import ib.cm.CmPath;
import ib.cm.CmTerms;
import ib.core.mad.cm.CmKind;
import ib.core.mad.cm.CmMessage;
import ib.core.verbs.AhAttr;
import ib.core.verbs.Gid;
import ib.core.verbs.GlobalRoute;
import ib.core.verbs.Mtu;

/** Writes and reads REQs and REPs: paths, queue pairs and terms as messages have them. */
final class Requests {
  private static final int NO_LID = 0xffff; // CM-50
  private static final int FIRST_MULTICAST_LID = 0xc000;
  private static final int ACK_DELAY = 15;
  private static final int FAILOVER_NOT_SUPPORTED = 1;

  private Requests() {}

  static CmMessage req(Connection c, Self self) {
    CmPath p = c.path;
    CmEndpoint q = c.mine();
    CmTerms t = c.terms;
    CmMessage m = CmMessage.of(CmKind.REQ, c.tid).ids(c.id, 0);
    m.set(REQ_SERVICE_ID, c.serviceId).set(REQ_CA_GUID, self.caGuid());
    c.transport.write(m);
    m.set(c.transport.qpn(CmKind.REQ), q.qpn());
    m.set(REQ_RESPONDER_RESOURCES, q.responderResources());
    m.set(REQ_INITIATOR_DEPTH, q.initiatorDepth()).set(REQ_STARTING_PSN, q.startingPsn());
    m.set(REQ_RNR_RETRY, q.rnrRetry()).set(REQ_SRQ, q.srq() ? 1 : 0);
    m.set(REQ_REMOTE_CM_TIMEOUT, t.responseTimeout());
    m.set(REQ_LOCAL_CM_TIMEOUT, t.responseTimeout());
    m.set(REQ_RETRY, c.transport == Transport.RC ? t.retryCount() : 0);
    m.set(REQ_MAX_CM_RETRIES, t.maxRetries());
    m.set(REQ_ACK_TIMEOUT, t.ackTimeout());
    m.set(REQ_PKEY, p.pkey()).set(REQ_MTU, p.mtu().value());
    AhAttr way = p.way();
    GlobalRoute route = way.grh();
    boolean roce = self.ethernet();
    m.set(REQ_LOCAL_LID, roce ? NO_LID : p.localLid());
    m.set(REQ_REMOTE_LID, roce ? NO_LID : way.dlid());
    m.set(REQ_LOCAL_GID, p.local()).set(REQ_REMOTE_GID, p.remote());
    if (route != null) {
      m.set(REQ_FLOW_LABEL, route.flowLabel()).set(REQ_TCLASS, route.trafficClass());
      m.set(REQ_HOP, route.hopLimit());
    }
    m.set(REQ_RATE, way.staticRate()).set(REQ_SL, way.sl());
    m.set(REQ_SUBNET_LOCAL, route == null ? 1 : 0);
    return m.privateData(c.privateData);
  }

  static CmMessage rep(Connection c, Self self) {
    CmEndpoint q = c.mine();
    CmMessage m = CmMessage.of(CmKind.REP, c.tid).ids(c.id, c.remoteId);
    m.set(c.transport.qpn(CmKind.REP), q.qpn()).set(REP_STARTING_PSN, q.startingPsn());
    m.set(REP_RESPONDER_RESOURCES, q.responderResources());
    m.set(REP_INITIATOR_DEPTH, q.initiatorDepth());
    m.set(REP_ACK_DELAY, ACK_DELAY).set(REP_FAILOVER, FAILOVER_NOT_SUPPORTED);
    boolean srq = q.srq() || c.transport == Transport.XRC; // a target has no other receives
    m.set(REP_RNR_RETRY, q.rnrRetry()).set(REP_SRQ, srq ? 1 : 0);
    return m.set(REP_CA_GUID, self.caGuid()).privateData(c.privateData);
  }

  /** {@return the queue pair that sent the REQ or REP of a connection} */
  static CmEndpoint peer(CmMessage m, Transport transport) {
    boolean req = m.kind() == CmKind.REQ;
    return new CmEndpoint(
        req ? transport.active() : transport.passive(),
        m.value(transport.qpn(m.kind())),
        m.value(req ? REQ_STARTING_PSN : REP_STARTING_PSN),
        m.value(req ? REQ_RESPONDER_RESOURCES : REP_RESPONDER_RESOURCES),
        m.value(req ? REQ_INITIATOR_DEPTH : REP_INITIATOR_DEPTH),
        m.value(req ? REQ_RNR_RETRY : REP_RNR_RETRY),
        m.value(req ? REQ_SRQ : REP_SRQ) != 0);
  }

  static CmTerms terms(CmMessage req) {
    return new CmTerms(
        req.value(REQ_RETRY),
        req.value(REQ_ACK_TIMEOUT),
        req.value(REQ_LOCAL_CM_TIMEOUT),
        req.value(REQ_MAX_CM_RETRIES),
        0);
  }

  /** {@return whether the LID of the sender, where there are LIDs, is that of a port} */
  static boolean hasLid(CmMessage req, Self self) {
    int lid = req.value(REQ_LOCAL_LID);
    return self.ethernet() || lid > 0 && lid < FIRST_MULTICAST_LID;
  }

  /** {@return the way back along the path in the REQ (CM-51)} */
  static CmPath back(CmMessage req, Self self, int gidIndex, int pkeyIndex) {
    Gid local = req.gid(REQ_REMOTE_GID);
    Gid remote = req.gid(REQ_LOCAL_GID);
    GlobalRoute route =
        new GlobalRoute(
            remote, req.value(REQ_FLOW_LABEL), gidIndex, req.value(REQ_HOP), req.value(REQ_TCLASS));
    boolean routed = self.ethernet() || req.value(REQ_SUBNET_LOCAL) == 0;
    AhAttr way =
        new AhAttr(
            self.ethernet() ? 0 : req.value(REQ_LOCAL_LID),
            req.value(REQ_SL),
            0,
            req.value(REQ_RATE),
            self.port(),
            routed ? route : null);
    return new CmPath(
        way,
        local,
        remote,
        req.value(REQ_REMOTE_LID),
        Mtu.of(req.value(REQ_MTU)),
        CmPath.ROCE_PACKET_LIFE,
        req.value(REQ_PKEY),
        pkeyIndex);
  }
}
