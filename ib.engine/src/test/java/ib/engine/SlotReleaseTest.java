package ib.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import ib.core.verbs.AddressHandle;
import ib.core.verbs.AhAttr;
import ib.core.verbs.Mtu;
import ib.core.verbs.PostStatus;
import ib.core.verbs.QpAttr;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.SendFlags;
import ib.core.verbs.WorkCompletion;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** IBA 10.8.5: a request takes a slot until its completion, or one of a later one, is polled. */
@DisplayName("S48: polling frees slots, each of its own request")
class SlotReleaseTest {
  private static final int SIGNALED = SendFlags.SIGNALED;

  private static int write(Rig rig, long id, int flags) {
    Rig.Side a = rig.a();
    a.qp.wrStart();
    a.qp.wrId(id).wrFlags(flags);
    a.qp.wrRdmaWrite(rig.b().mr.rkey(), rig.b().mr.iova());
    a.qp.wrSetSge(a.mr.lkey(), a.mr.iova(), 8);
    return a.qp.wrComplete();
  }

  private static int receive(Rig.Side s, long id) {
    return s.qp.postReceive(id, s.mr.lkey(), s.mr.iova(), 400);
  }

  private static Rig ofTwoSlots() {
    return Rig.two().connect(QpType.RC, 2, 14, 7, 7);
  }

  private static void reset(Rig rig) {
    Rig.Side a = rig.a();
    Rig.Side b = rig.b();
    a.qp.modify(new QpAttr().state(QpState.RESET));
    b.qp.modify(new QpAttr().state(QpState.RESET));
    Rig.bringUp(a, a.qp, b.qp.qpn(), b.lid(), 14, 7, 7);
    Rig.bringUp(b, b.qp, a.qp.qpn(), a.lid(), 14, 7, 7);
  }

  private static void fill(Rig rig, int from) {
    for (int i = from; i < from + 2; i++) {
      assertEquals(PostStatus.OK, write(rig, i, SIGNALED));
      assertEquals(PostStatus.OK, receive(rig.a(), i));
    }
    assertEquals(PostStatus.QUEUE_FULL, write(rig, 9, SIGNALED));
    assertEquals(PostStatus.QUEUE_FULL, receive(rig.a(), 9));
  }

  private static void poll(Rig rig, long id) {
    assertEquals(id, Rig.next(rig.a().sendCq).wrId());
    assertEquals(id, Rig.next(rig.a().recvCq).wrId());
  }

  @Test
  @DisplayName(
      "a completion of the life before a reset, polled late, frees no slot of the new life")
  void reset() {
    try (Rig rig = ofTwoSlots()) {
      Rig.Side a = rig.a();
      fill(rig, 1);
      a.qp.modify(new QpAttr().state(QpState.ERR));
      reset(rig);
      fill(rig, 3);
      a.qp.modify(new QpAttr().state(QpState.ERR)); // all have completed, and none is polled
      poll(rig, 1);
      poll(rig, 2);
      assertEquals(PostStatus.QUEUE_FULL, write(rig, 5, SIGNALED), "those were old");
      assertEquals(PostStatus.QUEUE_FULL, receive(a, 5), "those were old");
      poll(rig, 3);
      assertEquals(PostStatus.OK, write(rig, 5, SIGNALED));
      assertEquals(PostStatus.OK, receive(a, 5));
      assertEquals(PostStatus.QUEUE_FULL, write(rig, 6, SIGNALED));
      assertEquals(PostStatus.QUEUE_FULL, receive(a, 6));
      poll(rig, 4);
      poll(rig, 5);
      a.qp.drain();
    }
  }

  @Test
  @DisplayName("a completion that outlives its queue pair frees no slot of the next at its place")
  void successor() {
    try (Rig rig = ofTwoSlots()) {
      fill(rig, 1);
      rig.a().qp.close(); // flushes the receives
      rig.b().qp.close();
      rig.connect(QpType.RC, 2, 14, 7, 7);
      fill(rig, 3);
      poll(rig, 1);
      poll(rig, 2);
      assertEquals(PostStatus.QUEUE_FULL, write(rig, 5, SIGNALED));
      assertEquals(3, Rig.next(rig.a().sendCq).wrId());
      assertEquals(PostStatus.OK, write(rig, 5, SIGNALED));
    }
  }

