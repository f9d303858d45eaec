package ib.cm.internal.machine;

import static ib.core.mad.cm.CmField.*;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.cm.CmEndpoint;
import ib.cm.CmEvent;
import ib.cm.CmPath;
import ib.cm.CmTerms;
import ib.core.mad.cm.CmKind;
import ib.core.mad.cm.CmMessage;
import ib.core.verbs.AhAttr;
import ib.core.verbs.Gid;
import ib.core.verbs.IbExistsException;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.Mtu;
import ib.core.verbs.QpType;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** One station and a peer that is played by the test. */
class StationTest {
  private static final long SERVICE = 42;
  private static final long PEER_GUID = 0x1002;
  private static final AhAttr PEER = AhAttr.ofLid(1, 2, 0);
  private static final AhAttr OTHER = AhAttr.ofLid(1, 3, 0);
  private static final CmTerms TERMS = new CmTerms(7, 14, 16, 3, 0);
  private static final byte[] NONE = {};

  private final Deque<CmMessage> sent = new ArrayDeque<>();
  private final List<CmEvent> events = new ArrayList<>();
  private final List<Connection> asked = new ArrayList<>();
  private long nowNs = 1;
  private final Station station =
      new Station(
          new SimulatedPort(1),
          () -> nowNs,
          new Random(1),
          (message, way, pkeyIndex) -> sent.add(message),
          StateTable.IBA);

  private void hear(CmMessage m) {
    station.received(m.mad().copy(), PEER, 0);
  }

  private CmMessage said(CmKind kind) {
    CmMessage m = sent.remove();
    assertEquals(kind, m.kind(), m.toString());
    return m;
  }

  private void silent() {
    assertNull(sent.peek(), "an answer");
  }

  private void rejected(int reason) {
    CmMessage rej = said(CmKind.REJ);
    assertEquals(reason, rej.value(REJ_REASON), rej.toString());
    silent();
  }

  private long dropped(Drop why) {
    return station.counters().getOrDefault("dropped." + why, 0L);
  }

  private Listener listen(int backlog) {
    return station.listen(
        SERVICE,
        Set.of(QpType.RC),
        backlog,
        c -> {
          asked.add(c);
          return events::add;
        });
  }

  private static CmMessage req(int id, int qpn) {
    CmMessage req = CmMessage.of(CmKind.REQ, 77).ids(id, 0).set(REQ_SERVICE_ID, SERVICE);
    req.set(REQ_CA_GUID, PEER_GUID).set(REQ_QPN, qpn).set(REQ_MTU, 3);
    req.set(REQ_LOCAL_LID, 2).set(REQ_REMOTE_LID, 1).set(REQ_SUBNET_LOCAL, 1);
    req.set(REQ_LOCAL_GID, Gid.linkLocal(PEER_GUID)).set(REQ_REMOTE_GID, Gid.linkLocal(0x1001));
    return req.set(REQ_LOCAL_CM_TIMEOUT, 16).set(REQ_MAX_CM_RETRIES, 3).set(REQ_ACK_TIMEOUT, 14);
  }

  private Connection accepted(int id, int qpn) {
    hear(req(id, qpn));
    Connection c = asked.getLast();
    station.accept(c, CmEndpoint.of(200, 9), NONE);
    return c;
  }

  private Connection established(int id, int qpn) {
    Connection c = accepted(id, qpn);
    said(CmKind.REP);
    hear(CmMessage.of(CmKind.RTU, 77).ids(id, c.id));
    assertEquals(State.ESTABLISHED, c.state);
    return c;
  }

  private Connection connect(CmTerms terms) {
    Gid local = Gid.linkLocal(0x1001);
    Gid remote = Gid.linkLocal(PEER_GUID);
    CmPath path = new CmPath(PEER, local, remote, 1, Mtu.MTU_1024, 14, 0xffff, 0);
    return station.connect(SERVICE, path, CmEndpoint.of(5, 6), terms, NONE, c -> events::add);
  }

  /** Lets time pass to the next timer; {@return how much} */
  private long pass() {
    long before = nowNs;
    nowNs = station.nextNs();
    station.tick();
    return nowNs - before;
  }

  @Test
  @DisplayName("a REQ that cannot be served is rejected with the reason of table 108")
  void reasons() {
    hear(req(1, 1));
    rejected(8);
    listen(4);
    hear(req(1, 1).set(REQ_TRANSPORT, 1));
    rejected(9);
    hear(req(1, 1).set(REQ_REMOTE_GID, Gid.linkLocal(5)));
    CmMessage rej = said(CmKind.REJ);
    assertEquals(12, rej.value(REJ_REASON));
    assertArrayEquals(Gid.linkLocal(0x1001).toBytes(), rej.info());
    hear(req(1, 1).set(REQ_LOCAL_LID, 0xc000));
    rejected(13);
    assertEquals(List.of(), asked);
    assertEquals(1, station.size());
  }

