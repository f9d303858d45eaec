package ib.engine.cq;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.Cqe;
import ib.core.verbs.EventType;
import ib.core.verbs.NotifyFlags;
import ib.core.verbs.PostStatus;
import ib.core.verbs.WcOpcode;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WorkCompletion;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A completion queue step by step, without a device. */
class SoftCqTest {
  private static final Cqe CALLBACK = (cq, wc) -> {};
  private static final int REPORT = NotifyFlags.NEXT_COMP | NotifyFlags.REPORT_MISSED_EVENTS;
  private static final long US = 1_000;

  private final CqBench bench = new CqBench(4);
  private final SoftCq cq = bench.cq;
  private final WorkCompletion[] wc = new WorkCompletion[8];

  SoftCqTest() {
    Arrays.setAll(wc, i -> new WorkCompletion());
  }

  @Test
  @DisplayName("IBA 10.8.5: polling frees the requests of the member whose entry it was, up to it")
  void releases() {
    CqBench.User first = bench.user();
    CqBench.User second = bench.user();
    bench.push(1, WcOpcode.SEND, first.sendPlace(), 3, null);
    bench.push(2, WcOpcode.SEND, first.sendPlace(), 4, null);
    bench.push(3, WcOpcode.RECV, first.recvPlace(), 9, null);
    bench.push(4, WcOpcode.SEND, second.sendPlace(), 7, null);
    assertEquals(3, cq.poll(wc, 3), "of two work queues, in one call");
    assertEquals(List.of("send 4", "receive 9"), first.heard);
    assertEquals(List.of(), second.heard);
    assertTrue(cq.startPoll());
    assertEquals(List.of("send 7"), second.heard);
    bench.push(5, WcOpcode.SEND, first.sendPlace(), 0, null);
    assertTrue(cq.nextPoll());
    assertEquals(2, first.heard.size(), "of a shared queue: nothing to free");
  }

  @Test
  @DisplayName("poll: as many as there are and fit, in order; a place behind the array is refused")
  void most() {
    for (int i = 0; i < 3; i++) {
      bench.push(i);
    }
    assertEquals(PostStatus.INVALID, cq.poll(wc, 9));
    assertEquals(PostStatus.INVALID, cq.poll(wc, -1));
    assertEquals(0, cq.poll(wc, 0));
    assertEquals(2, cq.poll(wc, 2));
    assertEquals(1, wc[1].wrId());
    assertEquals(1, cq.poll(wc, 8));
    assertEquals(2, wc[0].wrId());
  }

  @Test
  @DisplayName("a poller that finds nothing receives itself, once a call; what came is its result")
  void progress() {
    bench.arriving = () -> bench.push(1);
    assertEquals(1, cq.poll(wc, 8));
    assertEquals(1, bench.looks);
    bench.looks = 0;
    bench.arriving = () -> bench.push(2);
    assertTrue(cq.startPoll());
    assertEquals(2, cq.wrId());
    assertEquals(1, bench.looks);
    assertFalse(cq.nextPoll());
    assertEquals(1, bench.looks, "only the first of a round");
    assertEquals(0, cq.poll(wc, 0));
    assertEquals(1, bench.looks, "who wants none looks for none");
    bench.looks = 0;
    assertEquals(0, cq.poll(wc, 8));
    assertFalse(cq.startPoll());
    bench.looks = 0;
    assertFalse(cq.startPoll());
    assertEquals(1, bench.looks, "looked, and there was nothing");
  }

  @Test
  @DisplayName("the lazy form has each field of the current completion, and keeps no callback")
  void lazy() {
    bench.push(-1, WcOpcode.RECV_RDMA_WITH_IMM, 0, 0, CALLBACK);
    assertTrue(cq.startPoll());
    assertEquals(-1, cq.wrId());
    assertEquals(WcStatus.SUCCESS, cq.status());
    assertEquals(WcOpcode.RECV_RDMA_WITH_IMM, cq.opcode());
    assertEquals(5, cq.wcFlags());
    assertEquals(-7, cq.byteLen());
    assertEquals(-8, cq.immData());
    assertEquals(0xabcdef, cq.qpn());
    assertEquals(-9, cq.srcQp());
    cq.readCurrent(wc[0]);
    assertSame(CALLBACK, wc[0].cqe());
    assertEquals(-1, wc[0].wrId());
    assertEquals(6, wc[0].vendorError());
    assertEquals(10, wc[0].slid());
    assertEquals(11, wc[0].sl());
    assertEquals(-9, wc[0].srcQp());
    cq.endPoll();
    cq.readCurrent(wc[0]);
    assertNull(wc[0].cqe());
    bench.push(2, WcStatus.WR_FLUSH_ERR, false);
    assertTrue(cq.startPoll());
    assertEquals(WcStatus.WR_FLUSH_ERR, cq.status());
    bench.push(3, WcOpcode.SEND, 0, 0, CALLBACK);
    bench.push(4);
    assertEquals(2, cq.poll(wc, 2));
    assertSame(CALLBACK, wc[0].cqe());
    assertNull(wc[1].cqe());
    bench.push(5, WcOpcode.SEND, 0, 0, CALLBACK);
    bench.push(6);
    assertTrue(cq.startPoll());
    assertTrue(cq.nextPoll());
    cq.readCurrent(wc[0]);
    assertNull(wc[0].cqe(), "the one before had one");
  }

