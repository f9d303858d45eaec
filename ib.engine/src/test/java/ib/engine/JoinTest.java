package ib.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.AhAttr;
import ib.core.verbs.GlobalRoute;
import ib.core.verbs.Mtu;
import ib.core.verbs.PortCounter;
import ib.core.verbs.QpAttr;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.SendFlags;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WorkCompletion;
import ib.core.wire.BthOpcode;
import ib.engine.qp.HcaConfig;
import ib.engine.time.VirtualClock;
import ib.engine.verbs.Probe;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which requests are executed at the peer, and which go as packets (D5). */
class JoinTest {
  private static final int BUDGET = 16 << 10;
  private static final int FIRST_PSN = 0xfffffe; // of the rig
  private static final long SECOND = 1_000_000_000;

  private final VirtualClock clock = new VirtualClock();
  private final Rig rig =
      new Rig(clock, false, config(HcaConfig.of(0x10, 0x11)), config(HcaConfig.of(0x20, 0x21)));
  private final Rig.Side a = rig.a();
  private final Rig.Side b = rig.b();

  private static HcaConfig config(HcaConfig of) {
    return of.withPace(BUDGET, 8192, 16, 4, 128);
  }

  @AfterEach
  void close() {
    rig.close();
  }

  private void post(boolean read, int n, int length) {
    post(a, b, read, n, length);
  }

  private static void post(Rig.Side from, Rig.Side to, boolean read, int n, int length) {
    from.qp.wrStart();
    for (int i = 0; i < n; i++) {
      from.qp.wrId(i).wrFlags(SendFlags.SIGNALED);
      if (read) {
        from.qp.wrRdmaRead(to.mr.rkey(), to.mr.iova());
      } else {
        from.qp.wrRdmaWrite(to.mr.rkey(), to.mr.iova());
      }
      from.qp.wrSetSge(from.mr.lkey(), from.mr.iova(), length);
    }
    assertEquals(0, from.qp.wrComplete());
  }

  /** Posts a write, which goes as packets or does not. */
  private void post(boolean packets, int length) {
    post(a, b, packets, length);
  }

  private static void post(Rig.Side from, Rig.Side to, boolean packets, int length) {
    long sent = Probe.packets(from.qp);
    long direct = Probe.direct(from.qp);
    post(from, to, false, 1, length);
    assertEquals(packets, Probe.packets(from.qp) > sent, "sent as packets");
    assertEquals(!packets, Probe.direct(from.qp) > direct, "executed at the peer");
  }

  private void completes(WcStatus status) {
    for (int i = 0; i < 20; i++) {
      rig.settle();
      clock.advance(SECOND);
    }
    assertEquals(status, Rig.next(a.sendCq).status());
  }

