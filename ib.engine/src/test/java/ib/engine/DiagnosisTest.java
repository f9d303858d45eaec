package ib.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.spi.QpDiagnosis.Change;
import ib.core.spi.QpDiagnosis.Note;
import ib.core.spi.QpDiagnosis.Report;
import ib.core.verbs.Mtu;
import ib.core.verbs.QpAttr;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.QueuePair;
import ib.core.verbs.SendFlags;
import ib.core.verbs.WcStatus;
import ib.core.wire.BthOpcode;
import ib.engine.qp.HcaConfig;
import ib.engine.time.VirtualClock;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("issue 3, section 4: why a queue pair is as it is; times are virtual")
class DiagnosisTest {
  private static final long MS = 1_000_000;
  private static final int RETRIES = 2;

  private final VirtualClock clock = new VirtualClock();
  private final Rig rig = new Rig(clock, false, HcaConfig.of(0x10, 0x11), HcaConfig.of(0x20, 0x21));

  @AfterEach
  void close() {
    rig.close();
  }

  private Report why(Rig.Side side) {
    return side.hca.diagnosis("soft0").diagnose(side.qp.qpn()).orElseThrow();
  }

  private void connect() {
    rig.connect(QpType.RC, 16, 8, RETRIES, RETRIES); // 1 ms
  }

  private void post(int rkey, boolean send) {
    Rig.Side a = rig.a();
    a.qp.wrStart();
    a.qp.wrId(1).wrFlags(SendFlags.SIGNALED);
    if (send) {
      a.qp.wrSend();
    } else {
      a.qp.wrRdmaWrite(rkey, rig.b().mr.iova());
    }
    a.qp.wrSetSge(a.mr.lkey(), a.mr.iova(), 8);
    assertEquals(0, a.qp.wrComplete());
  }

  private WcStatus outcome() {
    for (int i = 0; i < 1000 && rig.a().sendCq.requestNotify(6) == 0; i++) {
      rig.settle();
      clock.advance(MS / 4);
    }
    return Rig.next(rig.a().sendCq).status();
  }

  private static List<QpState> states(Report r) {
    return r.history().stream().map(Change::state).toList();
  }

  @Test
  void healthy() {
    connect();
    clock.advance(5 * MS);
    post(rig.b().mr.rkey(), false);
    assertEquals(WcStatus.SUCCESS, outcome());
    Report r = why(rig.a());
    assertEquals("nothing is wrong as far as can be seen here", r.likely());
    assertEquals(List.of(QpState.INIT, QpState.RTR, QpState.RTS), states(r));
    assertEquals("modify", r.history().getFirst().cause());
    assertEquals(List.of(), r.troubles());
    assertEquals(Map.of(), r.drops());
    assertEquals(String.format("QP 0x%06x at LID 2", rig.b().qp.qpn()), r.peer());
    assertTrue(r.heardNs() >= 5 * MS, r.toString());
    assertTrue(rig.a().hca.diagnosis("soft0").diagnose(0xfffffe).isEmpty());
  }

  @Test
  @DisplayName("F31: the peer has gone: retries exceeded, when it was heard last")
  void peerGone() {
    connect();
    post(rig.b().mr.rkey(), false);
    assertEquals(WcStatus.SUCCESS, outcome());
    long heard = why(rig.a()).heardNs();
    clock.advance(1000 * MS);
    rig.settle();
    rig.b().qp.close();
    post(rig.b().mr.rkey(), false);
    assertEquals(WcStatus.RETRY_EXC_ERR, outcome());
    Report r = why(rig.a());
    assertEquals("the peer has gone, or the path to it is cut", r.likely());
    assertEquals(heard, r.heardNs());
    assertEquals(QpState.ERR, r.history().getLast().state());
    assertEquals("transport retry counter exceeded at PSN 0xffffff", r.history().getLast().cause());
    Note timeout = r.troubles().getFirst();
    assertEquals("timeout, PSN 0xffffff not acknowledged (3 times)", timeout.text());
    assertTrue(timeout.ns() > 1000 * MS && timeout.ns() <= r.nowNs());
  }

  @Test
  @DisplayName("F8: RNR retries exceeded: no receive was posted")
  void receiverNotReady() {
    connect();
    post(0, true);
    assertEquals(WcStatus.RNR_RETRY_EXC_ERR, outcome());
    Report r = why(rig.a());
    assertTrue(r.likely().startsWith("the peer had no receive posted"), r.likely());
    assertEquals(
        List.of("RNR NAK received at PSN 0xfffffe (3 times)"),
        r.troubles().stream().map(Note::text).toList());
    assertTrue(r.tries().getFirst().contains("post more receives"));
  }

  @Test
  @DisplayName("F9: a wrong rkey: the diagnosis of each side names it")
  void remoteAccess() {
    connect();
    post(rig.b().mr.rkey() ^ 0x5555, false);
    assertEquals(WcStatus.REM_ACCESS_ERR, outcome());
    Report a = why(rig.a());
    assertTrue(a.likely().startsWith("the peer refused the rkey"), a.likely());
    assertEquals(
        "NAK received at PSN 0xfffffe: remote access error", a.troubles().getFirst().text());
    Report b = why(rig.b());
    assertTrue(b.likely().startsWith("the peer asked for memory with an rkey"), b.likely());
    assertEquals("NAK sent at PSN 0xfffffe: remote access error", b.troubles().getFirst().text());
    assertEquals(
        "refused the peer's request at PSN 0xfffffe: remote access error",
        b.history().getLast().cause());
  }