  @Test
  @DisplayName("IBA 10.8.2: an overrun is one event, and each member hears of it; then OVERRUN")
  void overrun() {
    CqBench.User stays = bench.user();
    CqBench.User goes = bench.user();
    cq.detach(goes);
    for (int i = 0; i < 6; i++) {
      bench.push(i);
    }
    assertEquals(List.of(EventType.CQ_ERR), bench.events);
    assertEquals(List.of("lost"), stays.heard);
    assertEquals(List.of(), goes.heard);
    assertEquals(4, cq.poll(wc, 8), "nothing was overwritten");
    assertEquals(PostStatus.OVERRUN, cq.poll(wc, 8));
  }

  @Test
  @DisplayName("S9: SOLICITED waits for what is solicited or has failed, NEXT_COMP for anything")
  void kinds() {
    assertEquals(PostStatus.INVALID, cq.requestNotify(NotifyFlags.REPORT_MISSED_EVENTS));
    assertEquals(0, bench.rests);
    assertEquals(0, cq.requestNotify(NotifyFlags.SOLICITED));
    assertEquals(1, bench.rests, "wires hear that no thread polls");
    bench.push(1);
    assertEquals(0, bench.calls);
    bench.push(2, WcStatus.SUCCESS, true);
    assertEquals(1, bench.calls);
    cq.requestNotify(NotifyFlags.SOLICITED);
    bench.push(3, WcStatus.REM_ACCESS_ERR, false);
    assertEquals(2, bench.calls);
    cq.requestNotify(NotifyFlags.NEXT_COMP);
    cq.requestNotify(NotifyFlags.SOLICITED);
    bench.push(4);
    assertEquals(3, bench.calls, "the wider of both");
    bench.push(5);
    assertEquals(3, bench.calls, "armed once");
  }

  @Test
  @DisplayName("S9: what can be polled is reported to who asks for it, and nothing else is")
  void missed() {
    assertEquals(0, cq.requestNotify(REPORT));
    bench.push(1);
    assertEquals(1, cq.requestNotify(REPORT));
    assertEquals(0, cq.requestNotify(NotifyFlags.NEXT_COMP));
    assertEquals(1, cq.poll(wc, 1));
    assertEquals(0, cq.requestNotify(REPORT));
    assertEquals(1, bench.calls, "no call for what was there");
  }

  @Test
  @DisplayName(
      "B7: in a large queue that is full of completions, who arms is called, or gets them reported")
  void large() {
    CqBench many = new CqBench(128);
    for (int i = 0; i < 70; i++) {
      many.push(i);
    }
    assertEquals(0, many.cq.requestNotify(NotifyFlags.NEXT_COMP));
    assertEquals(1, many.calls);
    assertEquals(1, many.cq.requestNotify(REPORT));
    assertEquals(1, many.calls);
  }

  @Test
  @DisplayName(
      "A16: a call that had no memory is made soon, by the worker, and again until it can be")
  void late() {
    cq.requestNotify(NotifyFlags.NEXT_COMP);
    bench.broken = true;
    bench.push(1);
    assertEquals(1, bench.failures);
    bench.pass(0);
    assertEquals(1, bench.failures, "not yet");
    bench.pass(20 * US);
    assertEquals(2, bench.failures);
    bench.broken = false;
    bench.pass(20 * US);
    assertEquals(1, bench.calls);
    bench.pass(1_000 * US);
    assertEquals(1, bench.calls);
    assertEquals(Long.MAX_VALUE, bench.worker.earliestNs());
  }