  @Test
  @DisplayName("QP1: its requests take slots until they are polled, as those of every queue pair")
  void special() {
    try (Rig rig = Rig.two()) {
      Rig.Side a = rig.a();
      Rig.Side b = rig.b();
      for (Rig.Side s : rig.sides) {
        s.qp = s.pd.createQp(Rig.init(s, QpType.GSI, 2).withPort(1));
        Rig.toRtr(s.qp, 0, 0, Mtu.MTU_256);
        s.qp.modify(new QpAttr().state(QpState.RTS).sqPsn(0));
      }
      AddressHandle ah = a.pd.createAh(AhAttr.ofLid(1, b.lid(), 0));
      for (int i = 0; i < 2; i++) {
        assertEquals(PostStatus.OK, receive(b, i));
      }
      for (int i = 0; i < 2; i++) {
        assertEquals(PostStatus.OK, datagram(a, ah, i));
      }
      assertEquals(PostStatus.QUEUE_FULL, datagram(a, ah, 2), "sent, and not polled");
      assertEquals(PostStatus.QUEUE_FULL, receive(b, 2), "received, and not polled");
      assertEquals(0, Rig.next(a.sendCq).wrId());
      assertEquals(0, Rig.next(b.recvCq).wrId());
      assertEquals(PostStatus.OK, receive(b, 2));
      assertEquals(PostStatus.OK, datagram(a, ah, 2));
      assertEquals(PostStatus.QUEUE_FULL, receive(b, 3));
      assertEquals(PostStatus.QUEUE_FULL, datagram(a, ah, 3));
    }
  }

  private static int datagram(Rig.Side s, AddressHandle ah, int id) {
    s.qp.wrStart();
    s.qp.wrId(id).wrFlags(SIGNALED);
    s.qp.wrSend();
    s.qp.wrSetUdAddress(ah, 1, Rig.QKEY);
    s.qp.wrSetSge(s.mr.lkey(), s.mr.iova(), 256);
    return s.qp.wrComplete();
  }

  @Test
  @DisplayName("requests without completion are free when the completions before them were polled")
  void unsignaled() {
    try (Rig rig = Rig.two().connect(QpType.RC, 4, 14, 7, 7)) {
      for (int i = 0; i < 8; i++) {
        assertEquals(PostStatus.OK, write(rig, i, 0), "none is before them");
      }
      assertEquals(PostStatus.OK, write(rig, 8, SIGNALED));
      for (int i = 9; i < 12; i++) {
        assertEquals(PostStatus.OK, write(rig, i, 0));
      }
      assertEquals(PostStatus.QUEUE_FULL, write(rig, 12, 0), "the one before them is not polled");
      assertEquals(8, Rig.next(rig.a().sendCq).wrId());
      for (int i = 12; i < 16; i++) {
        assertEquals(PostStatus.OK, write(rig, i, 0), "all four");
      }
    }
  }

  @Test
  @DisplayName(
      "one call that polls two queue pairs frees the slots of both, after a resize as well")
  void many() {
    try (Rig rig = ofTwoSlots()) {
      Rig.Side a = rig.a();
      var first = a.qp;
      rig.connect(QpType.RC, 2, 14, 7, 7);
      var second = a.qp;
      WorkCompletion[] wc = new WorkCompletion[8];
      for (int i = 0; i < wc.length; i++) {
        wc[i] = new WorkCompletion();
      }
      for (int lap = 0; lap < 3; lap++) {
        for (int i = 0; i < 2; i++) {
          a.qp = first;
          assertEquals(PostStatus.OK, write(rig, 0, SIGNALED));
          a.qp = second;
          assertEquals(PostStatus.OK, write(rig, 1, SIGNALED));
        }
        assertEquals(PostStatus.QUEUE_FULL, write(rig, 1, SIGNALED));
        if (lap == 1) {
          a.sendCq.resize(8);
        }
        assertEquals(4, a.sendCq.poll(wc, wc.length));
        for (int i = 0; i < 4; i++) {
          assertEquals(i % 2, wc[i].wrId());
        }
      }
    }
  }
}
