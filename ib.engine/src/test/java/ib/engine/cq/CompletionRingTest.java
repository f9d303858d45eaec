package ib.engine.cq;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.Cqe;
import ib.core.verbs.WcOpcode;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WorkCompletion;
import java.util.Arrays;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The entries of a completion queue, one step at a time. */
class CompletionRingTest {
  private static final Cqe CALLBACK = (cq, wc) -> {};

  private final CompletionRing ring = new CompletionRing(4);

  private static long what(WcOpcode opcode) {
    return CompletionRing.what(WcStatus.SUCCESS.ordinal(), opcode.ordinal(), 0, 0, 0);
  }

  private static void publish(CompletionRing to, long index, WcOpcode opcode, long place, Cqe cqe) {
    to.publish(index, 100 + index, what(opcode), 0, 0, 0, place, index + 1, cqe);
  }

  private static void fill(CompletionRing to, int n) {
    for (int i = 0; i < n; i++) {
      publish(to, to.claim(), WcOpcode.SEND, 7, null);
    }
  }

  private static WorkCompletion[] completions(int n) {
    WorkCompletion[] wc = new WorkCompletion[n];
    Arrays.setAll(wc, i -> new WorkCompletion());
    return wc;
  }

  @Test
  @DisplayName("IBA 11.2.8.1: as many entries as were asked for, or the next power of two")
  void capacity() {
    int[][] sizes = {{1, 1}, {2, 2}, {3, 4}, {4, 4}, {5, 8}, {1000, 1024}, {1024, 1024}};
    for (int[] s : sizes) {
      assertEquals(s[1], new CompletionRing(s[0]).capacity(), s[0] + " entries");
    }
  }

  @Test
  @DisplayName("IBA 10.8.2: no entry is given twice; polling makes room for as many as were polled")
  void full() {
    fill(ring, 4);
    assertEquals(4, ring.size());
    assertEquals(CompletionRing.FULL, ring.claim());
    CompletionRing other = new CompletionRing(4);
    for (int round = 0; round < 20; round++) {
      fill(other, 3);
      assertEquals(3, other.size());
      assertEquals(3 * round + 3, other.tail());
      assertTrue(other.take(other.head(), 3));
      assertEquals(0, other.size());
    }
    assertFalse(other.take(other.head() - 1, 1), "another poller was faster");
    fill(other, 3);
    assertFalse(other.unpublished(), "of 63 entries 3 wait");
  }

  @Test
  @DisplayName("IBA 10.8.2: each entry that was polled makes room for one more, to the last")
  void room() {
    fill(ring, 4);
    for (int polled = 1; polled <= 4; polled++) {
      assertTrue(ring.take(polled - 1, 1));
      assertEquals(3 + polled, ring.claim(), "behind " + polled + " that were polled");
    }
  }

  @Test
  @DisplayName("every field of a completion comes back, with all of its bits")
  void fields() {
    long index = ring.claim();
    long what = CompletionRing.what(WcStatus.RNR_RETRY_EXC_ERR.ordinal(), 14, 0xa5, 0xff, -2);
    long path = 0x8001L | 0x8002L << 16 | 0x8003L << 32 | 0x8004L << 48;
    ring.publish(index, -3, what, 0x80000001L | -4L << 32, 0xabcdefL | -5L << 32, path, 1, 2, null);
    WorkCompletion[] wc = completions(1);
    assertEquals(1, ring.copy(index, wc, 0, 1));
    assertEquals(-3, wc[0].wrId());
    assertEquals(WcStatus.RNR_RETRY_EXC_ERR, wc[0].status());
    assertEquals(WcOpcode.RECV_RDMA_WITH_IMM, wc[0].opcode());
    assertEquals(0xa5, wc[0].wcFlags());
    assertEquals(0xff, wc[0].sl());
    assertEquals(-2, wc[0].vendorError());
    assertEquals(0x80000001, wc[0].byteLen());
    assertEquals(-4, wc[0].immData());
    assertEquals(0xabcdef, wc[0].qpn());
    assertEquals(-5, wc[0].srcQp());
    assertEquals(0x8001, wc[0].slid());
    assertEquals(0x8002, wc[0].pkeyIndex());
    assertEquals(0x8003, wc[0].dlidPathBits());
    assertEquals(0x8004, wc[0].mss() & 0xffff);
    assertEquals(1, ring.word(index, Entry.PLACE));
    assertEquals(2, ring.word(index, Entry.END));
  }