  @Test
  @DisplayName("ib_modify_cq: one call for so many, or for so much time, counted from the arming")
  void moderated() {
    cq.doModerate(3, 50);
    cq.requestNotify(NotifyFlags.NEXT_COMP);
    bench.push(1);
    bench.push(2);
    assertEquals(0, bench.calls);
    bench.push(3);
    assertEquals(1, bench.calls);
    assertEquals(3, cq.poll(wc, 8));
    cq.requestNotify(NotifyFlags.NEXT_COMP);
    bench.push(4);
    bench.pass(0);
    bench.pass(49 * US);
    assertEquals(1, bench.calls);
    bench.pass(US);
    assertEquals(2, bench.calls);
    cq.requestNotify(NotifyFlags.NEXT_COMP);
    bench.push(5, WcStatus.WR_FLUSH_ERR, false);
    assertEquals(3, bench.calls, "a failure does not wait");
    cq.requestNotify(NotifyFlags.NEXT_COMP);
    bench.push(6);
    assertEquals(3, bench.calls);
    cq.doModerate(0, 0);
    assertEquals(4, bench.calls, "who waits under the old settings is called");
    assertEquals(3, cq.poll(wc, 8));
    cq.requestNotify(NotifyFlags.NEXT_COMP);
    cq.doModerate(3, 0);
    assertEquals(4, bench.calls, "there is nothing to be called for");
    bench.push(7);
    assertEquals(5, bench.calls, "no period: no moderation");
    cq.doModerate(1, 50);
    cq.requestNotify(NotifyFlags.NEXT_COMP);
    bench.push(8);
    assertEquals(6, bench.calls, "each one");
  }

  @Test
  @DisplayName("A16: a call that is to be made soon is forgotten with its queue")
  void destroyedLate() {
    cq.requestNotify(NotifyFlags.NEXT_COMP);
    bench.broken = true;
    bench.push(1);
    bench.pass(0);
    assertNotEquals(Long.MAX_VALUE, bench.worker.earliestNs());
    cq.doDestroy();
    bench.pass(0);
    assertEquals(Long.MAX_VALUE, bench.worker.earliestNs());
    assertEquals(1, bench.failures);
  }

  @Test
  @DisplayName("a timer of a queue that is gone calls nothing, and the worker forgets it")
  void destroyed() {
    cq.doModerate(3, 50);
    cq.requestNotify(NotifyFlags.NEXT_COMP);
    bench.push(1);
    bench.pass(0);
    assertNotEquals(Long.MAX_VALUE, bench.worker.earliestNs());
    cq.doDestroy();
    bench.pass(0);
    assertEquals(Long.MAX_VALUE, bench.worker.earliestNs());
    bench.pass(1_000 * US);
    assertEquals(0, bench.calls);
    assertEquals(1, bench.closed);
    assertEquals(1, cq.poll(wc, 8), "what waits can be polled");
    assertEquals(PostStatus.GONE, cq.poll(wc, 8));
    assertEquals(PostStatus.GONE, cq.requestNotify(NotifyFlags.NEXT_COMP));
  }

  @Test
  @DisplayName("A13: what a stuck thread pushes into a closed queue is seen in no other closed one")
  void closedApart() {
    CqBench other = new CqBench(4);
    cq.doDestroy();
    other.cq.doDestroy();
    bench.push(1);
    assertEquals(PostStatus.GONE, other.cq.poll(wc, 8));
    assertEquals(1, cq.poll(wc, 8));
  }

  @Test
  @DisplayName("IBA 11.2.8.4: a resize keeps order and what waits, however often")
  void resized() {
    for (int i = 0; i < 3; i++) {
      bench.push(i);
    }
    cq.doResize(8);
    assertEquals(8, cq.entries());
    for (int i = 3; i < 8; i++) {
      bench.push(i);
    }
    assertEquals(1, cq.poll(wc, 1));
    cq.doResize(7);
    assertTrue(cq.startPoll());
    for (int i = 1; i < 4; i++) {
      assertEquals(i, cq.wrId());
      assertTrue(cq.nextPoll());
    }
    assertEquals(3, cq.poll(wc, 8));
    assertEquals(7, wc[2].wrId());
    assertEquals(0, cq.requestNotify(REPORT), "three rings, all empty");
    bench.push(9);
    assertEquals(1, bench.calls);
    assertEquals(1, cq.poll(wc, 8));
    assertEquals(List.of(), bench.events);
  }
}
