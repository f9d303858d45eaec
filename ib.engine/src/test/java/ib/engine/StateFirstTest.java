package ib.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import ib.core.verbs.AddressHandle;
import ib.core.verbs.AhAttr;
import ib.core.verbs.CompletionNotifier;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.NotifyFlags;
import ib.core.verbs.PostStatus;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.SendFlags;
import ib.core.verbs.WcStatus;
import ib.engine.qp.HcaConfig;
import ib.engine.time.VirtualClock;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("IBA 10.3.1: who sees a completion with an error sees the queue pair's error state")
class StateFirstTest {
  private final Rig rig =
      new Rig(new VirtualClock(), false, HcaConfig.of(0x10, 0x11), HcaConfig.of(0x20, 0x21));
  private final Rig.Side a = rig.a();
  private final Rig.Side b = rig.b();
  private final List<QpState> seen = new ArrayList<>();

  @AfterEach
  void close() {
    rig.close();
  }

  /** Notes the state of a side's queue pair within the call that makes the first completion. */
  private void watch(Rig.Side side, CompletionQueue cq) {
    cq.connect(
        new CompletionNotifier() {
          @Override
          public void notifyCompletion(CompletionQueue which) {
            seen.add(side.qp.state());
          }

          @Override
          public int processDirect(CompletionQueue which, int budget) {
            return 0;
          }
        });
    cq.requestNotify(NotifyFlags.NEXT_COMP);
  }

  private void receive(int length) {
    assertEquals(PostStatus.OK, b.qp.postReceive(1, b.mr.lkey(), b.mr.iova(), length));
  }

  private void send(AddressHandle ah, int lkey, int length) {
    a.qp.wrStart();
    a.qp.wrFlags(SendFlags.SIGNALED).wrSend();
    if (ah != null) {
      a.qp.wrSetUdAddress(ah, b.qp.qpn(), Rig.QKEY);
    }
    a.qp.wrSetSge(lkey, a.mr.iova(), length);
    assertEquals(PostStatus.OK, a.qp.wrComplete());
    rig.settle();
  }

  @Test
  @DisplayName(
      "RC: a send that fails is ERR at its sender, and a receive too short at its receiver")
  void connected() {
    rig.connect(QpType.RC);
    watch(a, a.sendCq);
    watch(b, b.recvCq);
    receive(4);
    send(null, a.mr.lkey(), 8);
    assertEquals(List.of(QpState.ERR, QpState.ERR), seen);
    assertEquals(WcStatus.LOC_LEN_ERR, Rig.next(b.recvCq).status());
    assertEquals(WcStatus.REM_INV_REQ_ERR, Rig.next(a.sendCq).status());
  }

  @Test
  @DisplayName("UD: a send that fails is SQE, and a receive too short ERR")
  void datagrams() {
    rig.connect(QpType.UD);
    try (AddressHandle ah = a.pd.createAh(AhAttr.ofLid(1, b.lid(), 0))) {
      watch(b, b.recvCq);
      receive(43);
      send(ah, a.mr.lkey(), 8);
      assertEquals(List.of(QpState.ERR), seen);
      watch(a, a.sendCq);
      send(ah, a.mr.lkey() + 77, 8);
      assertEquals(List.of(QpState.ERR, QpState.SQE), seen);
    }
  }
}
