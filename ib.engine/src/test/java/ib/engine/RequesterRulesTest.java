package ib.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.AhAttr;
import ib.core.verbs.EventType;
import ib.core.verbs.MemoryRegion;
import ib.core.verbs.MemoryWindow;
import ib.core.verbs.MwType;
import ib.core.verbs.QpAttr;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.SendFlags;
import ib.core.verbs.WcStatus;
import ib.engine.qp.HcaConfig;
import ib.engine.time.VirtualClock;
import ib.engine.wire.Opcode;
import ib.engine.wire.Packet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a requester does for requests that go as packets, in virtual time. */
class RequesterRulesTest {
  private static final int MTU = 1024;
  private static final long TIMEOUT = 4096L << 14;

  private final VirtualClock clock = new VirtualClock();
  private final Rig rig = new Rig(clock, false, HcaConfig.of(0x10, 0x11), HcaConfig.of(0x20, 0x21));
  private final Rig.Side a = rig.a();
  private final Rig.Side b = rig.b();

  @AfterEach
  void close() {
    rig.close();
  }

  private void connect(QpType type, int retries) {
    rig.wire.segments(true);
    rig.connect(type, 64, 14, retries, 7);
  }

  private static boolean isRequest(Packet p) {
    return (p.opcode & 0x1f) <= Opcode.READ_REQUEST;
  }

  private void write(int flags, int lkey, int length) {
    a.qp.wrStart();
    a.qp.wrFlags(flags);
    a.qp.wrRdmaWrite(b.mr.rkey(), b.mr.iova());
    a.qp.wrSetSge(lkey, a.mr.iova(), length);
    assertEquals(0, a.qp.wrComplete());
    rig.settle();
  }

  private WcStatus next() {
    return Rig.next(a.sendCq).status();
  }

