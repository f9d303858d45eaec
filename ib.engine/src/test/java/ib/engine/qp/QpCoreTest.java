package ib.engine.qp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.WcStatus;
import ib.engine.OneQueuePair;
import ib.engine.packet.receive.ConnectedResponder;
import ib.engine.wire.Opcode;
import ib.engine.wire.Packet;
import ib.engine.wire.Syndrome;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("what a queue pair says of itself")
class QpCoreTest {
  private static final Set<QpState> LIVE =
      EnumSet.of(QpState.RTR, QpState.RTS, QpState.SQD, QpState.SQE);
  private static final int SEND_ONLY = 0x04; // IBA table 38, of RC
  private static final int UD_SEND_ONLY = 0x64;
  private static final int NO_KEY = 0x7fffff00;
  private static final long TIMER_NS = 5_000_000_000L;

  private final OneQueuePair one = new OneQueuePair(true);
  private final QpCore qp = one.qp;

  @AfterEach
  void close() {
    one.close();
  }

  private static Packet take(PacketPool pool) {
    Packet p = pool.take();
    assertNotNull(p);
    return p;
  }

  @Test
  @DisplayName("IBA 10.3.1: it answers in RTR, RTS, SQD and SQE; its bits follow each state")
  void states() {
    for (QpState state : QpState.values()) {
      qp.enter(state, QpHistory.ASKED);
      assertEquals(LIVE.contains(state), qp.live(), state::name);
      assertEquals(LIVE.contains(state), (qp.refuses & Ready.NOT_LIVE) == 0, state::name);
      assertEquals(state == QpState.RTS, (qp.blocked & Ready.NOT_RTS) == 0, state::name);
      assertEquals(state == QpState.RTR, (qp.refuses & Ready.SILENT) != 0, state::name);
    }
  }

  @Test
  @DisplayName("it takes packets of its service and, as it is reliable, congestion notifications")
  void takes() {
    assertTrue(qp.takes(SEND_ONLY));
    assertTrue(qp.takes(Opcode.CNP));
    assertFalse(qp.takes(UD_SEND_ONLY));
    assertFalse(qp.coalesces(), "nobody has asked for that");
    assertEquals(qp.qpn, qp.hashCode());
  }

  @Test
  @DisplayName("it is idle while no request and no response of its own is under way")
  void idle() {
    assertTrue(qp.isIdle());
    Packet request = take(qp.packets().requestPool);
    assertFalse(qp.isIdle());
    Packet response = take(qp.packets().responsePool);
    request.free();
    assertFalse(qp.isIdle());
    response.free();
    assertTrue(qp.isIdle());
  }

  @Test
  @DisplayName("it is quiet while nothing has arrived, no signal is set and it is not destroyed")
  void quiet() {
    assertTrue(qp.isQuiet());
    Packet p = take(qp.packets().requestPool);
    assertTrue(qp.isQuiet());
    qp.packets().requests.add(p);
    assertFalse(qp.isQuiet());
    qp.packets().requests.remove();
    assertTrue(qp.isQuiet());
    qp.packets().responses.add(p);
    assertFalse(qp.isQuiet());
    qp.packets().responses.remove();

    qp.bury();
    assertTrue(qp.buried());
    assertFalse(qp.isQuiet());
  }

  @Test
  @DisplayName("signals are taken once, and until then it is not quiet")
  void signals() {
    assertEquals(0, qp.takeSignals());
    qp.signal(QpCore.REQUEST_FAULT, qp.runList);
    qp.signal(QpCore.RESPONSE_FAULT, qp.runList);
    assertFalse(qp.isQuiet());
    assertEquals(QpCore.REQUEST_FAULT | QpCore.RESPONSE_FAULT, qp.takeSignals());
    assertEquals(0, qp.takeSignals());
    qp.runList.finish(); // which a signal has made hold the claim
  }

