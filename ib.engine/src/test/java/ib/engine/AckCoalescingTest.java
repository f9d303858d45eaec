package ib.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.PostStatus;
import ib.core.verbs.QpType;
import ib.core.verbs.SendFlags;
import ib.core.verbs.SendWr;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WrOpcode;
import ib.engine.qp.HcaConfig;
import ib.engine.time.VirtualClock;
import ib.engine.wire.Packet;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Issue 3, section 1: acknowledgement coalescing (IBA vol. 1 section 9.7.5.1.2). */
class AckCoalescingTest {
  private static final int ACKNOWLEDGE = 0x11;
  private static final int MESSAGES = 16;

  private final List<Integer> acknowledged = new ArrayList<>();
  private final List<Integer> requested = new ArrayList<>();

  /** Loses nothing; with a rule, there are packets. */
  private boolean see(Packet p) {
    ((p.opcode & 0x1f) == ACKNOWLEDGE ? acknowledged : requested).add(p.psn);
    return false;
  }

  @Test
  @DisplayName("9.7.5.1.2 messages that arrive together have one acknowledgement, of the last one")
  void oneForAll() {
    VirtualClock clock = new VirtualClock();
    try (Rig rig = new Rig(clock, false, HcaConfig.of(1, 2), HcaConfig.of(3, 4))) {
      rig.connect(QpType.RC);
      rig.wire.loses(this::see);
      Rig.Side a = rig.a();
      SendWr list = null;
      for (int i = MESSAGES; i > 0; i--) {
        list =
            new SendWr(1)
                .wrId(i)
                .opcode(WrOpcode.RDMA_WRITE)
                .flags(SendFlags.SIGNALED)
                .rkey(rig.b().mr.rkey())
                .remoteAddr(rig.b().mr.iova())
                .addSge(a.mr.lkey(), a.mr.iova(), 64)
                .next(list);
      }
      assertEquals(PostStatus.OK, a.qp.postSend(list));
      rig.settle();
      for (int i = 1; i <= MESSAGES; i++) {
        var wc = Rig.next(a.sendCq);
        assertEquals(i, wc.wrId());
        assertEquals(WcStatus.SUCCESS, wc.status());
      }
    }
    assertEquals(MESSAGES, requested.size(), "each request is sent once");
    assertTrue(acknowledged.size() < MESSAGES / 2, acknowledged + " for " + requested);
    assertEquals(requested.getLast(), acknowledged.getLast(), "the last acknowledges all");
  }
}
