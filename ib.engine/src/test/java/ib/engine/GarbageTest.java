package ib.engine;

import ib.core.verbs.AddressHandle;
import ib.core.verbs.AhAttr;
import ib.core.verbs.NotifyFlags;
import ib.core.verbs.PostStatus;
import ib.core.verbs.QpCreateFlags;
import ib.core.verbs.QpType;
import ib.core.verbs.RecvWr;
import ib.core.verbs.SendFlags;
import ib.core.verbs.SendWr;
import ib.core.verbs.WrOpcode;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** D3, G5: the data path allocates nothing and never blocks, over 10^6 posts and polls. */
class GarbageTest extends GarbageMeter {
  @Test
  @DisplayName(
      "D3, G5: RC send and receive, builder and lazy polling, armed: 0 bytes, never blocked")
  void rcSend() {
    try (Rig rig = Rig.two().connect(QpType.RC, 64, 14, 7, 7)) {
      Rig.Side a = rig.a();
      Rig.Side b = rig.b();
      measure(
          () -> {
            expect(b.qp.postReceive(1, b.mr.lkey(), b.mr.iova(), 64) == PostStatus.OK);
            expect(b.recvCq.requestNotify(NotifyFlags.NEXT_COMP) == 0);
            a.qp.wrStart();
            a.qp.wrId(1).wrFlags(SendFlags.SIGNALED);
            a.qp.wrSend();
            a.qp.wrSetSge(a.mr.lkey(), a.mr.iova(), 64);
            expect(a.qp.wrComplete() == PostStatus.OK);
            sent(a);
            received(b);
          });
    }
  }

  @Test
  @DisplayName("D3, G5: RC write, read and inline, list form: 0 bytes, never blocked")
  void rcWriteRead() {
    try (Rig rig = Rig.two().connect(QpType.RC, 64, 14, 7, 7);
        Arena arena = Arena.ofConfined()) {
      Rig.Side a = rig.a();
      Rig.Side b = rig.b();
      SendWr read =
          new SendWr(1)
              .opcode(WrOpcode.RDMA_READ)
              .flags(SendFlags.SIGNALED)
              .rkey(b.mr.rkey())
              .remoteAddr(b.mr.iova())
              .addSge(a.mr.lkey(), a.mr.iova(), 64);
      MemorySegment data = arena.allocate(32);
      SendWr write =
          new SendWr(1)
              .opcode(WrOpcode.RDMA_WRITE)
              .rkey(b.mr.rkey())
              .remoteAddr(b.mr.iova())
              .inline(data, 0, 32)
              .flags(SendFlags.SIGNALED | SendFlags.INLINE)
              .next(read);
      measure(
          () -> {
            expect(a.qp.postSend(write) == PostStatus.OK);
            expect(a.sendCq.poll(wc, 2) == 2);
          });
    }
  }

  @Test
  @DisplayName("D3, G5: UC with immediate and an SRQ-less receive list: 0 bytes, never blocked")
  void uc() {
    try (Rig rig = Rig.two().connect(QpType.UC, 64, 14, 7, 7)) {
      Rig.Side a = rig.a();
      Rig.Side b = rig.b();
      RecvWr recv = new RecvWr(1).addSge(b.mr.lkey(), b.mr.iova(), 64);
      measure(
          () -> {
            expect(b.qp.postReceive(recv) == PostStatus.OK);
            a.qp.wrStart();
            a.qp.wrFlags(SendFlags.SIGNALED);
            a.qp.wrRdmaWriteImm(b.mr.rkey(), b.mr.iova(), 5);
            a.qp.wrSetSge(a.mr.lkey(), a.mr.iova(), 64);
            expect(a.qp.wrComplete() == PostStatus.OK);
            sent(a);
            received(b);
          });
    }
  }

  @Test
  @DisplayName("D3, G5: UD: 0 bytes, never blocked")
  void ud() {
    try (Rig rig = Rig.two().connect(QpType.UD, 64, 14, 7, 7)) {
      Rig.Side a = rig.a();
      Rig.Side b = rig.b();
      AddressHandle ah = a.pd.createAh(AhAttr.ofLid(1, b.lid(), 0));
      measure(
          () -> {
            expect(b.qp.postReceive(1, b.mr.lkey(), b.mr.iova(), 104) == PostStatus.OK);
            a.qp.wrStart();
            a.qp.wrFlags(SendFlags.SIGNALED);
            a.qp.wrSend();
            a.qp.wrSetUdAddress(ah, b.qp.qpn(), Rig.QKEY);
            a.qp.wrSetSge(a.mr.lkey(), a.mr.iova(), 64);
            expect(a.qp.wrComplete() == PostStatus.OK);
            sent(a);
            received(b);
          });
    }
  }

  @Test
  @DisplayName("D3, G5: large sends on UD, cut and received together: 0 bytes, never blocked")
  void large() {
    try (Rig rig = Rig.two().connect(QpType.UD, 64, 14, 7, 7)) {
      Rig.Side a = rig.a();
      Rig.Side b = rig.b();
      for (Rig.Side s : rig.sides) {
        int flags = QpCreateFlags.IPOIB_UD_LSO | QpCreateFlags.COALESCED_RECEIVE;
        s.qp = s.pd.createQp(Rig.init(s, QpType.UD, 64).withCreateFlags(flags));
        Rig.bringUp(s, s.qp, 0, 0, 0, 0, 0);
      }
      AddressHandle ah = a.pd.createAh(AhAttr.ofLid(1, b.lid(), 0));
      byte[] header = new byte[44]; // IPv4 and TCP
      ByteBuffer.wrap(header).put(0, (byte) 8).put(4, (byte) 0x45).put(13, (byte) 6);
      header[36] = 0x50;
      MemorySegment h = MemorySegment.ofArray(header);
      measure(
          () -> {
            rig.wire.segments(!rig.wire.segments());
            expect(b.qp.postReceive(1, b.mr.lkey(), b.mr.iova(), 200) == PostStatus.OK);
            expect(b.qp.postReceive(1, b.mr.lkey(), b.mr.iova(), 200) == PostStatus.OK);
            a.qp.wrStart();
            a.qp.wrFlags(SendFlags.SIGNALED);
            a.qp.wrSendTso(h, 0, 44, 100);
            a.qp.wrSetUdAddress(ah, b.qp.qpn(), Rig.QKEY);
            a.qp.wrSetSge(a.mr.lkey(), a.mr.iova(), 150);
            expect(a.qp.wrComplete() == PostStatus.OK);
            sent(a);
            received(b);
            received(b);
          });
    }
  }

  @Test
  @DisplayName("D3: full, wrong state, no completion: refusals allocate nothing either")
  void refusals() {
    try (Rig rig = Rig.two().connect(QpType.RC, 2, 14, 7, 7)) {
      Rig.Side a = rig.a();
      a.qp.postReceive(1, a.mr.lkey(), a.mr.iova(), 64);
      a.qp.postReceive(1, a.mr.lkey(), a.mr.iova(), 64);
      SendWr wrong = new SendWr(1).opcode(WrOpcode.LSO);
      measure(
          () -> {
            expect(a.qp.postReceive(1, a.mr.lkey(), a.mr.iova(), 64) == PostStatus.QUEUE_FULL);
            expect(a.qp.postSend(wrong) == PostStatus.NOT_SUPPORTED);
            expect(a.sendCq.poll(wc, 2) == 0);
          });
    }
  }
}
