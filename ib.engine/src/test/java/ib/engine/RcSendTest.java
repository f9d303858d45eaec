package ib.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import ib.core.verbs.PostStatus;
import ib.core.verbs.QpType;
import ib.core.verbs.SendFlags;
import ib.core.verbs.WcOpcode;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WorkCompletion;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class RcSendTest {

  @Test
  @DisplayName("D4: a small RC send runs completely in the poster's own call")
  void sendCompletesInTheCall() {
    try (Rig rig = Rig.two().connect(QpType.RC)) {
      Rig.Side a = rig.a();
      Rig.Side b = rig.b();
      a.mr.segment().set(ValueLayout.JAVA_LONG, 0, 0x1122334455667788L);
      assertEquals(PostStatus.OK, b.qp.postReceive(7, b.mr.lkey(), b.mr.iova() + 4096, 64));
      a.qp.wrStart();
      a.qp.wrId(9).wrFlags(SendFlags.SIGNALED);
      a.qp.wrSend();
      a.qp.wrSetSge(a.mr.lkey(), a.mr.iova(), 8);
      assertEquals(PostStatus.OK, a.qp.wrComplete());
      WorkCompletion sent = Rig.next(a.sendCq);
      assertEquals(9, sent.wrId());
      assertEquals(WcStatus.SUCCESS, sent.status());
      assertEquals(WcOpcode.SEND, sent.opcode());
      assertEquals(a.qp.qpn(), sent.qpn());
      WorkCompletion got = Rig.next(b.recvCq);
      assertEquals(7, got.wrId());
      assertEquals(WcStatus.SUCCESS, got.status());
      assertEquals(WcOpcode.RECV, got.opcode());
      assertEquals(8, got.byteLen());
      assertEquals(0x1122334455667788L, b.mr.segment().get(ValueLayout.JAVA_LONG, 4096));
    }
  }
}
