package ib.cm.internal.machine;

import static ib.core.mad.cm.CmField.*;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.cm.CmEnd;
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

/** The datagram services of one station, and a peer that is played by the test. */
class DatagramsTest {
  private static final long SERVICE = 0x0111_1c06L;
  private static final AhAttr PEER = AhAttr.ofLid(1, 2, 0);
  private static final AhAttr OTHER = AhAttr.ofLid(1, 3, 0);
  private static final int RETRIES = 15;
  private static final byte[] NONE = {};

  private final Deque<CmMessage> sent = new ArrayDeque<>();
  private final List<Asked> asked = new ArrayList<>();
  private final List<Query.Outcome> outcomes = new ArrayList<>();
  private long nowNs = 1;
  private final Station station =
      new Station(
          new SimulatedPort(1),
          () -> nowNs,
          new Random(1),
          (message, way, pkeyIndex) -> sent.add(message),
          StateTable.IBA);
  private final Datagrams datagrams = station.datagrams();

  private void hear(CmMessage m, AhAttr from) {
    station.received(m.mad().copy(), from, 0);
  }

  private static CmMessage req(int id) {
    CmMessage req = CmMessage.of(CmKind.SIDR_REQ, 77).set(SIDR_REQ_SERVICE_ID, SERVICE);
    return req.set(SIDR_REQ_REQUEST_ID, id).privateData(new byte[] {5});
  }

  private CmMessage refused(int status) {
    CmMessage rep = sent.remove();
    assertEquals(CmKind.SIDR_REP, rep.kind());
    assertEquals(status, rep.value(SIDR_REP_STATUS));
    assertEquals(0, rep.value(SIDR_REP_QPN));
    return rep;
  }

  private long dropped(Drop why) {
    return station.counters().getOrDefault("dropped." + why, 0L);
  }

  private Query resolve(long deadlineMs) {
    Gid gid = Gid.linkLocal(0x1001);
    CmPath path = new CmPath(PEER, gid, gid, 1, Mtu.MTU_1024, 14, 0xffff, 0);
    CmTerms terms = new CmTerms(7, 14, 20, RETRIES, deadlineMs);
    return datagrams.resolve(SERVICE, path, terms, new byte[] {7}, outcomes::add);
  }

  private DatagramListener serve(int backlog) {
    return datagrams.serve(SERVICE, backlog, asked::add);
  }

  @Test
  @DisplayName("RD-11, CM-3: a question is answered once, with the TID, the name and the service")
  void answered() {
    serve(4);
    hear(req(9), PEER);
    Asked a = asked.getFirst();
    assertEquals(5, a.privateData()[0]);
    assertEquals(SERVICE, a.serviceId());
    hear(req(9), PEER);
    assertEquals(1, dropped(Drop.DUPLICATE));
    hear(req(9), OTHER); // another source may use the same name
    assertEquals(2, asked.size());
    datagrams.accept(a, 0x123456, 0x81234567, new byte[] {6});
    CmMessage rep = sent.remove();
    assertEquals(77, rep.tid());
    assertEquals(9, rep.value(SIDR_REP_REQUEST_ID));
    assertEquals(SERVICE, rep.longValue(SIDR_REP_SERVICE_ID));
    assertEquals(0x123456, rep.value(SIDR_REP_QPN));
    assertEquals(0x81234567, rep.value(SIDR_REP_QKEY));
    assertEquals(6, rep.privateData()[0]);
    assertThrows(IbInvalidException.class, () -> datagrams.accept(a, 1, 1, NONE));
    hear(req(9), PEER); // the answer was lost
    assertEquals(3, asked.size());
  }

  @Test
  @DisplayName("M9, CM-62: no service is status 1; a REQ for a datagram service gets REJ 28")
  void kindsKeptApart() {
    station.listen(SERVICE + 1, Set.of(QpType.RC), 4, c -> event -> {});
    hear(req(1).set(SIDR_REQ_SERVICE_ID, SERVICE + 1), PEER);
    assertEquals(SERVICE + 1, refused(1).longValue(SIDR_REP_SERVICE_ID));
    serve(4);
    assertThrows(IbExistsException.class, () -> serve(4));
    CmMessage req = CmMessage.of(CmKind.REQ, 1).ids(1, 0).set(REQ_MTU, 3);
    hear(req.set(REQ_SERVICE_ID, SERVICE), PEER);
    assertEquals(28, sent.remove().value(REJ_REASON));
    assertEquals(List.of(), asked);
  }

  @Test
  @DisplayName("a service that ends refuses what waits with status 2; a full backlog is silent")
  void ends() {
    DatagramListener l = serve(1);
    hear(req(1), PEER);
    hear(req(2), PEER);
    assertEquals(1, dropped(Drop.BACKLOG));
    assertEquals(1, asked.size());
    datagrams.withdraw(l);
    refused(2);
    hear(req(2), PEER);
    refused(1);
    assertThrows(IbInvalidException.class, () -> datagrams.reject(asked.getFirst(), 3, NONE));
    assertEquals(0, station.size());
  }

