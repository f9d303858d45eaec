package ib.engine.qp;

import static org.junit.jupiter.api.Assertions.assertEquals;

import ib.core.verbs.WrOpcode;
import ib.engine.ring.SendRing;
import ib.engine.ring.SendWqe;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class ResendTest {
  private static final int SHIFT = 10;
  private static final int PSN = 0xfffffc;

  /** Three writes of three packets each, a local request before the last. */
  private static SendRing ring() {
    SendRing ring = new SendRing(4, 1, 0);
    int psn = PSN;
    for (int i = 0; i < 4; i++) {
      SendWqe w = ring.at(i);
      w.opcode = (i == 2 ? WrOpcode.LOCAL_INV : WrOpcode.RDMA_WRITE).value();
      w.psnFirst = psn & 0xffffff;
      w.psnCount = i == 2 ? 0 : 3;
      w.done = 3 << SHIFT;
      psn += w.psnCount;
    }
    return ring;
  }

  @Test
  @DisplayName(
      "C: go-back-N begins in the request that a sequence number belongs to, at its packet")
  void from() {
    int[] request = {0, 0, 0, 1, 1, 1, 3, 3, 3};
    for (int n = 0; n < 9; n++) {
      SendRing ring = ring();
      assertEquals(request[n], Resend.from(ring, 0, 4, PSN + n & 0xffffff, SHIFT), "packet " + n);
      for (int i = 0; i < 4; i++) {
        long done = i < request[n] ? 3 << SHIFT : i > request[n] ? 0 : (n % 3) << SHIFT;
        assertEquals(done, ring.at(i).done, "packet " + n + ", request " + i);
      }
    }
    assertEquals(-1, Resend.from(ring(), 0, 4, PSN + 9 & 0xffffff, SHIFT), "none of them");
  }
}