  @Test
  @DisplayName("B3: of the packets that could not be read the first in sequence counts, and once")
  void faults() {
    PacketPool pool = qp.packets().responsePool;
    for (int psn : new int[] {1, 0xffffff, 0}) { // it wraps: the second one is the first
      Packet p = take(pool);
      p.psn = psn;
      p.fault();
      p.release(qp.runList);
    }
    assertEquals(Syndrome.NAK_REMOTE_OPERATION << PacketPool.PSN_BITS | 0xffffff, pool.takeFault());
    assertEquals(0, pool.takeFault(), "the signal may come once more");
    assertEquals(QpCore.RESPONSE_FAULT, qp.takeSignals());
    qp.runList.finish(); // which a signal has made hold the claim
  }

  @Test
  @DisplayName("B3: a signal of a fault that was taken before ends no request and refuses none")
  void faultTaken() {
    one.post(3); // the last of them is packet 0
    qp.signal(QpCore.REQUEST_FAULT | QpCore.RESPONSE_FAULT, qp.runList);
    qp.runList.finish();
    assertEquals(QpState.RTS, qp.state);
    assertEquals(Collections.nCopies(3, WcStatus.SUCCESS), one.complete());
  }

  @ParameterizedTest
  @EnumSource(
      value = QpState.class,
      names = {"RESET", "INIT"})
  @DisplayName(
      "B3: a fault that is heard of when its queue pair does not answer any more ends nothing")
  void faultLate(QpState state) {
    Packet p = take(qp.packets().responsePool);
    p.fault();
    qp.enter(state, QpHistory.ASKED);
    p.release(qp.runList);
    qp.runList.finish();
    assertEquals(state, qp.state);
  }

  @Test
  @DisplayName("a packet for a port whose link is down is counted and comes back")
  void down() {
    one.linkDown();
    Packet p = take(qp.packets().requestPool);
    p.psnCount = 1;

    qp.transmit(p, qp.runList);

    assertFalse(p.busy());
    assertEquals(1, one.count("drop_port_down"));
  }

  @Test
  @DisplayName("an exception outside of a step is counted and kept")
  void crashed() {
    Throwable why = new IllegalStateException("planted");
    qp.crashed(why);
    assertEquals(1, one.count("steps_crashed"));
    assertSame(why, qp.history.crash());
  }

  @Test
  @DisplayName("it has no port before INIT, and counts as one of the first port")
  void noPort() {
    try (OneQueuePair fresh = new OneQueuePair(false)) {
      assertThrows(IllegalStateException.class, fresh.qp::port);
      assertEquals(0, fresh.qp.portIndex());
    }
  }

  @Test
  @DisplayName("a timer is running from its start to its end, and not when it was never made")
  void timers() {
    assertFalse(QpTimer.isRunning(null));
    QpTimer timer = new QpTimer(qp, QpCore.REQUEST_FAULT);
    assertFalse(QpTimer.isRunning(timer));
    timer.start(TIMER_NS);
    assertTrue(QpTimer.isRunning(timer));
    QpTimer.ended(timer);
    assertFalse(QpTimer.isRunning(timer));
    timer.cancel();
  }

  @Test
  @DisplayName("what was executed at the peer counts in the numbers of packets")
  void ahead() {
    SendState sending = qp.sending;
    assertFalse(sending.isHeard());
    sending.progress = 1;
    assertTrue(sending.isHeard());
    sending.una = 5;
    sending.psnSent = 6;
    assertEquals(5, sending.una());
    assertEquals(6, sending.psnSent());
    qp.directAhead = true;
    qp.directPsn = 9;
    assertEquals(9, sending.una());
    assertEquals(9, sending.psnSent());

    ReceiveState receiving = assertInstanceOf(ReceiveState.class, qp.responder);
    receiving.epsn = 20;
    assertEquals(3, receiving.behind(17));
    qp.directReceived.ahead = true;
    qp.directReceived.psn = 30;
    assertEquals(13, receiving.behind(17));
  }

