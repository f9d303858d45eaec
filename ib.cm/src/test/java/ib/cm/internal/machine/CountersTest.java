package ib.cm.internal.machine;

import static ib.cm.internal.machine.Lab.SERVICE;
import static ib.core.mad.cm.CmField.*;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.cm.CmEvent;
import ib.cm.internal.machine.Lab.Side;
import ib.core.mad.cm.CmKind;
import ib.core.mad.cm.CmMessage;
import ib.core.verbs.AhAttr;
import ib.core.verbs.Gid;
import ib.core.verbs.QpType;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What a port counts, and what it admits of one source in a second. */
class CountersTest {
  private static final int SECOND = 1_000_000_000;

  private static long count(Side side, String name) {
    return side.station.counters().getOrDefault(name, 0L);
  }

  /**
   * One connection on a net that loses the first of some messages and repeats the first of others.
   */
  private static Lab ran(Map<CmKind, Integer> firstCopies) {
    Lab lab = new Lab(1, StateTable.IBA);
    lab.b.listen(8);
    Map<CmKind, Integer> left = new EnumMap<>(CmKind.class);
    left.putAll(firstCopies);
    lab.fate =
        (from, m) -> {
          Integer copies = left.remove(m.kind());
          return copies == null ? 1 : copies;
        };
    Cases.disconnects(lab, lab.a);
    lab.a.connect(lab.b);
    lab.run();
    assertEquals(List.of(), lab.wrong);
    return lab;
  }

  private static void counts(Lab lab, Side side, CmKind kind, String what, long wanted) {
    assertEquals(
        wanted,
        count(side, what + "." + kind),
        what + " " + kind + " of " + lab.a.station.counters() + lab.b.station.counters());
  }

  @Test
  @DisplayName("LX-7: sent and received messages; nothing is repeated on a net that loses nothing")
  void plain() {
    Lab lab = ran(Map.of());
    for (CmKind kind : List.of(CmKind.REQ, CmKind.RTU, CmKind.DREQ)) {
      counts(lab, lab.a, kind, "sent", 1);
      counts(lab, lab.b, kind, "received", 1);
    }
    for (CmKind kind : List.of(CmKind.REP, CmKind.DREP)) {
      counts(lab, lab.b, kind, "sent", 1);
      counts(lab, lab.a, kind, "received", 1);
    }
    for (Side side : List.of(lab.a, lab.b)) {
      assertTrue(
          side.station.counters().keySet().stream()
              .noneMatch(n -> n.startsWith("repeated") || n.startsWith("duplicate")),
          side.station.counters().toString());
    }
  }

  @Test
  @DisplayName("LX-7: a lost message is repeated.*, one that comes twice is duplicate.*")
  void repeated() {
    Lab lost = ran(Map.of(CmKind.REQ, 0, CmKind.DREQ, 0));
    counts(lost, lost.a, CmKind.REQ, "repeated", 1);
    counts(lost, lost.a, CmKind.REQ, "sent", 2);
    counts(lost, lost.b, CmKind.REQ, "received", 1);
    counts(lost, lost.b, CmKind.REQ, "duplicate", 0);
    counts(lost, lost.a, CmKind.DREQ, "repeated", 1);
    Lab reply = ran(Map.of(CmKind.REP, 0));
    assertTrue(
        count(reply.b, "repeated.REP") > 0, "the timer's, and that of a REQ that came again");
    assertEquals(count(reply.b, "sent.REP") - 1, count(reply.b, "repeated.REP"));
    Lab confirmation = ran(Map.of(CmKind.RTU, 0));
    assertTrue(count(confirmation.a, "duplicate.REP") > 0);
    assertEquals(
        count(confirmation.a, "sent.RTU") - 1, count(confirmation.a, "duplicate.REP"), "answers");
    Lab twice = ran(Map.of(CmKind.REQ, 2, CmKind.DREQ, 2));
    counts(twice, twice.a, CmKind.REQ, "repeated", 0);
    counts(twice, twice.b, CmKind.REQ, "duplicate", 1);
    counts(twice, twice.b, CmKind.DREQ, "duplicate", 1);
  }

  @Test
  @DisplayName("API-9: a source may make 200,000 connections in a second, another one its own")
  void rate() {
    long[] nowNs = {1};
    List<Connection> asked = new ArrayList<>();
    Station station = station(nowNs, asked, Limits.DEFAULT);
    int admitted = 0;
    for (int i = 1; i <= Limits.DEFAULT.requests() + 10; i++) {
      admitted += request(station, asked, i, 2);
    }
    assertEquals(200_000, admitted);
    assertEquals(10, station.counters().get("dropped.RATE"));
    assertEquals(1, request(station, asked, 1, 3), "of another source");
    nowNs[0] += SECOND / Limits.DEFAULT.requests();
    assertEquals(1, request(station, asked, 300_001, 2), "5 us later there is one more");
    assertEquals(0, request(station, asked, 300_002, 2), "and no second one");
  }

  @Test
  @DisplayName("API-9: what a source has not used in ten seconds is not kept")
  void unused() {
    long[] nowNs = {1};
    List<Connection> asked = new ArrayList<>();
    Station station = station(nowNs, asked, new Limits(100, 100, 100, 50, Pace.PLACES));
    for (int second = 0; second < 3; second++) {
      int admitted = 0;
      for (int i = 1; i <= 60; i++) {
        admitted += request(station, asked, 100 * second + i, 2);
      }
      assertEquals(50, admitted);
      nowNs[0] += 10L * SECOND;
    }
  }

  private static Station station(long[] nowNs, List<Connection> asked, Limits limits) {
    Station station =
        new Station(
            new SimulatedPort(1),
            () -> nowNs[0],
            new Random(1),
            (message, way, pkeyIndex) -> {},
            StateTable.IBA,
            limits);
    station.listen(
        SERVICE,
        Set.of(QpType.RC),
        8,
        c -> {
          asked.add(c);
          return (CmEvent event) -> {};
        });
    return station;
  }

  /** A request that the program rejects at once; {@return 1 if the program has heard it} */
  private static int request(Station station, List<Connection> asked, int id, int lid) {
    CmMessage req = CmMessage.of(CmKind.REQ, 1).ids(id, 0).set(REQ_SERVICE_ID, SERVICE);
    req.set(REQ_MTU, 3).set(REQ_CA_GUID, 0x1000 + lid).set(REQ_QPN, id & 0xffffff);
    req.set(REQ_LOCAL_LID, lid).set(REQ_REMOTE_LID, 1).set(REQ_SUBNET_LOCAL, 1);
    req.set(REQ_LOCAL_GID, Gid.linkLocal(0x1000 + lid)).set(REQ_REMOTE_GID, Gid.linkLocal(0x1001));
    station.received(req.mad(), AhAttr.ofLid(1, lid, 0), 0);
    int heard = asked.size();
    asked.forEach(c -> station.reject(c, 28, Lab.NONE, Lab.NONE));
    asked.clear();
    return heard;
  }
}
