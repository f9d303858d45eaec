package ib.engine.qp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.EventType;
import ib.core.verbs.QpState;
import ib.core.verbs.WcStatus;
import ib.engine.OneQueuePair;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("what a queue pair remembers of its life")
class QpHistoryTest {
  private static final int PSN = 0x123456;
  private static final int ACCESS_NAK = 0x62; // IBA table 45: remote access error
  private static final int KEPT = 16;

  private final OneQueuePair one = new OneQueuePair(false);
  private final QpHistory history = one.qp.history;

  @AfterEach
  void close() {
    one.close();
  }

  @Test
  @DisplayName("a new one was asked for its state, has no cause, failure, exception or trouble")
  void nothing() {
    assertEquals("", history.cause());
    assertTrue(history.isAsked());
    assertNull(history.failure());
    assertNull(history.crash());
    assertEquals(0, history.timeouts());
    assertEquals(0, history.refusal());
    assertEquals(List.of(), history.changes());
    assertEquals(List.of(), history.troubles());
  }

  @Test
  @DisplayName("each cause of a change of state has its text, and only modify counts as asked for")
  void causes() {
    history.changed(1, QpState.INIT, QpHistory.ASKED);
    assertEquals("modify", history.cause());
    assertTrue(history.isAsked());

    history.changed(2, QpState.ERR, QpHistory.REMOVED);
    assertEquals("device or queue pair is removed", history.cause());
    assertFalse(history.isAsked());

    history.changed(3, QpState.ERR, QpHistory.CRASHED);
    assertEquals("an exception inside the engine", history.cause());

    history.changed(4, QpState.ERR, QpHistory.event(EventType.QP_ACCESS_ERR));
    assertEquals("QP_ACCESS_ERR", history.cause());
    assertFalse(history.isAsked());
  }

  @Test
  @DisplayName(
      "a NAK that was sent and a request that failed explain the next change, and no other")
  void pending() {
    history.nakSent(5, PSN, ACCESS_NAK);
    history.changed(6, QpState.ERR, QpHistory.ASKED);
    assertEquals(ACCESS_NAK, history.refusal());
    assertTrue(history.cause().startsWith("refused the peer's request at PSN 0x123456: "));

    history.failed(WcStatus.RETRY_EXC_ERR, PSN);
    history.changed(7, QpState.ERR, QpHistory.ASKED);
    assertEquals(WcStatus.RETRY_EXC_ERR, history.failure());
    assertEquals(WcStatus.RETRY_EXC_ERR.label() + " at PSN 0x123456", history.cause());

    history.changed(8, QpState.RESET, QpHistory.ASKED);
    assertEquals("modify", history.cause());
  }

  @Test
  @DisplayName("the latest 16 changes are kept, oldest first")
  void latest() {
    for (int i = 0; i < KEPT + 3; i++) {
      history.changed(i, i % 2 == 0 ? QpState.RESET : QpState.INIT, QpHistory.ASKED);
      assertEquals(Math.min(i + 1, KEPT), history.changes().size());
      assertEquals("modify", history.cause());
    }
    assertEquals(3, history.changes().getFirst().ns());
    assertEquals(QpState.INIT, history.changes().getFirst().state());
    assertEquals(KEPT + 2, history.changes().getLast().ns());
  }

  @Test
  @DisplayName("a reset forgets failures, the exception and troubles, and keeps the changes")
  void reset() {
    history.changed(1, QpState.INIT, QpHistory.ASKED);
    history.timeout(2, PSN);
    history.timeout(3, PSN);
    history.failed(WcStatus.RETRY_EXC_ERR, PSN);
    Exception first = new IllegalStateException();
    history.crashed(first);
    history.crashed(new IllegalArgumentException());
    assertSame(first, history.crash());
    assertEquals(2, history.timeouts());
    assertEquals(1, history.troubles().size());

    history.reset();
    assertNull(history.failure());
    assertNull(history.crash());
    assertEquals(0, history.timeouts());
    assertEquals(List.of(), history.troubles());
    history.changed(4, QpState.RESET, QpHistory.ASKED);
    assertEquals("modify", history.cause());
    assertEquals(2, history.changes().size());
  }

  @Test
  @DisplayName("the peer was heard when the number of received packets has changed since")
  void heard() {
    assertFalse(history.look(1, 0));
    assertEquals(-1, history.heardNs());
    assertTrue(history.look(2, 1));
    assertFalse(history.look(3, 1));
    assertEquals(2, history.heardNs());
  }
}