  private void direct() {
    post(false, 64);
    assertEquals(WcStatus.SUCCESS, Rig.next(a.sendCq).status());
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  @DisplayName("D5: while another thread is at the peer, a request is a packet; the next is not")
  void claimed(boolean known) {
    rig.connect(QpType.RC);
    direct();
    if (!known) { // the medium has changed, and is as it was
      rig.wire.segments(true);
      rig.wire.segments(false);
    }
    Probe.hold(b.qp);
    post(true, 64);
    Rig.assertEmpty(a.sendCq);
    Probe.letGo(b.qp);
    completes(WcStatus.SUCCESS);
    direct();
  }

  @ParameterizedTest(name = "at way {0}")
  @ValueSource(ints = {1, 2})
  @DisplayName(
      "D5: a change of the medium while two are joined is seen by the next request of each")
  void changedMeanwhile(int way) {
    rig.connect(QpType.RC);
    rig.wire.segments(false); // a change: what was found before counts no longer
    rig.wire.asksUntilChange = way; // there, and back
    post(false, 64); // the ways were there when they were looked for
    completes(WcStatus.SUCCESS);
    post(b, a, true, 64);
    post(a, b, true, 64);
    completes(WcStatus.SUCCESS);
  }

  @ParameterizedTest(name = "at way {0}")
  @ValueSource(ints = {1, 2})
  @DisplayName("D5: a way that comes just after it was looked for is looked for again at once")
  void cameMeanwhile(int way) {
    rig.connect(QpType.RC);
    rig.wire.segments(false); // a change: what was found before counts no longer
    rig.wire.missing = way; // there, and back
    post(false, 64);
  }

  @ParameterizedTest(name = "that of the sender: {0}")
  @ValueSource(booleans = {true, false})
  @DisplayName("D5: while a port takes no packet of the path MTU, requests go as packets")
  void portMtu(boolean senders) {
    rig.connect(QpType.RC);
    rig.wire.segments(false);
    rig.wire.narrow = senders ? a.lid() : b.lid();
    post(true, 64);
    completes(WcStatus.SUCCESS);
    rig.wire.narrow = 0;
    rig.wire.segments(false);
    post(false, 64);
  }

  @Test
  @DisplayName("D5: two that were given different path MTUs exchange packets, which show it")
  void pathMtu() {
    rig.connect(QpType.RC);
    b.qp.modify(new QpAttr().state(QpState.RESET));
    Rig.toRtr(b.qp, a.qp.qpn(), a.lid(), Mtu.MTU_512);
    post(true, 64);
    completes(WcStatus.SUCCESS);
    post(a, b, true, 1024); // one packet of ours
    completes(WcStatus.REM_INV_REQ_ERR);
  }

  @Test
  @DisplayName("D5: a request of more bytes than one call may move is sent in packets")
  void length() {
    rig.connect(QpType.RC);
    post(false, BUDGET);
    completes(WcStatus.SUCCESS);
    post(true, BUDGET + 1);
    completes(WcStatus.SUCCESS);
  }

  @Test
  @DisplayName("D5: a send that fills its receive to the last byte is executed at the peer")
  void fills() {
    rig.connect(QpType.RC);
    b.qp.postReceive(1, b.mr.lkey(), b.mr.iova(), 100);
    a.qp.wrStart();
    a.qp.wrId(1).wrFlags(SendFlags.SIGNALED);
    a.qp.wrSendImm(77);
    a.qp.wrSetSge(a.mr.lkey(), a.mr.iova(), 100);
    assertEquals(0, a.qp.wrComplete());
    assertEquals(WcStatus.SUCCESS, Rig.next(a.sendCq).status());
    WorkCompletion wc = Rig.next(b.recvCq);
    assertEquals(100, wc.byteLen());
    assertEquals(77, wc.immData());
    assertEquals(0, rig.wire.transmitted.get());
  }

  @Test
  @DisplayName("D5: what a post executes at the peer is bounded; the worker executes the rest")
  void budget() {
    rig.connect(QpType.RC);
    post(false, 6, BUDGET / 2);
    for (int i = 0; i < 2; i++) {
      assertEquals(i, Rig.next(a.sendCq).wrId());
    }
    Rig.assertEmpty(a.sendCq);
    rig.settle();
    for (int i = 2; i < 6; i++) {
      assertEquals(i, Rig.next(a.sendCq).wrId());
    }
    assertEquals(0, rig.wire.transmitted.get());
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  @DisplayName("D4: what a post moves in packets is bounded; the worker moves the rest")
  void budgetOfPackets(boolean read) {
    rig.connect(QpType.RC);
    rig.wire.loses(p -> false);
    post(read, 6, read ? 4 * BUDGET : BUDGET / 2);
    WorkCompletion[] wc = new WorkCompletion[6];
    Arrays.setAll(wc, i -> new WorkCompletion());
    int first = a.sendCq.poll(wc, 6);
    assertTrue(first < 6, first + " of 6");
    rig.settle();
    assertEquals(6 - first, a.sendCq.poll(wc, 6));
    assertEquals(WcStatus.SUCCESS, wc[5 - first].status());
  }

  @Test
  @DisplayName("D5: a peer that is not there does not answer")
  void missing() {
    a.qp = a.pd.createQp(Rig.init(a, QpType.RC, 16));
    Rig.bringUp(a, a.qp, 0x123456, b.lid(), 1, 1, 1);
    post(true, 64);
    completes(WcStatus.RETRY_EXC_ERR);
  }

  @Test
  @DisplayName("D5: a request out of sequence is refused, as it is in a packet")
  void sequence() {
    rig.connect(QpType.RC);
    direct();
    a.qp.modify(new QpAttr().state(QpState.RESET));
    Rig.toRtr(a.qp, b.qp.qpn(), b.lid(), Mtu.MTU_1024);
    QpAttr rts = new QpAttr().state(QpState.RTS).sqPsn(77).timeout(1).retryCount(2).rnrRetry(1);
    a.qp.modify(rts.maxRdAtomic(4));
    post(true, 64);
    completes(WcStatus.RETRY_EXC_ERR);
  }

  @Test
  @DisplayName("D5: packets go to a peer that has no way back yet, until it has one")
  void early() {
    for (Rig.Side s : rig.sides) {
      s.qp = s.pd.createQp(Rig.init(s, QpType.RC, 16));
    }
    Rig.bringUp(a, a.qp, b.qp.qpn(), b.lid(), 1, 7, 7);
    b.qp.modify(new QpAttr().state(QpState.INIT).pkeyIndex(0).port(1).accessFlags(Rig.ALL_ACCESS));
    post(true, 64);
    Rig.assertEmpty(a.sendCq);
    assertEquals(1L, b.hca.counters(1).get("drop_qp_state"));
    b.qp.modify(new QpAttr().state(QpState.RESET));
    Rig.bringUp(b, b.qp, a.qp.qpn(), a.lid(), 1, 7, 7);
    completes(WcStatus.SUCCESS);
    direct();
  }

  @Test
  @DisplayName("D5: a peer that has another peer is none")
  void anothers() {
    rig.connect(QpType.RC);
    direct();
    b.qp.modify(new QpAttr().state(QpState.RESET));
    Rig.bringUp(b, b.qp, 0x123456, a.lid(), 1, 1, 1);
    post(true, 64);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  @DisplayName("D5: a duplicate of a write before a read is not answered with the read's number")
  void duplicate(boolean read) {
    rig.connect(QpType.RC);
    direct();
    post(read, 1, 64);
    assertEquals(WcStatus.SUCCESS, Rig.next(a.sendCq).status());
    assertEquals(0, rig.wire.transmitted.get());
    Forge forge = new Forge(rig, b, a);
    forge.arrive(forge.packet(BthOpcode.RC_RDMA_WRITE_ONLY, FIRST_PSN, 64));
    assertEquals(1, forge.answers.size());
    assertEquals(read ? FIRST_PSN : FIRST_PSN + 1, forge.answers.get(0).psn());
  }

  @Test
  @DisplayName("D5, D11: the words of a global route's header are counted by each way")
  void global() {
    Map<PortCounter, Long> before = Map.of();
    List<Object> counted = new ArrayList<>();
    for (boolean packets : new boolean[] {false, true, false}) {
      for (Rig.Side s : rig.sides) {
        s.qp = s.pd.createQp(Rig.init(s, QpType.RC, 16));
      }
      global(a, b);
      global(b, a);
      rig.wire.loses(packets ? p -> false : null);
      post(packets, 64);
      completes(WcStatus.SUCCESS);
      Map<PortCounter, Long> now = a.hca.portCounters(1, PortCounter.Form.EXTENDED);
      Map<PortCounter, Long> then = before;
      Map<PortCounter, Long> added = new TreeMap<>();
      now.forEach((name, n) -> added.put(name, n - then.getOrDefault(name, 0L)));
      counted.add(added);
      before = now;
    }
    assertEquals(counted.get(1), counted.get(0));
    assertEquals(counted.get(1), counted.get(2));
  }

  private static void global(Rig.Side s, Rig.Side other) {
    GlobalRoute route = new GlobalRoute(other.device.gid(1, 0), 1, 0, 9, 0);
    s.qp.modify(new QpAttr().state(QpState.INIT).pkeyIndex(0).port(1).accessFlags(Rig.ALL_ACCESS));
    s.qp.modify(
        new QpAttr()
            .state(QpState.RTR)
            .av(AhAttr.ofLid(1, other.lid(), 0, route))
            .pathMtu(Mtu.MTU_1024)
            .destQpn(other.qp.qpn())
            .rqPsn(FIRST_PSN)
            .maxDestRdAtomic(4)
            .minRnrTimer(1));
    s.qp.modify(
        new QpAttr()
            .state(QpState.RTS)
            .sqPsn(FIRST_PSN)
            .timeout(1)
            .retryCount(7)
            .rnrRetry(7)
            .maxRdAtomic(4));
  }
}