  @Test
  @DisplayName("A5: an eighth of a backlog is for peers that have no question in it yet")
  void shares() {
    serve(16);
    for (int i = 1; i <= 20; i++) {
      hear(req(i), PEER);
    }
    assertEquals(14, asked.size());
    assertEquals(6, dropped(Drop.BACKLOG));
    hear(req(1), OTHER);
    hear(req(2), OTHER);
    assertEquals(15, asked.size());
    datagrams.refuse(asked.getLast());
    hear(req(2), OTHER);
    assertEquals(16, asked.size(), "it had none then");
    datagrams.refuse(asked.get(0));
    hear(req(20), PEER);
    assertEquals(16, asked.size(), "still above its share");
    datagrams.refuse(asked.get(1));
    hear(req(20), PEER);
    assertEquals(17, asked.size());
  }

  @Test
  @DisplayName("what a program may not say is refused, and the question still waits")
  void limits() {
    serve(1);
    hear(req(1), PEER);
    Asked a = asked.getFirst();
    assertThrows(IbInvalidException.class, () -> datagrams.accept(a, 1 << 24, 1, NONE));
    assertThrows(IbInvalidException.class, () -> datagrams.accept(a, 1, 1, new byte[137]));
    assertThrows(IbInvalidException.class, () -> datagrams.reject(a, 0, NONE));
    assertThrows(IbInvalidException.class, () -> datagrams.reject(a, 6, NONE));
    assertTrue(sent.isEmpty());
    datagrams.reject(a, 3, new byte[136]);
    refused(3);
  }

  @Test
  @DisplayName("RG-10, API-9: 32 sources, each asks 3,000 times in no time and gets 1,000 answers")
  void flood() {
    datagrams.serve(
        SERVICE,
        4,
        a -> {
          asked.add(a);
          return true;
        });
    for (int i = 0; i < 3_000; i++) {
      for (int source = 1; source <= 32; source++) {
        hear(req(i + 1), AhAttr.ofLid(1, source, 0));
        if (!asked.isEmpty()) {
          datagrams.accept(asked.removeLast(), 1, 1, NONE);
        }
      }
    }
    assertEquals(32 * Quota.ANSWERS, sent.size());
    assertEquals(32 * 2_000, dropped(Drop.RATE));
    assertEquals(1, station.size());
  }

  @Test
  @DisplayName("M30b, CM-33: a question is sent 16 times, 4.29 to 4.73 s apart, and then ends once")
  void retries() {
    resolve(0);
    long answer = 4096L << 20;
    for (int i = 0; i < RETRIES; i++) {
      long next = station.nextNs();
      assertTrue(next - nowNs >= answer && next - nowNs <= answer + answer / 10, "" + next);
      nowNs = next;
      station.tick();
    }
    assertEquals(1 + RETRIES, sent.size());
    assertEquals(List.of(), outcomes);
    nowNs = station.nextNs();
    station.tick();
    assertEquals(List.of(new Query.Outcome(CmEnd.UNREACHABLE, 16, null)), outcomes);
    assertEquals(16, sent.size());
    assertEquals(0, station.size());
  }

  @Test
  @DisplayName("API-4: an answer ends a question once; of another source or late it does nothing")
  void replies() {
    Query q = resolve(0);
    CmMessage req = sent.remove();
    assertEquals(0xffff, req.value(SIDR_REQ_PKEY));
    assertEquals(7, req.privateData()[0]);
    CmMessage rep = CmMessage.of(CmKind.SIDR_REP, 1);
    rep.set(SIDR_REP_REQUEST_ID, req.value(SIDR_REQ_REQUEST_ID) & 0xffff_ffffL);
    hear(rep.set(SIDR_REP_QPN, 66), OTHER);
    assertEquals(1, dropped(Drop.FOREIGN_SOURCE));
    hear(rep, PEER);
    CmMessage heard = outcomes.getFirst().answer();
    assertNotNull(heard);
    assertEquals(66, heard.value(SIDR_REP_QPN));
    hear(rep, PEER);
    assertEquals(1, dropped(Drop.UNASKED));
    datagrams.end(q, CmEnd.CLOSED);
    assertEquals(1, outcomes.size());
    assertEquals(0, station.size());
  }

  @Test
  @DisplayName("CM-38: the deadline ends a question sooner; one that is given up ends at once")
  void deadline() {
    resolve(5_000);
    nowNs = station.nextNs();
    station.tick();
    assertEquals(2, sent.size());
    nowNs = station.nextNs();
    assertEquals(5_000_000_001L, nowNs);
    station.tick();
    assertEquals(List.of(new Query.Outcome(CmEnd.UNREACHABLE, 2, null)), outcomes);
    Query q = resolve(0);
    datagrams.end(q, CmEnd.CLOSED);
    assertEquals(CmEnd.CLOSED, outcomes.getLast().how());
    assertNull(outcomes.getLast().answer());
    assertFalse(sent.isEmpty());
    assertEquals(0, station.size());
  }
}
