package ib.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.PostStatus;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.SendFlags;
import ib.core.verbs.SendWr;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WrOpcode;
import ib.engine.qp.HcaConfig;
import ib.engine.time.VirtualClock;
import ib.engine.wire.Packet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The last NAK of a responder that enters ERR while all its packets are outstanding. */
@DisplayName("IBA 9.9.3: the NAK of a refusal goes out in ERR, as soon as there is a packet for it")
class LastWordTest {
  private static final int ONE_RESPONSE = 1;
  private static final int NO_RETRY = 0;

  private final VirtualClock clock = new VirtualClock();
  private final Rig rig =
      new Rig(
          clock,
          false,
          HcaConfig.of(0x10, 0x11),
          HcaConfig.of(0x20, 0x21).withPace(1 << 16, 1 << 16, 16, ONE_RESPONSE, 128));

  @BeforeEach
  void connect() {
    rig.connect(QpType.RC, 16, 8, NO_RETRY, 7);
    rig.wire.holds(LastWordTest::isAck);
  }

  @AfterEach
  void close() {
    rig.close();
  }

  private static boolean isAck(Packet p) {
    return p.opcode == 0x11;
  }

  private void write(int id, int wrong) {
    SendWr wr =
        new SendWr(1)
            .wrId(id)
            .opcode(WrOpcode.RDMA_WRITE)
            .flags(SendFlags.SIGNALED)
            .rkey(rig.b().mr.rkey() ^ wrong)
            .remoteAddr(rig.b().mr.iova())
            .addSge(rig.a().mr.lkey(), rig.a().mr.iova(), 8);
    assertEquals(PostStatus.OK, rig.a().qp.postSend(wr));
    rig.settle();
  }

  private void refused() {
    write(1, 0);
    assertEquals(1, rig.wire.held.size(), "its only packet is on the way");
    write(2, 1);
    assertEquals(QpState.ERR, rig.b().qp.state());
    assertEquals(1, rig.wire.held.size());
    Rig.assertEmpty(rig.a().sendCq);
    rig.wire.holds(p -> false);
  }

  private void told() {
    rig.settle();
    assertEquals(WcStatus.SUCCESS, Rig.next(rig.a().sendCq).status());
    assertEquals(WcStatus.REM_ACCESS_ERR, Rig.next(rig.a().sendCq).status());
    Rig.assertEmpty(rig.a().sendCq);
    assertTrue(rig.wire.held.isEmpty());
  }

  @Test
  @DisplayName("the packet is released by the peer, which then hears why: not RETRY_EXC_ERR")
  void byPeer() {
    refused();
    rig.wire.deliverHeld(LastWordTest::isAck, rig.b().hca.newRunContext());
    told();
  }

  @Test
  @DisplayName("the same when the medium has lost the packet")
  void byMedium() {
    refused();
    var run = rig.b().hca.newRunContext();
    rig.wire.held.remove().release(run);
    run.finish();
    rig.settle();
    assertEquals(WcStatus.SUCCESS, Rig.next(rig.a().sendCq).status(), "the NAK acknowledges it");
    assertEquals(WcStatus.REM_ACCESS_ERR, Rig.next(rig.a().sendCq).status());
  }
}
