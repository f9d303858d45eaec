package ib.ulp.ipoib.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.mad.cm.CmField;
import ib.core.mad.cm.CmKind;
import ib.core.mad.cm.CmMessage;
import ib.core.verbs.AhAttr;
import ib.core.verbs.Gid;
import ib.core.verbs.GlobalRoute;
import ib.core.verbs.Mtu;
import ib.ulp.ipoib.cm.CmWorld.Node;
import ib.ulp.ipoib.wire.Connected;
import ib.ulp.ipoib.wire.LinkAddress;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("B10: a request is believed only as far as its datagram's origin goes")
class OriginTest {
  private static final long SECOND = 1_000_000_000L;
  private static final int STRANGER = 9;
  private static final Connected DATA = new Connected(5, CmWorld.RECEIVE_MTU);

  private final CmWorld world = new CmWorld(1);
  private Node node;
  private int names = 100;

  @BeforeEach
  void listen() {
    node = world.add(1, Connections.MAX_ACCEPTED);
    world.add(STRANGER, 9); // hears what is said to LID 2
    world.add(STRANGER, 9); // and to LID 3
  }

  private CmMessage request(int lid, Gid from, Gid to) {
    return request(lid, from, to, 0xffff, DATA);
  }

  private CmMessage request(int lid, Gid from, Gid to, int pkey, Connected data) {
    int id = ++names;
    CmMessage req = CmMessage.of(CmKind.REQ, id).ids(id, 0);
    req.set(CmField.REQ_SERVICE_ID, Connected.linuxServiceId(node.address.qpn()));
    req.set(CmField.REQ_CA_GUID, 7).set(CmField.REQ_QPN, id).set(CmField.REQ_STARTING_PSN, 4);
    req.set(CmField.REQ_PKEY, pkey).set(CmField.REQ_MTU, Mtu.MTU_2048.value());
    req.set(CmField.REQ_LOCAL_LID, lid).set(CmField.REQ_REMOTE_LID, node.lid);
    req.set(CmField.REQ_LOCAL_GID, from).set(CmField.REQ_REMOTE_GID, to);
    req.set(CmField.REQ_SUBNET_LOCAL, 1).set(CmField.REQ_ACK_TIMEOUT, 18);
    req.set(CmField.REQ_LOCAL_CM_TIMEOUT, 20).set(CmField.REQ_MAX_CM_RETRIES, 15);
    return req.privateData(data.toBytes());
  }

  private CmMessage answer(CmMessage request, AhAttr way) {
    node.said.clear();
    node.station.received(request.mad(), way, 0);
    world.pass(SECOND);
    return node.said.getFirst();
  }

  private void rejected(CmMessage request, AhAttr way, int reason) {
    CmMessage rej = answer(request, way);
    assertEquals(CmKind.REJ, rej.kind());
    assertEquals(reason, rej.value(CmField.REJ_REASON));
    assertEquals(List.of(), node.connections.all());
  }

  private void refused(CmMessage request, AhAttr way, int reason, Refusal why) {
    long before = node.refusals.of(why);
    rejected(request, way, reason);
    assertEquals(before + 1, node.refusals.of(why));
    assertTrue(node.refusals.all().containsKey(why.label()));
  }

  @Test
  @DisplayName("in the name of another LID: REJ 13; of another GID than the global route's: REJ 12")
  void source() {
    Gid gid = Gid.linkLocal(0x102);
    Gid us = node.address.gid();
    AhAttr here = AhAttr.ofLid(1, 2, 0);
    refused(request(3, gid, us), here, Answers.INVALID_LID, Refusal.SOURCE);
    AhAttr global = AhAttr.ofLid(1, 2, 0, GlobalRoute.to(Gid.linkLocal(0x103), 0));
    refused(request(2, gid, us), global, Answers.INVALID_GID, Refusal.SOURCE);
  }

  @Test
  @DisplayName("to another GID: REJ 12; in another partition, or for short packets: REJ 5")
  void destination() {
    Gid gid = Gid.linkLocal(0x102);
    Gid us = node.address.gid();
    AhAttr here = AhAttr.ofLid(1, 2, 0);
    rejected(request(2, gid, gid), here, Answers.INVALID_GID); // no GID of the port at all
    refused(request(2, gid, node.gid(1)), here, Answers.INVALID_GID, Refusal.DESTINATION);
    int no = Answers.UNSUPPORTED;
    refused(request(2, gid, us, 0x8001, DATA), here, no, Refusal.PARTITION);
    refused(request(2, gid, us, 0xffff, new Connected(5, 3)), here, no, Refusal.MTU);
  }

  @Test
  @DisplayName(
      "one port gets at most 16 connections, under any names; other ports still get theirs")
  void limit() {
    AhAttr here = AhAttr.ofLid(1, 2, 0);
    for (int i = 0; i < 3 * Connections.MAX_PER_PEER; i++) {
      Gid invented = Gid.linkLocal(0x1000 + i);
      node.station.received(request(2, invented, node.address.gid()).mad(), here, 0);
    }
    assertTrue(node.loop.turn());
    assertEquals(Connections.MAX_PER_PEER, node.connections.all().size());
    assertEquals(2 * Connections.MAX_PER_PEER, node.refusals.of(Refusal.PEER_LIMIT));
    AhAttr elsewhere = AhAttr.ofLid(1, 3, 0);
    Gid theirs = Gid.linkLocal(0x103);
    node.station.received(request(3, theirs, node.address.gid()).mad(), elsewhere, 0);
    assertTrue(node.loop.turn());
    assertEquals(Connections.MAX_PER_PEER + 1, node.connections.all().size(), "another port");
    node.connections.stop();
    assertEquals(0, node.ends.size());
    node.connections.start(node.self(false));
    LinkAddress again = new LinkAddress(0, 5, Gid.linkLocal(0x102));
    CmMessage rep = answer(request(2, again.gid(), node.address.gid()), here);
    assertEquals(CmKind.REP, rep.kind(), "what is gone does not count");
  }
}