  @Test
  @DisplayName("S19: one look copies what is of one work queue, what is published, what has room")
  void copies() {
    publish(ring, ring.claim(), WcOpcode.SEND, 7, null);
    publish(ring, ring.claim(), WcOpcode.RDMA_READ, 7, null);
    publish(ring, ring.claim(), WcOpcode.RECV, 7, null);
    publish(ring, ring.claim(), WcOpcode.RECV, 8, null);
    WorkCompletion[] wc = completions(4);
    assertEquals(2, ring.copy(0, wc, 1, 4), "then one of the receive queue");
    assertEquals(0, wc[0].wrId(), "before where it was to begin");
    assertEquals(100, wc[1].wrId());
    assertEquals(101, wc[2].wrId());
    assertEquals(1, ring.copy(0, wc, 3, 4), "room for one");
    assertEquals(0, ring.copy(0, wc, 4, 4), "room for none");
    assertEquals(1, ring.copy(2, wc, 0, 4), "then one of another queue pair");
    assertEquals(1, ring.copy(3, wc, 0, 4), "then nothing");
  }

  @Test
  @DisplayName("an entry has the callback of its request, and none when the request has none")
  void callbacks() {
    CompletionRing one = new CompletionRing(4);
    publish(one, one.claim(), WcOpcode.SEND, 7, null);
    assertNull(one.cqe(0));
    publish(one, one.claim(), WcOpcode.SEND, 7, CALLBACK);
    assertNull(one.cqe(0));
    assertSame(CALLBACK, one.cqe(1));
    WorkCompletion[] wc = completions(2);
    assertEquals(2, one.copy(0, wc, 0, 2));
    assertNull(wc[0].cqe());
    assertSame(CALLBACK, wc[1].cqe());
    assertTrue(one.take(0, 2));
    fill(one, 4);
    assertNull(one.cqe(5), "the callback of an entry before it at this place");
  }

  @Test
  @DisplayName("B7: what is claimed and not published is seen, behind published entries as well")
  void unpublished() {
    assertFalse(ring.unpublished());
    publish(ring, ring.claim(), WcOpcode.SEND, 7, null);
    assertFalse(ring.unpublished(), "all is published");
    long late = ring.claim();
    assertFalse(ring.valid(late));
    assertTrue(ring.unpublished());
    publish(ring, ring.claim(), WcOpcode.SEND, 7, null);
    assertTrue(ring.unpublished());
    publish(ring, late, WcOpcode.SEND, 7, null);
    assertTrue(ring.valid(late));
    assertFalse(ring.unpublished());
  }

  @Test
  @DisplayName("B7: more than 64 entries are not looked at one by one: there may be such a one")
  void manyEntries() {
    CompletionRing large = new CompletionRing(128);
    fill(large, 64);
    assertFalse(large.unpublished());
    fill(large, 1);
    assertTrue(large.unpublished());
  }

  @Test
  @DisplayName("IBA 11.2.8.4: a closed ring takes nothing more, is emptied, and has a successor")
  void closed() {
    assertNull(ring.next());
    assertThrows(IllegalStateException.class, ring::successor);
    fill(ring, 2);
    long late = ring.claim();
    CompletionRing next = new CompletionRing(8);
    ring.close(next);
    assertEquals(CompletionRing.CLOSED, ring.claim());
    assertEquals(CompletionRing.CLOSED, ring.claim());
    assertSame(next, ring.successor());
    assertSame(next, ring.next());
    assertEquals(3, ring.tail(), "claims that were refused do not count");
    assertEquals(3, ring.size());
    assertTrue(ring.anyUnpublished());
    publish(ring, late, WcOpcode.SEND, 7, null);
    assertFalse(ring.anyUnpublished());
    next.claim();
    assertTrue(ring.anyUnpublished(), "in the ring that follows");
    assertTrue(ring.take(0, 2));
    assertFalse(ring.drained());
    assertTrue(ring.take(2, 1));
    assertTrue(ring.drained());
    assertFalse(next.drained(), "not closed");
  }
}
