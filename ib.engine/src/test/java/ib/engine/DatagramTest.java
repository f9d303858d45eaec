package ib.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.AddressHandle;
import ib.core.verbs.AhAttr;
import ib.core.verbs.Gid;
import ib.core.verbs.GlobalRoute;
import ib.core.verbs.IbBusyException;
import ib.core.verbs.IbExistsException;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.Mtu;
import ib.core.verbs.PortCounter;
import ib.core.verbs.PostStatus;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.QueuePair;
import ib.core.verbs.SendFlags;
import ib.core.verbs.WcFlags;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WorkCompletion;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class DatagramTest {
  private static final Gid GROUP = new Gid(0xff12_0000_0000_0000L, 0x42);

  private static int send(
      Rig.Side s, QueuePair qp, AddressHandle ah, int qpn, int qkey, int length) {
    qp.wrStart();
    qp.wrId(length).wrFlags(SendFlags.SIGNALED);
    qp.wrSendImm(5);
    qp.wrSetUdAddress(ah, qpn, qkey);
    qp.wrSetSge(s.mr.lkey(), s.mr.iova(), length);
    return qp.wrComplete();
  }

  private static void receive(Rig.Side s, int length) {
    assertEquals(PostStatus.OK, s.qp.postReceive(1, s.mr.lkey(), s.mr.iova(), length));
  }

  @Test
  @DisplayName(
      "IBA 11.4.1.2: 40 bytes are reserved and not written without a GRH; byteLen counts them")
  void local() {
    try (Rig rig = Rig.two().connect(QpType.UD)) {
      Rig.Side a = rig.a();
      Rig.Side b = rig.b();
      a.mr.segment().fill((byte) 7);
      AddressHandle ah = a.pd.createAh(AhAttr.ofLid(1, b.lid(), 3));
      for (int length : new int[] {0, 1, 2047, 4096}) {
        b.mr.segment().fill((byte) 0x33);
        receive(b, 40 + 4096);
        assertEquals(PostStatus.OK, send(a, a.qp, ah, b.qp.qpn(), Rig.QKEY, length));
        ah.query();
        assertEquals(WcStatus.SUCCESS, Rig.next(a.sendCq).status());
        WorkCompletion wc = Rig.next(b.recvCq);
        assertEquals(40 + length, wc.byteLen());
        assertEquals(a.qp.qpn(), wc.srcQp());
        assertEquals(a.lid(), wc.slid());
        assertEquals(3, wc.sl());
        assertEquals(5, wc.immData());
        assertEquals(WcFlags.WITH_IMM, wc.wcFlags());
        for (int i = 0; i < 40; i++) {
          assertEquals(0x33, b.mr.segment().get(ValueLayout.JAVA_BYTE, i), "reserved byte " + i);
        }
        if (length > 0) {
          assertEquals(7, b.mr.segment().get(ValueLayout.JAVA_BYTE, 40));
          assertEquals(7, b.mr.segment().get(ValueLayout.JAVA_BYTE, 39 + length));
        }
        assertEquals(0x33, b.mr.segment().get(ValueLayout.JAVA_BYTE, 40 + length));
      }
      ah.close();
    }
  }

  private static byte[] bytes(Rig.Side s) {
    Gid gid = s.device.gid(1, 0);
    return ByteBuffer.allocate(16).putLong(gid.high()).putLong(gid.low()).array();
  }

  @Test
  @DisplayName("IBA 8.3: the GRH is in the buffer; createAhFromCompletion answers with it")
  void global() {
    try (Rig rig = Rig.two().connect(QpType.UD)) {
      Rig.Side a = rig.a();
      Rig.Side b = rig.b();
      GlobalRoute route = new GlobalRoute(b.device.gid(1, 0), 0x12345, 0, 9, 0x44);
      AddressHandle ah = a.pd.createAh(AhAttr.ofLid(1, b.lid(), 0, route));
      receive(b, 140);
      assertEquals(PostStatus.OK, send(a, a.qp, ah, b.qp.qpn(), Rig.QKEY, 99));
      ah.close(); // S5: right after the post
      WorkCompletion wc = Rig.next(b.recvCq);
      assertEquals(WcFlags.GRH | WcFlags.WITH_IMM, wc.wcFlags());
      MemorySegment grh = b.mr.segment().asSlice(0, 40);
      ValueLayout.OfInt word = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
      assertEquals(6 << 28 | 0x44 << 20 | 0x12345, grh.get(word, 0));
      int bytes = 12 + 8 + 4 + 99 + 1 + 4; // BTH, DETH, immediate, payload, padding, ICRC
      assertEquals(bytes << 16 | 0x1b << 8 | 9, grh.get(word, 4));
      assertEquals(-1, grh.asSlice(8, 16).mismatch(MemorySegment.ofArray(bytes(a))));
      assertEquals(-1, grh.asSlice(24, 16).mismatch(MemorySegment.ofArray(bytes(b))));
      AddressHandle back = b.pd.createAhFromCompletion(wc, grh, 1);
      assertEquals(a.device.gid(1, 0), back.query().grh().dgid());
      assertEquals(0x12345, back.query().grh().flowLabel());
      receive(a, 140);
      assertEquals(PostStatus.OK, send(b, b.qp, back, wc.srcQp(), Rig.QKEY, 4));
      assertEquals(44, Rig.next(a.recvCq).byteLen());
    }
  }

  @Test
  @DisplayName("IBA 10.2.5, 9.6.1.1.3: wrong Q_Key or P_Key is dropped and counted")
  void keys() {
    try (Rig rig = Rig.two().connect(QpType.UD)) {
      Rig.Side a = rig.a();
      Rig.Side b = rig.b();
      AddressHandle ah = a.pd.createAh(AhAttr.ofLid(1, b.lid(), 0));
      receive(b, 140);
      assertEquals(PostStatus.OK, send(a, a.qp, ah, b.qp.qpn(), 0x22, 4));
      assertEquals(WcStatus.SUCCESS, Rig.next(a.sendCq).status());
      Rig.assertEmpty(b.recvCq);
      assertEquals(1, b.device.queryPort(1).qkeyViolationCounter());
      // the top bit stands for the queue pair's own Q_Key
      assertEquals(PostStatus.OK, send(a, a.qp, ah, b.qp.qpn(), 0x80000000, 4));
      assertEquals(44, Rig.next(b.recvCq).byteLen());
      Rig.next(a.sendCq);
      a.hca.port(1).pkey(0, 0x1234);
      assertEquals(PostStatus.OK, send(a, a.qp, ah, b.qp.qpn(), Rig.QKEY, 4));
      assertEquals(1, b.device.queryPort(1).badPkeyCounter());
      assertEquals("QP", rig.wire.violations.toString(), "the fabric is told, for its traps");
      a.hca.port(1).pkey(0, 0x7fff); // a limited member to a full one
      receive(b, 140);
      assertEquals(PostStatus.OK, send(a, a.qp, ah, b.qp.qpn(), Rig.QKEY, 4));
      assertEquals(44, Rig.next(b.recvCq).byteLen());
      b.hca.port(1).pkey(0, 0x7fff); // two limited members may not talk
      assertEquals(PostStatus.OK, send(a, a.qp, ah, b.qp.qpn(), Rig.QKEY, 4));
      assertEquals(2, b.device.queryPort(1).badPkeyCounter());
    }
  }

  @Test
  @DisplayName(
      "IBA 10.3.1: too long for the port is LOC_LEN_ERR and SQE; receiving goes on; RTS again")
  void tooLong() {
    try (Rig rig = Rig.two().connect(QpType.UD)) {
      Rig.Side a = rig.a();
      Rig.Side b = rig.b();
      AddressHandle ah = a.pd.createAh(AhAttr.ofLid(1, b.lid(), 0));
      assertEquals(PostStatus.OK, send(a, a.qp, ah, b.qp.qpn(), Rig.QKEY, 4097));
      assertEquals(WcStatus.LOC_LEN_ERR, Rig.next(a.sendCq).status());
      assertEquals(QpState.SQE, a.qp.state());
      assertEquals(PostStatus.OK, send(a, a.qp, ah, b.qp.qpn(), Rig.QKEY, 1));
      assertEquals(WcStatus.WR_FLUSH_ERR, Rig.next(a.sendCq).status());
      receive(a, 100);
      AddressHandle back = b.pd.createAh(AhAttr.ofLid(1, a.lid(), 0));
      assertEquals(PostStatus.OK, send(b, b.qp, back, a.qp.qpn(), Rig.QKEY, 1));
      assertEquals(41, Rig.next(a.recvCq).byteLen());
      a.qp.modify(new ib.core.verbs.QpAttr().state(QpState.RTS));
      receive(b, 100);
      assertEquals(PostStatus.OK, send(a, a.qp, ah, b.qp.qpn(), Rig.QKEY, 1));
      assertEquals(WcStatus.SUCCESS, Rig.next(a.sendCq).status());
      assertEquals(41, Rig.next(b.recvCq).byteLen());
    }
  }

  @Test
  @DisplayName("IBA 11.6.2: a receive too small for a datagram is LOC_LEN_ERR and ERR")
  void receiveTooSmall() {
    try (Rig rig = Rig.two().connect(QpType.UD)) {
      Rig.Side a = rig.a();
      Rig.Side b = rig.b();
      AddressHandle ah = a.pd.createAh(AhAttr.ofLid(1, b.lid(), 0));
      receive(b, 43);
      assertEquals(PostStatus.OK, send(a, a.qp, ah, b.qp.qpn(), Rig.QKEY, 4));
      assertEquals(WcStatus.LOC_LEN_ERR, Rig.next(b.recvCq).status());
      assertEquals(QpState.ERR, b.qp.state());
      assertEquals(WcStatus.SUCCESS, Rig.next(a.sendCq).status());
    }
  }

  @Test
  @DisplayName(
      "S2: an address handle needs an existing port and address; another domain's is refused")
  void badHandles() {
    try (Rig rig = Rig.two().connect(QpType.UD)) {
      Rig.Side a = rig.a();
      assertThrows(IbInvalidException.class, () -> a.pd.createAh(AhAttr.ofLid(2, 1, 0)));
      assertThrows(IbInvalidException.class, () -> a.pd.createAh(AhAttr.ofLid(1, 0, 0)));
      GlobalRoute off = GlobalRoute.to(GROUP, 9999);
      assertThrows(IbInvalidException.class, () -> a.pd.createAh(AhAttr.ofLid(1, 1, 0, off)));
      AddressHandle other = a.device.allocPd().createAh(AhAttr.ofLid(1, 1, 0));
      assertEquals(PostStatus.INVALID, send(a, a.qp, other, 5, 0, 1));
      assertEquals(PostStatus.INVALID, send(a, a.qp, null, 5, 0, 1));
    }
  }

  @Test
  @DisplayName("S5, IBA 10.5: multicast reaches every member, the sender's own device included")
  void multicast() {
    try (Rig rig = Rig.two().connect(QpType.UD)) {
      Rig.Side a = rig.a();
      Rig.Side b = rig.b();
      QueuePair second = b.pd.createQp(Rig.init(b, QpType.UD, 8));
      Rig.bringUp(b, second, 0, 0, 0, 0, 0);
      AddressHandle ah = a.pd.createAh(AhAttr.ofLid(1, 0xc001, 0, GlobalRoute.to(GROUP, 0)));
      assertThrows(IbInvalidException.class, () -> b.qp.detachMulticast(GROUP, 0xc001));
      a.qp.attachMulticast(GROUP, 0xc001);
      b.qp.attachMulticast(GROUP, 0xc001);
      assertThrows(IbExistsException.class, () -> b.qp.attachMulticast(GROUP, 0xc001));
      second.attachMulticast(GROUP, 0xc001);
      receive(a, 140);
      receive(b, 140);
      second.postReceive(2, b.mr.lkey(), b.mr.iova() + 4096, 140);
      assertEquals(PostStatus.OK, send(a, a.qp, ah, 0xffffff, Rig.QKEY, 8));
      assertEquals(WcStatus.SUCCESS, Rig.next(a.sendCq).status());
      assertEquals(48, Rig.next(a.recvCq).byteLen());
      assertEquals(48, Rig.next(b.recvCq).byteLen());
      assertEquals(48, Rig.next(b.recvCq).byteLen());
      var counted = a.hca.portCounters(1, PortCounter.Form.EXTENDED);
      assertEquals(1, counted.get(PortCounter.MULTICAST_XMIT_PKTS), "D11");
      assertEquals(0, counted.get(PortCounter.UNICAST_XMIT_PKTS), "D11");
      assertThrows(IbBusyException.class, second::close, "5.4: QP <- multicast attach");
      second.detachMulticast(GROUP, 0xc001);
      second.close();
      b.qp.detachMulticast(GROUP, 0xc001);
      receive(b, 140);
      receive(a, 140);
      assertEquals(PostStatus.OK, send(a, a.qp, ah, 0xffffff, Rig.QKEY, 8));
      assertEquals(48, Rig.next(a.recvCq).byteLen());
      Rig.assertEmpty(b.recvCq);
      assertTrue(b.hca.counters(1).get("drop_no_group") > 0);
    }
  }

  @Test
  @DisplayName("IBA 10.9: QP0 and QP1 exist once per port and talk by their fixed numbers")
  void special() {
    try (Rig rig = Rig.two()) {
      Rig.Side a = rig.a();
      Rig.Side b = rig.b();
      for (Rig.Side s : rig.sides) {
        s.qp = s.pd.createQp(Rig.init(s, QpType.GSI, 8).withPort(1));
        assertEquals(1, s.qp.qpn());
        Rig.toRtr(s.qp, 0, 0, Mtu.MTU_256);
        s.qp.modify(new ib.core.verbs.QpAttr().state(QpState.RTS).sqPsn(0));
        assertThrows(
            IbExistsException.class, () -> s.pd.createQp(Rig.init(s, QpType.GSI, 8).withPort(1)));
      }
      QueuePair smi = a.pd.createQp(Rig.init(a, QpType.SMI, 8).withPort(1));
      assertEquals(0, smi.qpn());
      AddressHandle ah = a.pd.createAh(AhAttr.ofLid(1, b.lid(), 0));
      receive(b, 300);
      for (int bytes : new int[] {0, 200, 255}) { // IBA 13.4.2: dropped, and takes no receive
        assertEquals(PostStatus.OK, send(a, a.qp, ah, 1, Rig.QKEY, bytes));
      }
      assertEquals(PostStatus.OK, send(a, a.qp, ah, 1, Rig.QKEY, 256));
      assertEquals(296, Rig.next(b.recvCq).byteLen());
      assertEquals(QpState.RTS, b.qp.state());
    }
  }
}