  @Test
  @DisplayName("IBA 10.9.2: P_Keys that do not match: the side that drops knows it")
  void partition() {
    rig.b().hca.port(1).pkey(0, 0x8001);
    connect();
    post(rig.b().mr.rkey(), false);
    assertEquals(WcStatus.RETRY_EXC_ERR, outcome());
    Report a = why(rig.a());
    assertTrue(a.likely().endsWith(" has never answered"), a.likely());
    assertEquals(-1, a.heardNs());
    assertTrue(a.tries().get(1).contains("partition"), a.tries().toString());
    Report b = why(rig.b());
    assertEquals(
        "the P_Keys do not match: packets of the peer are in another partition than 0x8001",
        b.likely());
    assertEquals(Map.of("drop_pkey", 3L), b.drops());
  }

  @Test
  @DisplayName("wrong QPN: the diagnosis says that the peer has never answered")
  void wrongQpn() {
    Rig.Side a = rig.a();
    a.qp = a.pd.createQp(Rig.init(a, QpType.RC, 16));
    Rig.bringUp(a, a.qp, 0xabcdef, 2, 8, RETRIES, RETRIES);
    post(rig.b().mr.rkey(), false);
    assertEquals(WcStatus.RETRY_EXC_ERR, outcome());
    assertEquals("QP 0xabcdef at LID 2 has never answered", why(a).likely());
  }

  @Test
  @DisplayName("wrong PSN: the peer answers, but for others")
  void wrongPsn() {
    Rig.Side a = rig.a();
    Rig.Side b = rig.b();
    a.qp = a.pd.createQp(Rig.init(a, QpType.RC, 16));
    b.qp = b.pd.createQp(Rig.init(b, QpType.RC, 16));
    Rig.bringUp(b, b.qp, a.qp.qpn(), 1, 8, RETRIES, RETRIES);
    Rig.toRtr(a.qp, b.qp.qpn(), 2, Mtu.MTU_1024);
    a.qp.modify(
        new QpAttr()
            .state(QpState.RTS)
            .sqPsn(0x1000)
            .timeout(8)
            .retryCount(RETRIES)
            .rnrRetry(RETRIES)
            .maxRdAtomic(4));
    post(rig.b().mr.rkey(), false);
    assertEquals(WcStatus.RETRY_EXC_ERR, outcome());
    assertTrue(why(a).likely().startsWith("the sequence numbers do not match"), why(a).toString());
    assertTrue(why(b).likely().startsWith("the sequence numbers do not match"), why(b).toString());
  }

  @Test
  void notBroughtUp() {
    QueuePair qp = rig.a().pd.createQp(Rig.init(rig.a(), QpType.UD, 4));
    Report r = rig.a().hca.diagnosis("soft0").diagnose(qp.qpn()).orElseThrow();
    assertTrue(r.likely().startsWith("it was not brought up: in RESET"), r.likely());
    assertEquals("", r.peer());
    assertEquals(-1, r.heardNs());
  }

  @Test
  @DisplayName("F8: while it lasts: no receive posted, seen from both sides of RC")
  void waitsForReceive() {
    connect();
    rig.a().qp.modify(new QpAttr().state(QpState.SQD));
    rig.a().qp.modify(new QpAttr().state(QpState.SQD).rnrRetry(7));
    rig.a().qp.modify(new QpAttr().state(QpState.RTS));
    post(0, true);
    rig.settle();
    Report a = why(rig.a());
    assertTrue(a.likely().startsWith("a message waits: the peer has no receive"), a.likely());
    Report b = why(rig.b());
    assertEquals("messages of the peer wait: no receive is posted here", b.likely());
    rig.b().qp.postReceive(1, rig.b().mr.lkey(), rig.b().mr.iova(), 8);
    assertEquals(WcStatus.SUCCESS, outcome());
    assertEquals("nothing is wrong as far as can be seen here", why(rig.a()).likely());
  }

  @Test
  @DisplayName("UC: a message that finds no receive is lost, and the receiver knows why")
  void unreliable() {
    rig.connect(QpType.UC);
    post(0, true);
    rig.settle();
    Report b = why(rig.b());
    assertEquals("messages came when no receive was posted", b.likely());
    assertEquals(Map.of("drop_no_receive", 1L), b.drops());
  }

  @Test
  @DisplayName("F-04: an atomic that is repeated when its result is not kept any more")
  void forgottenResult() {
    connect();
    rig.b().qp.modify(new QpAttr().state(QpState.SQD));
    rig.b().qp.modify(new QpAttr().state(QpState.SQD).maxDestRdAtomic(1));
    rig.b().qp.modify(new QpAttr().state(QpState.RTS));
    Forge forge = new Forge(rig, rig.b(), rig.a());
    for (int psn : new int[] {0xfffffe, 0xffffff, 0xfffffe}) {
      forge.arrive(forge.packet(BthOpcode.RC_FETCH_ADD, psn, 0));
    }
    assertEquals(2, forge.answers.size(), "not executed again, not answered");
    Report b = why(rig.b());
    assertTrue(b.likely().startsWith("the peer repeats atomics"), b.likely());
    assertEquals(Map.of("drop_duplicate", 1L), b.drops());
  }
}
