package ib.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.AddressHandle;
import ib.core.verbs.AhAttr;
import ib.core.verbs.QpType;
import ib.core.verbs.SendFlags;
import ib.core.verbs.WorkCompletion;
import ib.core.wire.BthOpcode;
import ib.engine.qp.HcaConfig;
import ib.engine.time.VirtualClock;
import ib.engine.wire.Packet;
import ib.engine.wire.RunContext;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** D4: a thread that brings packets does a bounded part of what they cause; the worker the rest. */
class BoundedWorkTest {
  private static final int BUDGET = 16 << 10;
  private static final int PACKETS = 32;
  private static final int BYTES = 1024;

  private final Rig rig =
      new Rig(
          new VirtualClock(),
          false,
          HcaConfig.of(0x10, 0x11).withPace(BUDGET, 8192, 16, 4, 128),
          HcaConfig.of(0x20, 0x21).withPace(BUDGET, 8192, 16, 4, 128));
  private final Rig.Side b = rig.b();

  @AfterEach
  void close() {
    rig.close();
  }

  @Test
  @DisplayName("D4: of many datagrams that arrive together, the thread that brings them gives some")
  void datagrams() {
    rig.connect(QpType.UD);
    for (int i = 0; i < PACKETS; i++) {
      b.qp.postReceive(i, b.mr.lkey(), b.mr.iova(), 40 + BYTES);
    }
    Forge forge = new Forge(rig, b, rig.a());
    RunContext run = b.hca.newRunContext();
    for (int i = 0; i < PACKETS; i++) {
      Packet p = forge.packet(BthOpcode.UD_SEND_ONLY, i, BYTES);
      p.qkey = Rig.QKEY;
      p.sourceQpn = rig.a().qp.qpn();
      b.hca.port(1).receive(p, run);
    }
    run.finish();
    WorkCompletion[] wc = new WorkCompletion[PACKETS];
    Arrays.setAll(wc, i -> new WorkCompletion());
    int first = b.recvCq.poll(wc, PACKETS);
    assertTrue(first > 0 && first * BYTES <= BUDGET, first + " at once");
    rig.settle();
    assertEquals(PACKETS - first, b.recvCq.poll(wc, PACKETS), "the worker gives the rest");
  }

  @ParameterizedTest
  @EnumSource(names = {"UC", "UD"})
  @DisplayName("D4: of many messages without acknowledgements, a post sends some")
  void unacknowledged(QpType type) {
    rig.connect(type);
    rig.wire.loses(p -> true);
    Rig.Side a = rig.a();
    AddressHandle ah = a.pd.createAh(AhAttr.ofLid(1, b.lid(), 0));
    a.qp.wrStart();
    a.qp.wrFlags(SendFlags.SIGNALED);
    for (int i = 0; i < PACKETS; i++) {
      a.qp.wrSend();
      if (type == QpType.UD) {
        a.qp.wrSetUdAddress(ah, b.qp.qpn(), Rig.QKEY);
      }
      a.qp.wrSetSge(a.mr.lkey(), a.mr.iova(), BYTES);
    }
    assertEquals(0, a.qp.wrComplete());
    long first = rig.wire.transmitted.get();
    assertTrue(first > 0 && first * BYTES <= BUDGET, first + " at once");
    rig.settle();
    assertEquals(PACKETS, rig.wire.transmitted.get(), "the worker sends the rest");
  }
}