  @Test
  @DisplayName("IBA 9.4.4: the peer may read while it has resources for one read at least")
  void reads() {
    ReceiveState receiving = assertInstanceOf(ReceiveState.class, qp.responder);
    receiving.resources = 0;
    assertFalse(receiving.reads());
    receiving.resources = 1;
    assertTrue(receiving.reads());
  }

  @Test
  @DisplayName("an unknown key has nothing to settle, and cannot be invalidated")
  void noKey() {
    assertTrue(Invalidation.settled(qp, NO_KEY));
    assertFalse(Invalidation.local(qp, NO_KEY));
    assertFalse(Invalidation.remote(qp, NO_KEY));
  }

  @Test
  @DisplayName("the limit of a shared queue is what was set last")
  void limit() {
    SharedReceives shared = new SharedReceives(qp.receives, 3, () -> {});
    assertEquals(3, shared.limit());
    shared.limit(2);
    assertEquals(2, shared.limit());
  }

  @Test
  @DisplayName("a caller that waits for a claim gives up after five seconds")
  void deadline() {
    long before = System.nanoTime();
    long end = ControlPath.deadline();
    long after = System.nanoTime();
    assertTrue(end - before >= TIMER_NS);
    assertTrue(end - after <= TIMER_NS);
  }

  @Test
  @DisplayName("IBA 10.3.1: a responder that is reset forgets the message and the answer in hand")
  void reset() {
    ReceiveState receiving = assertInstanceOf(ReceiveState.class, qp.responder);
    receiving.lastTold = true;
    receiving.replying = true;
    receiving.resultCount = 2;
    receiving.newestResult = 1;
    receiving.current = Opcode.SEND;
    qp.refuses |= Ready.MIDDLE;

    receiving.reset();

    assertFalse(receiving.lastTold);
    assertFalse(receiving.replying);
    assertEquals(0, receiving.resultCount);
    assertEquals(0, receiving.newestResult);
    assertEquals(0, receiving.current);
    assertEquals(0, qp.refuses & Ready.MIDDLE);
  }

  @Test
  @DisplayName("an answer that waits for a packet goes on when there is one")
  void refilled() {
    assertTrue(qp.responder.refilled());
    assertFalse(qp.responder.starved());
    Packet last = take(qp.packets().responsePool);
    for (Packet p = last; p != null; p = qp.packets().responsePool.take()) {
      last = p;
    }
    assertFalse(qp.responder.refilled());
    assertTrue(last.busy());
  }

  @Test
  @DisplayName("a responder that has nothing to say is not starved, and its last word is said")
  void nothingDue() {
    assertTrue(qp.responder.lastWord(qp.runList));
    assertInstanceOf(ReceiveState.class, qp.responder).replying = true;
    assertTrue(qp.responder.starved(), "an answer waits for packets");
    try (OneQueuePair datagrams = new OneQueuePair(QpType.UD, true)) {
      assertTrue(datagrams.qp.responder.lastWord(datagrams.qp.runList));
      assertFalse(datagrams.qp.responder.starved());
      assertFalse(datagrams.qp.responder.refilled(), "a datagram is not answered");
    }
  }

  @Test
  @DisplayName("D5: a responder takes over the numbers of what was executed here, and no others")
  void sync() {
    ConnectedResponder receiving = assertInstanceOf(ConnectedResponder.class, qp.responder);
    receiving.epsn = 5;
    qp.directReceived.psn = 9;
    qp.directReceived.unsynced = 0;
    receiving.sync(qp.directReceived);
    assertEquals(5, receiving.epsn);
    qp.directReceived.unsynced = 1;
    receiving.sync(qp.directReceived);
    assertEquals(9, receiving.epsn);
    assertEquals(0, qp.directReceived.unsynced);
  }

  @Test
  @DisplayName("a queue pair without atomics has no table of their results")
  void noResults() {
    ConnectedResponder receiving = assertInstanceOf(ConnectedResponder.class, qp.responder);
    receiving.resources(4);
    assertEquals(4, receiving.resources);
    assertSame(ReceiveState.NO_RESULTS, receiving.results);
  }
}
