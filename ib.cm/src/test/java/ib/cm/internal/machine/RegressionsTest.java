package ib.cm.internal.machine;

import static ib.cm.internal.machine.Cases.right;
import static ib.cm.internal.machine.Lab.MS;
import static ib.cm.internal.machine.Lab.NONE;
import static ib.cm.internal.machine.Lab.SERVICE;
import static ib.cm.internal.machine.Lab.TERMS;
import static ib.core.mad.cm.CmField.*;
import static org.junit.jupiter.api.Assertions.assertEquals;

import ib.cm.CmEnd;
import ib.cm.CmEndpoint;
import ib.cm.CmEvent;
import ib.cm.CmTerms;
import ib.cm.internal.machine.Lab.Side;
import ib.core.mad.cm.CmKind;
import ib.core.mad.cm.CmMessage;
import ib.core.verbs.AhAttr;
import ib.core.verbs.Gid;
import ib.core.verbs.QpType;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What went wrong in Linux and in programs that use it, in virtual time. */
class RegressionsTest {
  private static final int MANY = 100_000;

  @Test
  @DisplayName("RG-7: 100,000 requests with wrong GIDs, LIDs, MTUs and services leave nothing")
  void refusedRequests() {
    Random random = new Random(7);
    long[] nowNs = {0};
    int[] rejected = {0};
    Station s =
        new Station(
            new SimulatedPort(1),
            () -> nowNs[0],
            random,
            (m, way, pkey) -> rejected[0]++,
            StateTable.IBA);
    Listener l = s.listen(SERVICE, Set.of(QpType.RC), 4, c -> event -> {});
    for (int i = 1; i <= MANY; i++) {
      nowNs[0] += MS;
      CmMessage req = CmMessage.of(CmKind.REQ, i).ids(i, 0).set(REQ_SERVICE_ID, SERVICE);
      req.set(REQ_MTU, 3).set(REQ_LOCAL_LID, 2).set(REQ_QPN, i).set(REQ_CA_GUID, 5);
      req.set(REQ_LOCAL_GID, Gid.linkLocal(5)).set(REQ_REMOTE_GID, Gid.linkLocal(0x1001));
      switch (i % 5) {
        case 0 -> req.set(REQ_REMOTE_GID, Gid.linkLocal(6));
        case 1 -> req.set(REQ_LOCAL_LID, 0xc001);
        case 2 -> req.set(REQ_MTU, 5).set(REQ_LOCAL_LID, 0);
        case 3 -> req.set(REQ_SERVICE_ID, SERVICE + 1);
        default -> req.set(REQ_TRANSPORT, 1 + i % 3);
      }
      s.received(req.mad(), AhAttr.ofLid(1, 2, 0), 0);
    }
    assertEquals(MANY, rejected[0]);
    assertEquals(1, s.size(), "the listener alone");
    s.unlisten(l);
    assertEquals(0, s.size());
  }

  private static void queues(Lab lab) {
    int count = 4;
    int bad = lab.random.nextInt(count);
    int how = lab.random.nextInt(4);
    List<Connection> made = new ArrayList<>();
    lab.b.listen(8);
    lab.b.decides =
        c -> {
          boolean wrong = lab.b.heard.size() == bad + 1;
          if (wrong && how == 0) {
            lab.in(lab.upTo(20), lab.b, () -> lab.b.reject(c, NONE));
          } else if (!wrong || how != 1) { // else it is never answered
            lab.in(lab.upTo(20), lab.b, () -> lab.b.accept(c, NONE));
          }
          if (wrong && how == 2) {
            lab.in(lab.upTo(200), lab.b, () -> lab.b.disconnect(c));
          }
        };
    lab.a.does =
        (c, event) -> {
          if (event instanceof CmEvent.Established && made.size() < count) {
            lab.in(lab.upTo(5), lab.a, () -> made.add(queue(lab)));
          } else if (event instanceof CmEvent.Ended) { // the controller is lost: all its queues go
            lab.in(lab.upTo(5), lab.a, () -> made.forEach(lab.a.station::close));
          }
        };
    if (how == 3) {
      lab.in(lab.upTo(400), lab.a, () -> made.forEach(lab.a.station::close));
    }
    made.add(queue(lab));
  }

  private static Connection queue(Lab lab) {
    CmTerms deadline = new CmTerms(7, 14, 15, 15, 5_000);
    return lab.a.connect(lab.b, deadline, CmEndpoint.of(lab.a.queuePair(), 1), NONE);
  }

  @Test
  @DisplayName("RG-13: a rejection, a time-out, a disconnect, a close at each of four connects")
  void multiQueue() {
    right(RegressionsTest::queues);
  }

