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
    SendState sends = new SendState(null, new SendRing(4, 1, 0), 64) {};
    sends.mayFly();
    int psn = PSN;
    for (int i = 0; i < 4; i++) {
      WrOpcode opcode = i == 2 ? WrOpcode.LOCAL_INV : WrOpcode.RDMA_WRITE;
      int count = i == 2 ? 0 : 3;
      sends.ring.slots().begin(sends.place(i), i, opcode.value(), 0);
      sends.number(i, 3 << SHIFT, psn & 0xffffff, count);
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
}
