package ib.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import ib.core.verbs.AddressHandle;
import ib.core.verbs.AhAttr;
import ib.core.verbs.MemoryRegion;
import ib.core.verbs.Mtu;
import ib.core.verbs.PortCounter;
import ib.core.verbs.PostStatus;
import ib.core.verbs.QpAttr;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.SendFlags;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WorkCompletion;
import ib.engine.run.RunList;
import java.lang.foreign.Arena;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Datagrams that a queue pair does not give to its consumer: each is counted by its reason (D11).
 */
class DatagramRefusalTest {
  private static final int GRH = 40;
  private static final int MAD = 256;

  private final Rig rig = Rig.two();
  private final Rig.Side a = rig.a();
  private final Rig.Side b = rig.b();
  private final Map<String, Long> before = new TreeMap<>();

  @AfterEach
  void close() {
    rig.close();
  }

  private void connect(QpType type) {
    if (type == QpType.UD) {
      rig.connect(type);
    } else {
      for (Rig.Side s : rig.sides) {
        s.qp = s.pd.createQp(Rig.init(s, type, 8).withPort(1));
        Rig.toRtr(s.qp, 0, 0, Mtu.MTU_256);
        s.qp.modify(new QpAttr().state(QpState.RTS).sqPsn(1));
      }
    }
    before.putAll(b.hca.counters(1));
  }

  private void send(MemoryRegion mr, int length) {
    send(mr, Rig.QKEY, length);
  }

  private void send(MemoryRegion mr, int qkey, int length) {
    AddressHandle ah = a.pd.createAh(AhAttr.ofLid(1, b.lid(), 0));
    a.qp.wrStart();
    a.qp.wrId(length).wrFlags(SendFlags.SIGNALED);
    a.qp.wrSend();
    a.qp.wrSetUdAddress(ah, b.qp.qpn(), qkey);
    a.qp.wrSetSge(mr.lkey(), mr.iova(), length);
    assertEquals(PostStatus.OK, a.qp.wrComplete());
    ah.close();
  }

  private void sent(int length) {
    send(a.mr, length);
    assertEquals(WcStatus.SUCCESS, Rig.await(a.sendCq).status(), "the sender is not told");
  }

  private void receive(int lkey, int length) {
    assertEquals(PostStatus.OK, b.qp.postReceive(1, lkey, b.mr.iova(), length));
  }

  private void counted(String... names) {
    Map<String, Long> found = new TreeMap<>();
    b.hca.counters(1).forEach((name, n) -> found.merge(name, n - before.get(name), Long::sum));
    found.values().removeIf(n -> n == 0);
    Map<String, Long> expected = new TreeMap<>();
    for (String name : names) {
      expected.merge(name, 1L, Long::sum);
    }
    assertEquals(expected, found);
  }

  @Test
  @DisplayName("IBA 9.6.1.1.1: in ERR it takes none")
  void state() {
    connect(QpType.UD);
    b.qp.modify(new QpAttr().state(QpState.ERR));
    sent(8);
    counted("rcvd_pkts", "drop_qp_state");
  }

  @Test
  @DisplayName("IBA 10.2.5: one with another Q_Key is counted, and takes no receive")
  void qkey() {
    connect(QpType.UD);
    receive(b.mr.lkey(), GRH + 8);
    send(a.mr, Rig.QKEY + 1, 8);
    assertEquals(WcStatus.SUCCESS, Rig.await(a.sendCq).status());
    counted("rcvd_pkts", "drop_qkey");
    sent(8);
    assertEquals(GRH + 8, Rig.await(b.recvCq).byteLen());
  }

  @Test
  @DisplayName("IBA 9.8.3: without a receive it is dropped; the next one arrives")
  void noReceive() {
    connect(QpType.UD);
    sent(8);
    counted("rcvd_pkts", "drop_no_receive");
    receive(b.mr.lkey(), GRH + 8);
    sent(8);
    assertEquals(GRH + 8, Rig.await(b.recvCq).byteLen());
    counted("rcvd_pkts", "drop_no_receive", "rcvd_pkts", "rdma_recvs");
  }

  @ParameterizedTest
  @ValueSource(strings = {"GSI", "SMI"})
  @DisplayName(
      "IBA 13.4.2, 16.1.4: QP0 and QP1 take MADs of 256 bytes; those without a receive"
          + " have port counters of their own")
  void special(String name) {
    boolean gsi = name.equals("GSI");
    connect(QpType.valueOf(name));
    sent(MAD);
    counted("rcvd_pkts", "drop_no_receive");
    Map<PortCounter, Long> port = b.hca.portCounters(1, PortCounter.Form.CLASSIC);
    assertEquals(gsi ? 0L : 1L, port.get(PortCounter.VL15_DROPPED));
    assertEquals(gsi ? 1L : 0L, port.get(PortCounter.QP1_DROPPED));
    receive(b.mr.lkey(), GRH + MAD);
    sent(MAD - 4);
    counted("rcvd_pkts", "drop_no_receive", "rcvd_pkts", "drop_length");
    Rig.assertEmpty(b.recvCq);
    sent(MAD);
    assertEquals(GRH + MAD, Rig.await(b.recvCq).byteLen());
    assertEquals(QpState.RTS, b.qp.state());
  }

  @Test
  @DisplayName(
      "IBA 10.7.3: a receive of memory that is not there completes with LOC_PROT_ERR, and the"
          + " queue pair is in ERR")
  void badReceive() {
    connect(QpType.UD);
    receive(b.mr.lkey() ^ 1, GRH + 8);
    sent(8);
    WorkCompletion wc = Rig.await(b.recvCq);
    assertEquals(WcStatus.LOC_PROT_ERR, wc.status());
    assertEquals(1, wc.wrId());
    assertEquals(QpState.ERR, b.qp.state());
    counted("rcvd_pkts");
  }

  @Test
  @DisplayName("IBA 9.8.3.1: a receive that is one byte too short completes with LOC_LEN_ERR")
  void shortReceive() {
    connect(QpType.UD);
    receive(b.mr.lkey(), GRH + 7);
    sent(8);
    assertEquals(WcStatus.LOC_LEN_ERR, Rig.await(b.recvCq).status());
    assertEquals(QpState.ERR, b.qp.state());
  }

  @Test
  @DisplayName(
      "D6: the memory of the sender goes away under way: dropped, the receive stays, the"
          + " sender has LOC_PROT_ERR")
  void fault() {
    connect(QpType.UD);
    Arena arena = Arena.ofShared();
    MemoryRegion gone = a.pd.registerMemory(arena.allocate(64), Rig.ALL_ACCESS);
    receive(b.mr.lkey(), GRH + 8);
    rig.wire.holds(p -> true);
    send(gone, 8);
    arena.close();
    rig.wire.holds(null);
    rig.wire.deliverHeld(p -> true, RunList.ofBatches(1 << 20));
    assertEquals(WcStatus.LOC_PROT_ERR, Rig.await(a.sendCq).status());
    assertEquals(QpState.SQE, a.qp.state());
    counted("rcvd_pkts", "drop_fault");
    Rig.assertEmpty(b.recvCq);
    a.qp.modify(new QpAttr().state(QpState.RTS));
    sent(8);
    assertEquals(GRH + 8, Rig.await(b.recvCq).byteLen());
  }
}
