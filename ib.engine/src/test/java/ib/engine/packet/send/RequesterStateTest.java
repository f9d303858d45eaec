package ib.engine.packet.send;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.WcStatus;
import ib.engine.OneQueuePair;
import ib.engine.qp.QpCore;
import ib.engine.qp.Ready;
import ib.engine.run.RunList;
import ib.engine.wire.Packet;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("what a requester keeps between two calls")
class RequesterStateTest {
  private final OneQueuePair one = new OneQueuePair(true);
  private final QpCore qp = one.qp;
  private final Requester requester = assertInstanceOf(Requester.class, qp.sending);

  @AfterEach
  void close() {
    one.close();
  }

  @Test
  @DisplayName("a reset forgets the reads that are under way, the error and the wait for a packet")
  void reset() {
    requester.readsOut = 3;
    requester.wantsPacket = true;
    requester.haltIndex = 7;
    requester.haltStatus = WcStatus.LOC_PROT_ERR;

    requester.reset();

    assertEquals(0, requester.readsOut);
    assertFalse(requester.wantsPacket);
    assertEquals(Long.MAX_VALUE, requester.haltIndex);
    assertEquals(WcStatus.SUCCESS, requester.haltStatus);
  }

  @Test
  @DisplayName("the first error of the oldest request counts, and requests go as packets from then")
  void halt() {
    qp.blocked = 0;
    requester.halt(5, WcStatus.LOC_PROT_ERR);
    assertNotEquals(0, qp.blocked & Ready.UNDER_WAY);
    requester.halt(5, WcStatus.LOC_LEN_ERR);
    assertEquals(WcStatus.LOC_PROT_ERR, requester.haltStatus);
    requester.halt(6, WcStatus.LOC_LEN_ERR);
    assertEquals(5, requester.haltIndex);
    requester.halt(4, WcStatus.LOC_LEN_ERR);
    assertEquals(4, requester.haltIndex);
    assertEquals(WcStatus.LOC_LEN_ERR, requester.haltStatus);
  }

  @Test
  @DisplayName(
      "what waits for a packet goes on when all that were taken are back, as many as those")
  void refilled() {
    requester.mayFly();
    assertTrue(requester.refilled(), "none is under way");
    requester.packetLast(requester.head(), 1);
    assertFalse(requester.refilled());
    requester.wantsPacket = true;
    assertTrue(requester.refilled(), "there are free ones");
  }

  @Test
  @DisplayName("with nothing under way nothing is asked for late, and nothing is sent again")
  void nothing() {
    assertFalse(requester.askLate());
    long before = requester.cursor;
    requester.rewind(requester.una());
    assertEquals(before, requester.cursor);
  }

  @Test
  @DisplayName("IBA 9.9.2.4: each answer counts as progress and gives the tries back")
  void progress() {
    long before = requester.progress;
    requester.completed(requester.head());
    assertEquals(before + 1, requester.progress);
    requester.retryLeft = 0;
    requester.advanced(requester.una());
    assertEquals(before + 2, requester.progress);
    assertEquals(qp.retryCount, requester.retryLeft);
    requester.retryLeft = 0;
    requester.una(7);
    assertEquals(7, requester.una());
    assertEquals(qp.retryCount, requester.retryLeft);
    assertNotEquals(0, qp.retryCount);
  }

  @Test
  @DisplayName("a request that was taken back leaves its place and its turn")
  void skipped() {
    long index = requester.head();
    requester.skipHead();
    assertEquals(index + 1, requester.head());
    assertEquals(index + 1, requester.ring.head());
  }

  @Test
  @DisplayName("local work that has run, and waits for copies to end, does not run again")
  void executedOnce() {
    int free = requester.place(requester.head()); // a slot without a request: nothing to execute
    assertEquals(WcStatus.MW_BIND_ERR, LocalWork.start(qp, requester.slots, free));
    requester.localExecuted = true;
    assertEquals(WcStatus.SUCCESS, LocalWork.start(qp, requester.slots, free));
    assertFalse(requester.localExecuted);
  }

  @Test
  @DisplayName("D4: answers wait for the next call when the budget of this one is used up")
  void budget() {
    Packet p = Objects.requireNonNull(qp.packets().responsePool.take());
    qp.packets().responses.add(p);
    RunList run = new RunList(1);
    run.spend(2);
    assertTrue(requester.responses(run));
    assertSame(p, qp.packets().responses.peek());
    qp.packets().responses.remove();
    p.free();
  }
}