  @Test
  @DisplayName("CM-40: the queue pair of a live connection in a new REQ: REJ 10, DREQ on the old")
  void stale() {
    listen(4);
    Connection old = established(1, 7);
    hear(req(2, 7));
    CmMessage rej = said(CmKind.REJ);
    assertEquals(10, rej.value(REJ_REASON));
    assertEquals(2, rej.remoteId());
    assertEquals(old.remoteId, said(CmKind.DREQ).remoteId());
    silent();
    hear(CmMessage.of(CmKind.DREP, 1).ids(1, old.id));
    assertInstanceOf(CmEvent.Ended.class, events.getLast());
    hear(req(2, 7)); // the second try connects
    assertEquals(2, asked.size());
  }

  @Test
  @DisplayName("messages of unknown connections: DREP, REJ 6, APR 1, silence; SIDR: no service")
  void unknown() {
    hear(CmMessage.of(CmKind.DREQ, 1).ids(3, 4));
    CmMessage drep = said(CmKind.DREP);
    assertEquals(4, drep.localId());
    assertEquals(3, drep.remoteId());
    hear(CmMessage.of(CmKind.REP, 1).ids(3, 4));
    rejected(6);
    hear(CmMessage.of(CmKind.LAP, 1).ids(3, 4));
    assertEquals(1, said(CmKind.APR).value(APR_STATUS));
    for (CmKind each : List.of(CmKind.RTU, CmKind.MRA, CmKind.DREP, CmKind.REJ, CmKind.APR)) {
      hear(CmMessage.of(each, 1).ids(3, 4));
      silent();
    }
    hear(CmMessage.of(CmKind.SIDR_REQ, 1).set(SIDR_REQ_REQUEST_ID, 9));
    CmMessage sidr = said(CmKind.SIDR_REP);
    assertEquals(1, sidr.value(SIDR_REP_STATUS));
    assertEquals(9, sidr.value(SIDR_REP_REQUEST_ID));
  }

  @Test
  @DisplayName("CM-7, M25: a source gets 1,000 answers a second, and no more")
  void quota() {
    for (int i = 0; i < 3 * Quota.ANSWERS; i++) {
      hear(CmMessage.of(CmKind.DREQ, 1).ids(3, 4));
    }
    assertEquals(Quota.ANSWERS, sent.size());
    assertEquals(2 * Quota.ANSWERS, dropped(Drop.RATE));
    sent.clear();
    nowNs += 10_000_000;
    for (int i = 0; i < 100; i++) {
      hear(CmMessage.of(CmKind.DREQ, 1).ids(3, 4));
    }
    assertEquals(10, sent.size());
  }

  @Test
  @DisplayName("a message of another source, name or queue pair does nothing to a connection")
  void forged() {
    listen(4);
    Connection c = established(1, 7);
    CmMessage dreq = CmMessage.of(CmKind.DREQ, 1).ids(1, c.id).set(DREQ_REMOTE_QPN, 200);
    station.received(dreq.mad().copy(), AhAttr.ofLid(1, 3, 0), 0);
    assertEquals(1, dropped(Drop.FOREIGN_SOURCE));
    hear(CmMessage.of(CmKind.DREQ, 1).ids(2, c.id).set(DREQ_REMOTE_QPN, 200));
    hear(CmMessage.of(CmKind.DREQ, 1).ids(1, c.id).set(DREQ_REMOTE_QPN, 201));
    assertEquals(2, dropped(Drop.MISMATCH));
    silent();
    assertEquals(State.ESTABLISHED, c.state);
    hear(dreq);
    said(CmKind.DREP);
    assertEquals(State.TIMEWAIT, c.state);
    hear(dreq);
    said(CmKind.DREP); // again, in timewait
    hear(req(1, 7));
    rejected(10); // CM-42: no second connection
    pass();
    assertInstanceOf(CmEvent.Released.class, events.getLast());
    hear(req(1, 7)); // after timewait it is a new one
    assertEquals(2, asked.size());
  }

  @Test
  @DisplayName("a full backlog drops a REQ silently; a closed listener rejects what waits with 28")
  void backlog() {
    Listener l = listen(1);
    hear(req(1, 1));
    hear(req(2, 2));
    silent();
    assertEquals(1, dropped(Drop.BACKLOG));
    assertEquals(1, asked.size());
    hear(req(1, 1)); // the same again: it takes longer
    assertEquals(24, said(CmKind.MRA).value(MRA_SERVICE_TIMEOUT));
    station.unlisten(l);
    rejected(28);
    hear(req(2, 2));
    rejected(8);
    assertEquals(0, station.size());
  }

  @Test
  @DisplayName("A5: an eighth of a backlog is for peers that have no request in it yet")
  void shares() {
    listen(16);
    for (int i = 1; i <= 20; i++) {
      hear(req(i, i));
    }
    assertEquals(14, asked.size());
    assertEquals(6, dropped(Drop.BACKLOG));
    for (int i = 21; i <= 22; i++) {
      station.received(req(i, i).set(REQ_CA_GUID, 99).mad().copy(), OTHER, 0);
    }
    assertEquals(15, asked.size(), "it has one now");
    station.accept(asked.getFirst(), CmEndpoint.of(200, 9), NONE);
    hear(req(20, 20));
    assertEquals(15, asked.size(), "still above its share");
    station.accept(asked.get(1), CmEndpoint.of(201, 9), NONE);
    hear(req(20, 20));
    assertEquals(16, asked.size());
  }

