package ib.cm.internal.machine;

import static ib.cm.internal.machine.Cases.caught;
import static ib.cm.internal.machine.Cases.disconnects;
import static ib.cm.internal.machine.Cases.right;
import static ib.cm.internal.machine.Lab.MS;
import static ib.cm.internal.machine.Lab.SERVICE;
import static ib.core.mad.cm.CmField.*;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.cm.CmEnd;
import ib.cm.internal.machine.Lab.Side;
import ib.core.mad.cm.CmKind;
import ib.core.mad.cm.CmMessage;
import ib.core.verbs.Gid;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The corner cases of forgers and floods, as those of {@link CornerCasesTest}. */
@Tag("finding")
class StrangersCasesTest {
  /** Says of a message what a forger would, who knows its names. */
  private static void forge(Lab lab, CmMessage m) {
    int to = lab.percent(50) ? 1 : 2;
    int local = lab.percent(50) ? m.localId() : m.remoteId();
    int remote = local == m.localId() ? m.remoteId() : m.localId();
    CmMessage forged =
        switch (lab.random.nextInt(6)) {
          case 0 -> CmMessage.of(CmKind.DREQ, 1).set(DREQ_REMOTE_QPN, lab.random.nextInt(110));
          case 1 -> CmMessage.of(CmKind.REJ, 1).set(REJ_REASON, 28).set(REJ_MSG, 2);
          case 2 -> CmMessage.of(CmKind.REP, 1).set(REP_QPN, 5);
          case 3 -> CmMessage.of(CmKind.RTU, 1);
          case 4 -> CmMessage.of(CmKind.DREP, 1);
          default -> CmMessage.of(CmKind.MRA, 1).set(MRA_SERVICE_TIMEOUT, 31);
        };
    lab.deliver(forged.ids(local, remote).mad(), 3, to, lab.upTo(50));
    CmMessage dreq = CmMessage.of(CmKind.DREQ, 1).ids(local, remote).set(DREQ_REMOTE_QPN, 99);
    lab.deliver(dreq.mad(), 3 - to, to, lab.upTo(50)); // of the peer, with another queue pair
    if (m.kind() == CmKind.REQ) { // as if its host were started again
      CmMessage req = (CmMessage) CmMessage.read(m.mad().copy());
      req.ids(lab.random.nextInt(1 << 20) + 1, 0).set(REQ_LOCAL_GID, Gid.linkLocal(0x1003));
      lab.deliver(req.set(REQ_LOCAL_LID, 3).mad(), 3, 2, 500 * MS + lab.upTo(400));
    }
  }

  private static void forgers(Lab lab, AtomicLong foreign, AtomicLong other) {
    lab.side(3);
    lab.b.listen(8);
    int[] left = {40};
    lab.fate =
        (from, m) -> {
          if (from.lid != 3 && left[0]-- > 0) {
            forge(lab, m);
          }
          return lab.chance();
        };
    disconnects(lab, lab.a);
    for (int i = 0; i < 3; i++) {
      lab.a.connect(lab.b);
    }
    lab.then(
        () -> {
          foreign.addAndGet(lab.b.station.counters().getOrDefault("dropped.FOREIGN_SOURCE", 0L));
          other.addAndGet(lab.b.station.counters().getOrDefault("dropped.MISMATCH", 0L));
        });
    lab.then(
        () -> {
          for (Side each : List.of(lab.a, lab.b)) {
            each.heard.forEach(
                (c, h) -> {
                  boolean forgers = c.way().dlid() == 3;
                  lab.must(forgers || h.end() == CmEnd.DISCONNECTED, each.lid + ": " + h.events);
                });
          }
        });
  }

  @Test
  @DisplayName("K18, findings B10: forged messages with the right names have no effect")
  void forged() {
    AtomicLong foreign = new AtomicLong();
    AtomicLong other = new AtomicLong();
    right(lab -> forgers(lab, foreign, other));
    assertTrue(foreign.get() > 5L * Cases.SEEDS, foreign + " of a foreign source");
    assertTrue(other.get() > Cases.SEEDS, other + " with another queue pair");
  }

  /** Many requests of one source, which never says RTU; another one connects meanwhile. */
  private static void flood(Lab lab, int requests, long everyNs, int most) {
    Side flooder = lab.side(3);
    lab.fate =
        (from, m) -> from.lid == 3 || m.kind() == CmKind.REP && lab.b.sent("REP") == 0 ? 0 : 1;
    lab.b.listen(1_024);
    CmMessage req = CmMessage.of(CmKind.REQ, 1).ids(1, 0).set(REQ_SERVICE_ID, SERVICE);
    req.set(REQ_MTU, 3).set(REQ_CA_GUID, 0x1003).set(REQ_LOCAL_LID, 3).set(REQ_REMOTE_LID, 2);
    req.set(REQ_LOCAL_GID, Gid.linkLocal(0x1003)).set(REQ_REMOTE_GID, Gid.linkLocal(0x1002));
    req.set(REQ_SUBNET_LOCAL, 1).set(REQ_LOCAL_CM_TIMEOUT, 14).set(REQ_MAX_CM_RETRIES, 15);
    for (int i = 1; i <= requests; i++) {
      CmMessage one = (CmMessage) CmMessage.read(req.mad().copy());
      lab.deliver(one.ids(i, 0).set(REQ_QPN, i).mad(), 3, 2, i * everyNs);
    }
    for (int i = 1; i <= 5; i++) {
      lab.in(requests * everyNs * i / 6, lab.a, () -> connectSoon(lab));
    }
    lab.in(
        requests * everyNs,
        lab.b,
        () -> {
          int open = lab.b.queuePairs.size();
          lab.must(open <= most + 5, open + " queue pairs for " + requests + " requests");
          long dropped = lab.b.station.counters().getOrDefault("dropped.HALF_OPEN", 0L);
          lab.must(dropped > requests / 2, dropped + " of " + requests + " were dropped");
        });
    lab.then(() -> lab.must(lab.a.heard.size() == 5, "" + lab.a.heard.size()));
    lab.then(() -> lab.must(flooder.heard.isEmpty(), "it has connections"));
  }

  private static void connectSoon(Lab lab) {
    Connection c = lab.a.connect(lab.b);
    lab.in(1_000 * MS, lab.a, () -> lab.must(lab.a.heard(c).isUp(), "not within a second"));
  }

  @Test
  @DisplayName("K19, API-9, findings B10: 100,000 requests of one source do not keep others out")
  void flood() {
    right(lab -> flood(lab, 100_000, 5_000, Limits.DEFAULT.halfOpen()), 1);
    right(lab -> flood(lab, 6_000, 100_000, 2_000), 1);
    Limits few = new Limits(16, 128, 100, 200_000, Pace.PLACES);
    right(lab -> flood(lab, 120, 50_000, few.halfOpen()), few);
    Limits strict =
        new Limits(64, 512, 8, 200_000, Pace.PLACES); // 15 are made before the first is overdue
    right(lab -> flood(lab, 120, 5_000_000, 30), strict);
    Limits none = new Limits(64, 512, 100, 200_000, Pace.PLACES);
    caught(lab -> flood(lab, 120, 50_000, few.halfOpen()), none);
    caught(lab -> flood(lab, 120, 5_000_000, 30), none);
  }
}
