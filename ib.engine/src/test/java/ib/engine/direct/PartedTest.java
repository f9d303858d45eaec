package ib.engine.direct;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.engine.OneQueuePair;
import ib.engine.qp.QpCore;
import ib.engine.qp.Ready;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("D5: a queue pair that is joined with no peer")
class PartedTest {
  private static final long ANOTHER = -1; // no thread has this number

  private final OneQueuePair one = new OneQueuePair(true);
  private final QpCore qp = one.qp;

  @AfterEach
  void close() {
    one.close();
  }

  @Test
  @DisplayName("owes no acknowledgement, and counts as alone from then on")
  void alone() {
    qp.peer = null;
    qp.blocked = 0;
    qp.directUnacknowledged = 3;

    DirectPath.settle(qp, qp.runList);

    assertEquals(0, qp.directUnacknowledged);
    assertNotEquals(0, qp.blocked & Ready.ALONE);
    assertNull(qp.directPeer);
  }

  @Test
  @DisplayName("with an empty queue and nothing that blocks it has nothing left to do")
  void nothingLeft() {
    qp.blocked = 0;
    qp.seenEpoch = qp.epoch.now();
    assertTrue(DirectSends.run(qp, qp.runList));
    qp.blocked = Ready.NOT_RTS;
    assertFalse(DirectSends.run(qp, qp.runList));
  }

  private QpCore join() {
    QpCore peer = Objects.requireNonNull(one.peer);
    peer.heldBy(ANOTHER);
    Join.look(qp, qp.runList);
    assertEquals(qp.runList.thread(), peer.holder(), "a report would name who claimed it");
    assertEquals(0, qp.blocked);
    assertTrue(Join.holds(qp, peer));
    qp.directUnacknowledged = 1;
    return peer;
  }

  @Test
  @DisplayName("has no way while another thread has claimed the peer")
  void claimed() {
    QpCore peer = Objects.requireNonNull(one.peer);
    assertTrue(peer.tryClaim());
    Join.look(qp, qp.runList);
    assertNotEquals(0, qp.blocked & Ready.NO_WAY);
    assertTrue(peer.release());
  }

  @Test
  @DisplayName("has no way to a peer that leads nowhere")
  void noWayBack() {
    QpCore peer = Objects.requireNonNull(one.peer);
    peer.route = null;
    Join.look(qp, qp.runList);
    assertNotEquals(0, qp.blocked & Ready.NO_WAY);
    assertTrue(peer.tryClaim(), "the peer is not claimed any more");
    assertTrue(peer.release());
  }

  @Test
  @DisplayName("is what remains when the peer was destroyed")
  void destroyed() {
    QpCore peer = join();
    assertTrue(peer.tryClaim());
    peer.bury();
    DirectPath.settle(qp, qp.runList);
    assertNull(qp.peer);
    assertEquals(0, qp.directUnacknowledged);
    peer.release();
  }

  @Test
  @DisplayName("is what remains when the peer was modified, whose claim is given back")
  void modified() {
    QpCore peer = join();
    peer.peer = null;
    peer.heldBy(ANOTHER);
    assertFalse(Join.holds(qp, peer));
    DirectPath.settle(qp, qp.runList);
    assertNull(qp.peer);
    assertNull(qp.directPeer);
    assertEquals(qp.runList.thread(), peer.holder());
    assertNotEquals(0, qp.blocked & Ready.ALONE);
    assertTrue(peer.tryClaim(), "the peer is not claimed any more");
    assertTrue(peer.release());
  }
}
