package ib.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.EventType;
import ib.core.verbs.Mtu;
import ib.core.verbs.PostStatus;
import ib.core.verbs.QpAttr;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.SendFlags;
import ib.core.verbs.SrqAttr;
import ib.core.verbs.SrqInit;
import ib.core.verbs.WcStatus;
import ib.engine.qp.HcaConfig;
import ib.engine.time.VirtualClock;
import ib.engine.verbs.Probe;
import ib.engine.wire.Syndrome;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What belongs to one life of a queue pair, from RESET to RESET: its events and its timers. */
class QpLivesTest {
  private static final int ACK_TIMEOUT = 14;
  private static final int NEVER = 31;

  private final VirtualClock clock = new VirtualClock();
  private final Rig rig = new Rig(clock, false, HcaConfig.of(0x10, 0x11), HcaConfig.of(0x20, 0x21));
  private final Rig.Side a = rig.a();
  private final Rig.Side b = rig.b();

  @AfterEach
  void close() {
    rig.close();
  }

  private static void send(Rig.Side s) {
    s.qp.wrStart();
    s.qp.wrId(1).wrFlags(SendFlags.SIGNALED);
    s.qp.wrSend();
    s.qp.wrSetSge(s.mr.lkey(), s.mr.iova(), 8);
    assertEquals(PostStatus.OK, s.qp.wrComplete());
  }

  private void shared(int limit, int receives) {
    b.srq = b.pd.createSrq(new SrqInit(new SrqAttr(16, 2, limit), null, null));
    rig.connect(QpType.RC);
    for (int i = 0; i < receives; i++) {
      assertEquals(PostStatus.OK, b.srq.postReceive(i, b.mr.lkey(), b.mr.iova(), 8));
    }
  }

  private long raised(EventType type) {
    return b.device.events().stream().filter(e -> e.type() == type).count();
  }

  private void again(Rig.Side s, Rig.Side other, int timeout) {
    s.qp.modify(new QpAttr().state(QpState.RESET));
    Rig.bringUp(s, s.qp, other.qp.qpn(), other.lid(), timeout, 7, 7);
  }

  @Test
  @DisplayName("IBA 11.6.3.1: the event of the last receive comes once in each life")
  void lastReceive() {
    shared(0, 4);
    for (int life = 1; life <= 2; life++) {
      for (int i = 0; i < 3; i++) {
        b.qp.modify(new QpAttr().state(QpState.ERR));
        send(b);
        rig.settle();
        assertEquals(WcStatus.WR_FLUSH_ERR, Rig.next(b.sendCq).status());
        assertEquals(life, raised(EventType.QP_LAST_WQE_REACHED));
      }
      again(b, a, NEVER);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  @DisplayName("IBA 10.2.9.3: the limit event comes once, when fewer are left")
  void limit(boolean packets) {
    rig.wire.loses(packets ? p -> false : null);
    shared(2, 4);
    for (int left = 3; left >= 0; left--) {
      send(a);
      rig.settle();
      assertEquals(WcStatus.SUCCESS, Rig.next(a.sendCq).status());
      assertEquals(left < 2 ? 1 : 0, raised(EventType.SRQ_LIMIT_REACHED), left + " are left");
    }
    assertEquals(packets, rig.wire.transmitted.get() > 0);
  }

  @Test
  @DisplayName("S20: a receive that leaves a shared queue is outstanding at each moment")
  void held() {
    shared(1, 1);
    List<Integer> seen = new ArrayList<>();
    b.device.raised = () -> seen.add(Probe.outstanding(b.qp)); // it has left, nothing has completed
    send(a);
    rig.settle();
    assertEquals(List.of(1), seen);
    assertEquals(0, Probe.outstanding(b.qp));
    assertEquals(WcStatus.SUCCESS, Rig.next(a.sendCq).status());
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  @DisplayName("B20: a timer of the life before neither shortens the wait of the next nor is it")
  void reset(boolean notReady) {
    long wait = notReady ? Syndrome.rnrNs(Syndrome.RNR) : Syndrome.ackTimeoutNs(ACK_TIMEOUT);
    int timeout = notReady ? NEVER : ACK_TIMEOUT;
    rig.connect(QpType.RC, 16, timeout, 7, 7);
    rig.wire.loses(p -> !notReady);
    waits(notReady);
    clock.advance(wait / 2);
    rig.settle();
    again(b, a, timeout);
    again(a, b, timeout);
    assertFalse(Probe.timers(a.hca).contains("QpTimer,"), Probe.timers(a.hca));
    waits(notReady);
    long sent = rig.wire.transmitted.get();
    clock.advance(wait * 3 / 4); // the timer of the life before would have expired
    rig.settle();
    assertEquals(sent, rig.wire.transmitted.get(), "too early");
    clock.advance(wait / 2);
    rig.settle();
    assertTrue(rig.wire.transmitted.get() > sent, "sent again");
  }

  /** Sends what waits: for an answer that is lost, or for a receive that is not there. */
  private void waits(boolean notReady) {
    if (notReady) {
      b.qp.modify(new QpAttr().state(QpState.RTS).minRnrTimer(0));
    }
    send(a);
    rig.settle();
    assertTrue(Probe.timers(a.hca).contains("QpTimer,"), Probe.timers(a.hca));
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  @DisplayName("B20: a queue pair that is closed leaves no timer behind")
  void closed(boolean notReady) {
    rig.connect(QpType.RC, 16, notReady ? NEVER : ACK_TIMEOUT, 7, 7);
    rig.wire.loses(p -> !notReady);
    waits(notReady);
    a.qp.close();
    rig.settle();
    assertFalse(Probe.timers(a.hca).contains("QpTimer"), Probe.timers(a.hca));
  }

  @Test
  @DisplayName("D5: a peer of another path MTU is reached by packets, as one that is not joined")
  void pathMtu() {
    rig.connect(QpType.RC);
    b.qp.modify(new QpAttr().state(QpState.RESET));
    Rig.toRtr(b.qp, a.qp.qpn(), a.lid(), Mtu.MTU_2048);
    QpAttr rts = new QpAttr().state(QpState.RTS).sqPsn(0xfffffe).timeout(NEVER);
    b.qp.modify(rts.retryCount(7).rnrRetry(7).maxRdAtomic(4));
    b.qp.postReceive(1, b.mr.lkey(), b.mr.iova(), 8);
    send(a);
    rig.settle();
    assertEquals(WcStatus.SUCCESS, Rig.next(a.sendCq).status());
    assertEquals(0, Probe.direct(a.qp));
    assertTrue(rig.wire.transmitted.get() > 0);
  }
}