  @Test
  @DisplayName("IBA 10.3.1.5: to drain, what asked for no acknowledgement is asked for at once")
  void drains() {
    connect(QpType.RC, 7);
    write(0, a.mr.lkey(), 8);
    a.qp.modify(new QpAttr().state(QpState.SQD).enSqdAsyncNotify(true));
    rig.settle(); // no time has passed
    assertTrue(a.device.heard(EventType.SQ_DRAINED));
    assertEquals(0L, a.hca.counters(1).get("completer_retry_err"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"bind", "register", "invalidate"})
  @DisplayName(
      "IBA 10.8.3.3: local work makes the requests before it ask for their answers at once")
  void localWork(String what) {
    connect(QpType.RC, 7);
    MemoryRegion fast = a.pd.allocFastRegistration(1);
    fast.map(a.mr.segment());
    write(0, a.mr.lkey(), 8);
    a.qp.wrStart();
    a.qp.wrFlags(SendFlags.SIGNALED);
    switch (what) {
      case "bind" -> {
        MemoryWindow mw = a.pd.allocWindow(MwType.TYPE_1);
        a.qp.wrBindMw(mw, mw.rkey(), a.mr, a.mr.iova(), 8, 0);
      }
      case "register" -> a.qp.wrRegMr(fast, fast.rkey(), Rig.ALL_ACCESS);
      default -> a.qp.wrLocalInv(fast.rkey());
    }
    assertEquals(0, a.qp.wrComplete());
    rig.settle(); // no time has passed
    assertEquals(WcStatus.SUCCESS, next());
    assertEquals(0L, a.hca.counters(1).get("completer_retry_err"));
  }

  @Test
  @DisplayName("IBA 9.7.7.1: a connection that is made anew begins with the whole window")
  void window() {
    connect(QpType.RC, 7);
    rig.wire.loses(RequesterRulesTest::isRequest);
    write(SendFlags.SIGNALED, a.mr.lkey(), 300 * MTU);
    long whole = rig.wire.transmitted.get();
    for (int i = 0; i < 6; i++) {
      clock.advance(TIMEOUT);
      rig.settle();
    }
    long before = rig.wire.transmitted.get();
    clock.advance(2 * TIMEOUT);
    rig.settle();
    assertTrue(rig.wire.transmitted.get() - before < whole, "it was made smaller");
    a.qp.modify(new QpAttr().state(QpState.RESET));
    Rig.bringUp(a, a.qp, b.qp.qpn(), b.lid(), 14, 7, 7);
    before = rig.wire.transmitted.get();
    write(SendFlags.SIGNALED, a.mr.lkey(), 300 * MTU);
    assertEquals(whole, rig.wire.transmitted.get() - before);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @DisplayName("IBA 9.7.5.2.8: retry_cnt 2: a read or an atomic is asked for 3 times")
  void givenUp(boolean atomic) {
    connect(QpType.RC, 2);
    rig.wire.loses(p -> true);
    a.qp.wrStart();
    a.qp.wrFlags(SendFlags.SIGNALED);
    if (atomic) {
      a.qp.wrAtomicFetchAdd(b.mr.rkey(), b.mr.iova(), 1);
      a.qp.wrSetSge(a.mr.lkey(), a.mr.iova(), 8);
    } else {
      a.qp.wrRdmaRead(b.mr.rkey(), b.mr.iova());
      a.qp.wrSetSge(a.mr.lkey(), a.mr.iova(), 3 * MTU);
    }
    assertEquals(0, a.qp.wrComplete());
    for (int i = 0; i < 8; i++) {
      clock.advance(TIMEOUT);
      rig.settle();
    }
    assertEquals(3, rig.wire.transmitted.get());
    assertEquals(WcStatus.RETRY_EXC_ERR, next());
  }

  @ParameterizedTest
  @CsvSource({"UC, 8", "UC, 3000", "UD, 8"})
  @DisplayName("D6: a request that cannot be read takes no packet with it")
  void packetStays(QpType type, int length) {
    connect(type, 0);
    for (int i = 0; i < 64; i++) { // more than the queue pair has packets
      send(type, a.mr.lkey() ^ 1, length);
      assertEquals(WcStatus.LOC_PROT_ERR, next());
      a.qp.modify(new QpAttr().state(QpState.RTS).curState(QpState.SQE));
    }
    send(type, a.mr.lkey(), length);
    assertEquals(WcStatus.SUCCESS, next());
  }

  private void send(QpType type, int lkey, int length) {
    a.qp.wrStart();
    a.qp.wrFlags(SendFlags.SIGNALED);
    a.qp.wrSend();
    if (type == QpType.UD) {
      a.qp.wrSetUdAddress(a.pd.createAh(AhAttr.ofLid(1, b.lid(), 0)), b.qp.qpn(), Rig.QKEY);
    }
    a.qp.wrSetSge(lkey, a.mr.iova(), length);
    assertEquals(0, a.qp.wrComplete());
    rig.settle();
  }

  @Test
  @DisplayName("IBA 9.9.2: two requests of which the second cannot be read: the first succeeds")
  void secondFails() {
    connect(QpType.RC, 7);
    a.qp.wrStart();
    a.qp.wrFlags(SendFlags.SIGNALED);
    for (int i = 0; i < 3; i++) {
      a.qp.wrId(i);
      a.qp.wrRdmaWrite(b.mr.rkey(), b.mr.iova());
      a.qp.wrSetSge(i == 1 ? a.mr.lkey() ^ 1 : a.mr.lkey(), a.mr.iova(), 8);
    }
    assertEquals(0, a.qp.wrComplete());
    rig.settle();
    assertEquals(WcStatus.SUCCESS, next());
    assertEquals(WcStatus.LOC_PROT_ERR, next());
    assertEquals(WcStatus.WR_FLUSH_ERR, next());
  }

  @Test
  @DisplayName("IBA 9.7.8: a connection without reads refuses one: LOC_QP_OP_ERR")
  void noReads() {
    connect(QpType.RC, 7);
    a.qp.modify(new QpAttr().state(QpState.SQD));
    a.qp.modify(new QpAttr().state(QpState.SQD).maxRdAtomic(0));
    a.qp.modify(new QpAttr().state(QpState.RTS));
    a.qp.wrStart();
    a.qp.wrFlags(SendFlags.SIGNALED);
    a.qp.wrRdmaRead(b.mr.rkey(), b.mr.iova());
    a.qp.wrSetSge(a.mr.lkey(), a.mr.iova(), 8);
    assertEquals(0, a.qp.wrComplete());
    rig.settle();
    assertEquals(WcStatus.LOC_QP_OP_ERR, next());
  }

  @Test
  @DisplayName("IBA 10.6.3.1: memory that is sent need not be writable")
  void readOnly() {
    connect(QpType.RC, 7);
    MemoryRegion own = a.pd.allocMemory(64, 8, 0);
    a.qp.wrStart();
    a.qp.wrFlags(SendFlags.SIGNALED);
    a.qp.wrRdmaWrite(b.mr.rkey(), b.mr.iova());
    a.qp.wrSetSge(own.lkey(), own.iova(), 64);
    assertEquals(0, a.qp.wrComplete());
    rig.settle();
    assertEquals(WcStatus.SUCCESS, next());
  }

  @ParameterizedTest
  @EnumSource(names = {"UC", "UD"})
  @DisplayName("IBA 10.3.1: in SQE a request is flushed, and never sent")
  void sendQueueError(QpType type) {
    connect(type, 0);
    send(type, a.mr.lkey() ^ 1, 8);
    assertEquals(WcStatus.LOC_PROT_ERR, next());
    assertEquals(QpState.SQE, a.qp.state());
    long before = rig.wire.transmitted.get();
    send(type, a.mr.lkey(), 8);
    assertEquals(WcStatus.WR_FLUSH_ERR, next());
    assertEquals(before, rig.wire.transmitted.get());
  }
}