  private static void closes(Lab lab) {
    int dying = 2_000;
    Side dead = lab.side(3).listen(4_000);
    lab.fate = (from, m) -> 1;
    for (int i = 0; i < dying; i++) {
      lab.in(i * MS, lab.a, () -> lab.a.connect(dead));
    }
    lab.in(
        10_000 * MS,
        lab.a,
        () -> {
          lab.must(lab.a.heard.values().stream().allMatch(Lab.Heard::isUp), "not all are up");
          lab.fate = (from, m) -> from == dead ? 0 : 1; // it does not answer any more
          List.copyOf(lab.a.heard.keySet()).forEach(lab.a.station::close);
        });
    lab.b.listen(100);
    for (int i = 0; i < 100; i++) {
      lab.in(10_000 * MS + i * 10L * MS, lab.a, () -> soon(lab));
    }
  }

  private static void soon(Lab lab) {
    Connection c = lab.a.connect(lab.b);
    lab.in(200 * MS, lab.a, () -> lab.must(lab.a.heard(c).isUp(), "held up: " + c));
  }

  @Test
  @DisplayName("RG-15: 2,000 DREQs that are not answered hold up none of 100 connects in a second")
  void manyCloses() {
    right(RegressionsTest::closes, 3);
  }

  private static void after(Lab lab, int left) {
    Side a = lab.a;
    a.does =
        (c, event) -> {
          if (event instanceof CmEvent.Established) {
            lab.in(0, a, () -> a.disconnect(c));
          } else if (event instanceof CmEvent.Released && lab.a.sent("REQ") < left) {
            lab.in(0, a, () -> a.connect(lab.b));
          }
        };
    a.connect(lab.b);
  }

  private static void oneByOne(Lab lab) {
    lab.fate = (from, m) -> 1;
    lab.endMs = 100_000_000;
    lab.a.forgets = true;
    lab.b.forgets = true;
    lab.b.listen(4);
    after(lab, MANY);
    lab.then(() -> lab.must(lab.a.sent("DREQ") == MANY, lab.a.sent("DREQ") + " were made"));
    lab.then(() -> lab.must(lab.a.sent("REQ") == MANY, lab.a.sent("REQ") + " REQs"));
  }

  @Test
  @DisplayName("RG-16: 100,000 connections one after the other, none is repeated, nothing is left")
  void hundredThousand() {
    right(RegressionsTest::oneByOne, 1);
  }

  private static void storm(Lab lab, int clients, boolean lossy) {
    lab.b.listen(1_024);
    lab.fate = lossy ? lab.fate : (from, m) -> 1;
    List<Side> all = new ArrayList<>();
    for (int i = 0; i < clients; i++) {
      Side client = lab.side(10 + i);
      all.add(client);
      lab.in(lab.upTo(1), client, () -> client.connect(lab.b));
    }
    long most = lossy ? 5_000 : 200;
    lab.in(
        most * MS,
        lab.b,
        () -> {
          long up = all.stream().filter(s -> s.heard.values().iterator().next().isUp()).count();
          lab.must(up == clients, up + " of " + clients + " within " + most + " ms");
          for (Side each : all) {
            int sent = each.sent("REQ");
            lab.must(lossy || sent == 1, sent + " REQs");
            each.heard.keySet().forEach(each::disconnect);
          }
        });
    lab.then(
        () ->
            all.forEach(
                s -> {
                  CmEnd end = s.heard.values().iterator().next().end();
                  lab.must(end == CmEnd.DISCONNECTED, s.lid + " ends " + end);
                }));
  }

  @Test
  @DisplayName(
      "RG-18: 1,000 clients connect to one listener in a millisecond, without a repetition")
  void manyToOne() {
    right(lab -> storm(lab, 1_000, false), 1);
    right(lab -> storm(lab, 50, true), 40);
  }

  private static void withdrawn(Lab lab) {
    lab.b.listen(4);
    lab.b.decides = c -> lab.in(lab.upTo(200), lab.b, () -> lab.b.accept(c, NONE));
    lab.in(lab.upTo(300), lab.a, () -> lab.a.heard.keySet().forEach(lab.a.station::close));
    lab.a.connect(lab.b, TERMS, CmEndpoint.of(lab.a.queuePair(), 1), NONE);
    lab.then(
        () ->
            lab.b.heard.forEach(
                (c, h) -> {
                  int up =
                      h.events.indexOf(
                          h.all(CmEvent.Established.class).stream().findFirst().orElse(null));
                  int end = h.events.indexOf(h.all(CmEvent.Ended.class).getFirst());
                  lab.must(up < end, "an end before its begin: " + h.events);
                  lab.must(h.events.getFirst() instanceof CmEvent.Requested, "" + h.events);
                }));
  }

  @Test
  @DisplayName("RG-22: whatever a peer does while accept runs, events come in the order of states")
  void earlyEvents() {
    right(RegressionsTest::withdrawn);
  }
}