  @Test
  @DisplayName("a service with backlog 0 drops each REQ silently, and takes the same one later")
  void paused() {
    Listener l = listen(0);
    hear(req(1, 1));
    silent();
    assertEquals(1, dropped(Drop.BACKLOG));
    l.backlog(1);
    hear(req(1, 1));
    assertEquals(1, asked.size());
    assertEquals(PEER, asked.getFirst().way());
    l.backlog(0);
    hear(req(2, 2));
    silent();
    assertThrows(IbInvalidException.class, () -> l.backlog(-1));
  }

  @Test
  @DisplayName("CM-30, CM-33: a REQ is sent 1 + retries times, never sooner than its time")
  void retries() {
    connect(TERMS);
    said(CmKind.REQ);
    long answer = (2L * 4096 << 14) + (4096L << 16);
    for (int i = 0; i < 3; i++) {
      long waited = pass();
      assertTrue(waited >= answer && waited <= answer + answer / 10, waited + " of " + answer);
      said(CmKind.REQ);
    }
    pass();
    CmMessage rej = said(CmKind.REJ); // CM: the peer need not wait either
    assertEquals(4, rej.value(REJ_REASON));
    assertEquals(8, rej.info().length);
    assertInstanceOf(CmEvent.Released.class, events.getLast());
    assertEquals(0, station.size());
  }

  @Test
  @DisplayName("CM-34, CM-38: an MRA extends once; the deadline ends the handshake sooner")
  void extension() {
    Connection c = connect(new CmTerms(7, 14, 16, 3, 100_000));
    said(CmKind.REQ);
    CmMessage mra = CmMessage.of(CmKind.MRA, 1).ids(9, c.id).set(MRA_SERVICE_TIMEOUT, 31);
    hear(mra);
    assertEquals(State.MRA_REQ_RCVD, c.state);
    assertTrue(pass() >= 4096L << 24, "as long as Linux asks for, not 2.4 hours");
    said(CmKind.REQ);
    hear(mra);
    pass();
    assertEquals(100_000_000_001L, nowNs);
    assertEquals(4, said(CmKind.REJ).value(REJ_REASON));
    assertEquals(0, station.size());
  }

  @Test
  @DisplayName("a REJ 4 with the GUID finds the request whose name the peer does not know")
  void abandoned() {
    listen(4);
    hear(req(5, 1));
    byte[] guid = {0, 0, 0, 0, 0, 0, 0x10, 2};
    hear(CmMessage.of(CmKind.REJ, 1).ids(5, 0).set(REJ_REASON, 4).rejectInfo(guid));
    CmEvent.Ended end = assertInstanceOf(CmEvent.Ended.class, events.get(1));
    assertEquals(4, end.reason());
    assertEquals(1, station.size());
  }

  @Test
  @DisplayName("a lost REP is repeated at once for a REQ, a lost RTU for a REP; data stands for it")
  void repeats() {
    listen(4);
    Connection c = accepted(1, 7);
    said(CmKind.REP);
    hear(req(1, 7));
    said(CmKind.REP);
    station.dataArrived(c);
    assertEquals(State.ESTABLISHED, c.state);
    hear(CmMessage.of(CmKind.RTU, 77).ids(1, c.id)); // late
    Connection a = connect(TERMS);
    said(CmKind.REQ);
    CmMessage rep = CmMessage.of(CmKind.REP, 1).ids(8, a.id).set(REP_QPN, 55);
    rep.set(REP_CA_GUID, PEER_GUID);
    hear(rep);
    station.ready(a, new byte[] {1});
    byte[] first = said(CmKind.RTU).privateData();
    hear(rep);
    assertArrayEquals(first, said(CmKind.RTU).privateData());
    hear(CmMessage.of(CmKind.LAP, 1).ids(1, c.id));
    assertEquals(2, said(CmKind.APR).value(APR_STATUS)); // not supported
  }

  @Test
  @DisplayName("RG-11, CM-51: answers go where a REQ has come from, data where its path says")
  void asymmetric() {
    listen(4);
    hear(req(1, 7).set(REQ_LOCAL_LID, 7)); // it has come from LID 2
    CmEvent.Requested request = assertInstanceOf(CmEvent.Requested.class, events.getFirst());
    assertEquals(7, request.path().way().dlid());
    assertEquals(1, request.path().localLid());
    assertEquals(2, asked.getFirst().way().dlid());
  }

  @Test
  @DisplayName("CM-60: a service ID has one listener")
  void oneListener() {
    Listener l = listen(4);
    assertThrows(IbExistsException.class, () -> listen(4));
    station.unlisten(l);
    assertEquals(SERVICE, listen(4).serviceId());
  }
}
