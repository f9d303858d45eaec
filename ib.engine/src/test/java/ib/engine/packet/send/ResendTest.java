package ib.engine.packet.send;

import static org.junit.jupiter.api.Assertions.assertEquals;

import ib.core.verbs.WrOpcode;
import ib.engine.qp.SendState;
import ib.engine.ring.SendRing;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class ResendTest {
  private static final int SHIFT = 10;
  private static final int PSN = 0xfffffc;

  /** Three writes of three packets each, a local request before the last. */
  private static SendState sends() {
    return sends(WrOpcode.RDMA_WRITE);
  }

  /** The same, with another request in the place of the second. */
  private static SendState sends(WrOpcode second) {
    SendState sends = new SendState(null, new SendRing(4, 1, 0), 64) {};
    sends.mayFly();
    int psn = PSN;
    for (int i = 0; i < 4; i++) {
      WrOpcode opcode = i == 1 ? second : i == 2 ? WrOpcode.LOCAL_INV : WrOpcode.RDMA_WRITE;
      int count = i == 2 ? 0 : 3;
      sends.ring.slots().begin(sends.place(i), i, opcode.value(), 0);
      sends.number(i, 3 << SHIFT, psn & 0xffffff, count, false);
      sends.done(i, 3 << SHIFT);
      psn += count;
    }
    return sends;
  }

  @Test
  @DisplayName(
      "C: go-back-N begins in the request that a sequence number belongs to, at its packet")
  void from() {
    int[] request = {0, 0, 0, 1, 1, 1, 3, 3, 3};
    for (int n = 0; n < 9; n++) {
      SendState sends = sends();
      assertEquals(request[n], Resend.from(sends, 0, 4, PSN + n & 0xffffff, SHIFT), "packet " + n);
      for (int i = 0; i < 4; i++) {
        long done = i < request[n] ? 3 << SHIFT : i > request[n] ? 0 : (n % 3) << SHIFT;
        assertEquals(done, sends.done(i), "packet " + n + ", request " + i);
      }
    }
    assertEquals(-1, Resend.from(sends(), 0, 4, PSN + 9 & 0xffffff, SHIFT), "none of them");
  }

  @Test
  @DisplayName("C: an answered request that is sent again keeps what has arrived of its answer")
  void answered() {
    SendState sends = sends(WrOpcode.RDMA_READ);
    sends.done(1, 1 << SHIFT);
    assertEquals(1, Resend.from(sends, 0, 4, PSN + 4 & 0xffffff, SHIFT));
    assertEquals(1 << SHIFT, sends.done(1), "of the read");
    assertEquals(0, sends.done(3), "what follows is sent from its beginning");
    assertEquals(3 << SHIFT, sends.done(0), "what is before stays");
  }

  @Test
  @DisplayName("IBA 9.7.5.1.2: an acknowledgement is asked for late with the newest packet")
  void last() {
    SendState sends = sends();
    assertEquals(3, Resend.last(sends, 0, 4, SHIFT));
    assertEquals(2 << SHIFT, sends.done(3), "its last packet alone");
    sends = sends();
    assertEquals(1, Resend.last(sends, 0, 3, SHIFT), "a local request has no packet");
    assertEquals(2 << SHIFT, sends.done(1));
    assertEquals(3 << SHIFT, sends.done(0));
    assertEquals(0, Resend.last(sends, 0, 1, SHIFT), "the oldest");
    assertEquals(-1, Resend.last(sends, 2, 3, SHIFT), "only a local one");
    assertEquals(-1, Resend.last(sends, 0, 0, SHIFT));
  }

  @Test
  @DisplayName("C: what was acknowledged of a write is not sent again, what was sent stays sent")
  void skip() {
    for (int acknowledged = -1; acknowledged < 4; acknowledged++) {
      for (int sent = 0; sent <= 3; sent++) {
        SendState sends = sends();
        sends.done(0, (long) sent << SHIFT);
        Resend.skip(sends, 0, PSN + acknowledged & 0xffffff, SHIFT);
        assertEquals((long) Math.max(sent, acknowledged) << SHIFT, sends.done(0));
      }
    }
    SendState sends = sends(WrOpcode.RDMA_READ);
    sends.done(1, 0);
    Resend.skip(sends, 1, PSN + 5 & 0xffffff, SHIFT);
    assertEquals(0, sends.done(1), "of a read only data counts");
  }

  @Test
  @DisplayName("D6: a sequence number belongs to one request, before and behind them to none")
  void holder() {
    int[] request = {0, 0, 0, 1, 1, 1, 3, 3, 3};
    for (int n = 0; n < 9; n++) {
      assertEquals(request[n], Resend.holder(sends(), 0, 4, PSN + n & 0xffffff), "packet " + n);
    }
    assertEquals(-1, Resend.holder(sends(), 0, 4, PSN - 1));
    assertEquals(-1, Resend.holder(sends(), 0, 4, PSN + 9 & 0xffffff));
    assertEquals(-1, Resend.holder(sends(), 1, 4, PSN), "it is complete");
    assertEquals(-1, Resend.holder(sends(), 0, 3, PSN + 6 & 0xffffff), "not begun");
  }

  @Test
  @DisplayName("C: the response that is waited for is behind what has arrived of a read's data")
  void expected() {
    SendState sends = sends(WrOpcode.RDMA_READ);
    for (int arrived = 0; arrived < 3; arrived++) {
      sends.done(1, (long) arrived << SHIFT);
      assertEquals(PSN + 3 + arrived & 0xffffff, Resend.expected(sends, 1, SHIFT));
    }
    sends = sends(WrOpcode.ATOMIC_FETCH_AND_ADD);
    sends.done(1, 2 << SHIFT);
    assertEquals(PSN + 3 & 0xffffff, Resend.expected(sends, 1, SHIFT), "of an atomic the first");
  }
}
