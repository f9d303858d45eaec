package ib.ulp.ipoib.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

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
  private CmParty listener;
  private int names = 100;

  @BeforeEach
  void listen() {
    node = world.add(1, Connections.MAX_ACCEPTED);
    world.add(STRANGER, 9); // hears what is said to LID 2
    world.add(STRANGER, 9); // and to LID 3
    listener = node.listener;
    assertNotNull(listener);
  }

  private CmRequest.Path path(int lid, Gid from, Gid to) {
    return new CmRequest.Path(lid, node.lid, from, to, 0, 0, 0, 0, 0, true, 18);
  }

  private CmRequest request(CmRequest.Path path, int pkey, Connected data) {
    long service = Connected.linuxServiceId(node.address.qpn());
    return new CmRequest(++names, service, 7, 3, 4, pkey, Mtu.MTU_2048, true, path, data);
  }

  private CmMessage answer(CmRequest request, AhAttr way) {
    node.said.clear();
    listener.received(1, request, way);
    world.pass(SECOND);
    return node.said.getFirst();
  }

  private void refused(CmRequest request, AhAttr way, int reason, Refusal why) {
    long before = node.refusals.of(why);
    assertEquals(reason, ((CmReject) answer(request, way)).reason());
    assertEquals(before + 1, node.refusals.of(why));
    assertEquals(List.of(), node.connections.all());
    assertTrue(node.refusals.all().containsKey(why.label()));
  }

  @Test
  @DisplayName("in the name of another LID: REJ 13; of another GID than the global route's: REJ 12")
  void source() {
    Gid gid = Gid.linkLocal(0x102);
    Gid us = node.address.gid();
    AhAttr here = AhAttr.ofLid(1, 2, 0);
    int lid = CmReject.INVALID_LID;
    refused(request(path(3, gid, us), 0xffff, DATA), here, lid, Refusal.SOURCE);
    AhAttr global = AhAttr.ofLid(1, 2, 0, GlobalRoute.to(Gid.linkLocal(0x103), 0));
    refused(request(path(2, gid, us), 0xffff, DATA), global, CmReject.INVALID_GID, Refusal.SOURCE);
  }

  @Test
  @DisplayName("to another GID: REJ 12; in another partition, or for short packets: REJ 5")
  void destination() {
    Gid gid = Gid.linkLocal(0x102);
    Gid us = node.address.gid();
    AhAttr here = AhAttr.ofLid(1, 2, 0);
    refused(
        request(path(2, gid, gid), 0xffff, DATA), here, CmReject.INVALID_GID, Refusal.DESTINATION);
    int no = CmReject.UNSUPPORTED;
    refused(request(path(2, gid, us), 0x8001, DATA), here, no, Refusal.PARTITION);
    refused(request(path(2, gid, us), 0xffff, new Connected(5, 3)), here, no, Refusal.MTU);
  }

  @Test
  @DisplayName(
      "one port gets at most 16 connections, under any names; other ports still get theirs")
  void limit() {
    AhAttr here = AhAttr.ofLid(1, 2, 0);
    for (int i = 0; i < 3 * Connections.MAX_PER_PEER; i++) {
      Gid invented = Gid.linkLocal(0x1000 + i);
      listener.received(i, request(path(2, invented, node.address.gid()), 0xffff, DATA), here);
    }
    assertTrue(node.loop.turn());
    assertEquals(Connections.MAX_PER_PEER, node.connections.all().size());
    assertEquals(2 * Connections.MAX_PER_PEER, node.refusals.of(Refusal.PEER_LIMIT));
    AhAttr elsewhere = AhAttr.ofLid(1, 3, 0);
    Gid theirs = Gid.linkLocal(0x103);
    listener.received(1, request(path(3, theirs, node.address.gid()), 0xffff, DATA), elsewhere);
    assertTrue(node.loop.turn());
    assertEquals(Connections.MAX_PER_PEER + 1, node.connections.all().size(), "another port");
    node.connections.stop();
    assertEquals(0, node.ends.size());
    node.connections.start(node.self(false));
    LinkAddress again = new LinkAddress(0, 5, Gid.linkLocal(0x102));
    CmMessage rep = answer(request(path(2, again.gid(), node.address.gid()), 0xffff, DATA), here);
    assertEquals(CmMessage.REP, rep.attribute(), "what is gone does not count");
  }
}
