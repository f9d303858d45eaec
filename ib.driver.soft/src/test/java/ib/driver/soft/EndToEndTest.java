package ib.driver.soft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.AddressHandle;
import ib.core.verbs.AhAttr;
import ib.core.verbs.Gid;
import ib.core.verbs.GlobalRoute;
import ib.core.verbs.IbBusyException;
import ib.core.verbs.Mtu;
import ib.core.verbs.QpType;
import ib.core.verbs.SendFlags;
import ib.core.verbs.WcOpcode;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WorkCompletion;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("Two adapters on one switch, through the midlayer, in one JVM")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class EndToEndTest {
  private static final int GRH = 40;

  private static void fill(Side side, int bytes, int seed) {
    for (int i = 0; i < bytes; i++) {
      side.memory().set(java.lang.foreign.ValueLayout.JAVA_BYTE, i, (byte) (seed + i * 31));
    }
  }

  private static void assertSame(Side from, long fromOffset, Side to, long toOffset, int bytes) {
    assertEquals(
        -1,
        from.memory().asSlice(fromOffset, bytes).mismatch(to.memory().asSlice(toOffset, bytes)));
  }

  @ParameterizedTest(name = "{0} {1} bytes")
  @CsvSource({"RC, 1", "RC, 4096", "RC, 262144", "UC, 1", "UC, 4096", "UC, 262144"})
  @DisplayName("D5 send and receive over the switch, there and back, byte for byte")
  void connected(QpType type, int bytes) {
    try (Lab lab = new Lab("soft0", "soft1")) {
      Side a = lab.side("soft0");
      Side b = lab.side("soft1");
      Side.connect(type, a, b, Mtu.MTU_1024);
      for (int i = 0; i < 50; i++) {
        fill(a, bytes, i);
        b.receive(1, 0, bytes);
        a.receive(2, 1 << 19, bytes);
        a.send(3, 0, bytes);
        assertEquals(bytes, b.next(1).byteLen());
        a.next(3);
        b.send(4, 0, bytes);
        a.next(2);
        b.next(4);
        assertSame(a, 0, a, 1 << 19, bytes);
      }
    }
  }

  @Test
  @DisplayName("RDMA write and read over the switch")
  void rdma() {
    try (Lab lab = new Lab("soft0", "soft1")) {
      Side a = lab.side("soft0");
      Side b = lab.side("soft1");
      Side.connect(QpType.RC, a, b, Mtu.MTU_4096);
      int bytes = 300_000;
      fill(a, bytes, 7);
      a.qp.wrStart();
      a.qp.wrId(1).wrFlags(SendFlags.SIGNALED);
      a.qp.wrRdmaWrite(b.mr.rkey(), b.mr.iova());
      a.qp.wrSetSge(a.mr.lkey(), a.mr.iova(), bytes);
      a.qp.wrId(2);
      a.qp.wrRdmaRead(b.mr.rkey(), b.mr.iova());
      a.qp.wrSetSge(a.mr.lkey(), a.mr.iova() + (1 << 19), bytes);
      assertEquals(0, a.qp.wrComplete());
      a.next(1);
      a.next(2);
      assertSame(a, 0, b, 0, bytes);
      assertSame(a, 0, a, 1 << 19, bytes);
    }
  }

  @Test
  @DisplayName(
      "UD by LID: payload behind 40 bytes, source LID and QPN in the completion, an answer")
  void datagrams() {
    try (Lab lab = new Lab("soft0", "soft1")) {
      Side a = lab.side("soft0");
      Side b = lab.side("soft1");
      Side.connect(QpType.UD, a, b, Mtu.MTU_4096);
      try (AddressHandle ah = a.pd.createAh(AhAttr.ofLid(1, b.lid(), 0))) {
        fill(a, 4096, 3);
        b.receive(1, 0, 4096 + GRH);
        datagram(a, ah, b.qp.qpn(), 4096);
        WorkCompletion wc = b.next(1);
        assertEquals(4096 + GRH, wc.byteLen());
        assertEquals(a.lid(), wc.slid());
        assertEquals(a.qp.qpn(), wc.srcQp());
        assertSame(a, 0, b, GRH, 4096);
        a.next(9);
        try (AddressHandle back = b.pd.createAhFromCompletion(wc, b.memory(), 1)) {
          a.receive(2, 0, 100 + GRH);
          datagram(b, back, wc.srcQp(), 100);
          assertEquals(b.qp.qpn(), a.next(2).srcQp());
          b.next(9);
        }
      }
    }
  }

  private static void datagram(Side from, AddressHandle ah, int qpn, int bytes) {
    from.qp.wrStart();
    from.qp.wrId(9).wrFlags(SendFlags.SIGNALED);
    from.qp.wrSend();
    from.qp.wrSetUdAddress(ah, qpn, Side.QKEY);
    from.qp.wrSetSge(from.mr.lkey(), from.mr.iova(), bytes);
    assertEquals(0, from.qp.wrComplete());
  }

  @Test
  @DisplayName(
      "IBA 10.5 multicast: members get one copy each, on their port only, until they leave")
  void multicast() {
    try (Lab lab = new Lab("soft0", "soft1")) {
      lab.configure("soft2", "ports", 2);
      Side a = lab.side("soft0");
      Side b = lab.side("soft1");
      Side c = lab.side("soft2");
      for (Side s : List.of(a, b, c)) {
        s.open(QpType.UD);
        s.bringUp(s, Mtu.MTU_4096);
        s.receive(1, 4096, 1000);
        s.receive(2, 8192, 1000);
      }
      Gid group = new Gid(0xff12_401b_ffff_0000L, 0x1234L);
      b.qp.attachMulticast(group, 0xC005);
      c.qp.attachMulticast(group, 0xC005);
      AhAttr to = AhAttr.ofLid(1, 0xC005, 0, GlobalRoute.to(group, 0));
      try (AddressHandle ah = a.pd.createAh(to)) {
        datagram(a, ah, 0xFFFFFF, 100);
        a.next(9);
        b.next(1);
        c.next(1);
        b.qp.detachMulticast(group, 0xC005);
        datagram(a, ah, 0xFFFFFF, 100);
        a.next(9);
        c.next(2);
        assertEquals(0, b.cq.poll(new WorkCompletion[] {new WorkCompletion()}, 1));
        assertEquals(0, c.cq.poll(new WorkCompletion[] {new WorkCompletion()}, 1));
      }
      assertThrows(IbBusyException.class, c.qp::close, "an attached queue pair is in use");
      c.qp.detachMulticast(group, 0xC005);
      c.close();
    }
  }

  @Test
  @DisplayName("A device talks to itself, by its own LID, and port to port over the switch")
  void toItself() {
    try (Lab lab = new Lab()) {
      lab.configure("soft0", "ports", 2);
      Side one = lab.side("soft0");
      Side same = lab.side(one.device, 1);
      Side two = lab.side(one.device, 2);
      Side.connect(QpType.RC, one, same, Mtu.MTU_4096);
      same.receive(1, 0, 64);
      one.send(2, 0, 64);
      same.next(1);
      one.next(2);
      Side.connect(QpType.RC, same, two, Mtu.MTU_4096);
      two.receive(1, 0, 64);
      same.send(2, 0, 64);
      two.next(1);
      same.next(2);
    }
  }

  @ParameterizedTest(name = "link of {0} down")
  @CsvSource({"soft0", "soft1"})
  @DisplayName(
      "A cable pulled under a connection: retries, then RETRY_EXC_ERR; put back, it works again")
  void cablePulled(String whose) {
    try (Lab lab = new Lab("soft0", "soft1")) {
      Side a = lab.side("soft0");
      Side b = lab.side("soft1");
      Side.connect(QpType.RC, a, b, Mtu.MTU_4096);
      lab.configure(whose, "link", "down");
      a.send(1, 0, 64);
      WorkCompletion wc = a.next();
      assertEquals(WcStatus.RETRY_EXC_ERR, wc.status());
      lab.configure(whose, "link", "up");
      Side c = lab.side("soft0");
      Side d = lab.side("soft1");
      Side.connect(QpType.RC, c, d, Mtu.MTU_4096);
      d.receive(1, 0, 64);
      c.send(2, 0, 64);
      assertEquals(WcOpcode.RECV, d.next(1).opcode());
      c.next(2);
    }
  }

  @Test
  @DisplayName(
      "IBA 18.2.5 a path MTU larger than the peer's: nothing arrives, and the sender gets an error")
  void mtuMismatch() {
    try (Lab lab = new Lab("soft0")) {
      lab.configure("soft1", "mtu", 1024);
      Side a = lab.side("soft0");
      Side b = lab.side("soft1");
      a.open(QpType.RC);
      b.open(QpType.RC);
      a.bringUp(b, Mtu.MTU_2048);
      b.bringUp(a, Mtu.MTU_1024);
      b.receive(1, 0, 4096);
      a.send(2, 0, 4096);
      assertEquals(WcStatus.RETRY_EXC_ERR, a.next().status());
    }
  }

  @Test
  @DisplayName("A P_Key that the peer no longer has: nothing arrives; given back, it does")
  void pkeys() {
    try (Lab lab = new Lab("soft0", "soft1")) {
      Side a = lab.side("soft0");
      Side b = lab.side("soft1");
      Side.connect(QpType.UC, a, b, Mtu.MTU_4096);
      lab.configure("soft1", "pkeys", "8001");
      b.receive(1, 0, 64);
      a.send(2, 0, 64);
      a.next(2);
      assertEquals(0, b.cq.poll(new WorkCompletion[] {new WorkCompletion()}, 1));
      lab.configure("soft1");
      a.send(3, 0, 64);
      a.next(3);
      b.next(1);
    }
  }

  @Test
  @DisplayName("F35 closed: no thread, no port, no error is left")
  void nothingLeft() {
    Lab lab = new Lab("soft0", "soft1");
    assertFalse(Lab.threads().isEmpty());
    lab.close();
    assertEquals(List.of(), Lab.threads());
    assertEquals(0, lab.fabric.size());
    assertTrue(lab.errors.isEmpty(), lab.errors.toString());
  }
}
