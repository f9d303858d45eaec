package ib.engine;

import static ib.core.verbs.PortCounter.Form.CLASSIC;
import static ib.core.verbs.PortCounter.Form.EXTENDED;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import ib.core.verbs.IbInvalidException;
import ib.core.verbs.PhysState;
import ib.core.verbs.PortCounter;
import ib.core.verbs.PortState;
import ib.core.verbs.QpAttr;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.SendFlags;
import ib.core.verbs.WcStatus;
import ib.core.wire.DropReason;
import ib.engine.qp.HcaCounter;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("D11, IBA 16.1.3.5: what a port counts")
class CountersTest {
  private static final int LRH_BTH_ICRC = 24;

  private static void request(Rig rig, boolean read, int length) {
    Rig.Side a = rig.a();
    a.qp.wrStart();
    a.qp.wrId(1).wrFlags(SendFlags.SIGNALED);
    if (read) {
      a.qp.wrRdmaRead(rig.b().mr.rkey(), rig.b().mr.iova());
    } else {
      a.qp.wrRdmaWrite(rig.b().mr.rkey(), rig.b().mr.iova());
    }
    a.qp.wrSetSge(a.mr.lkey(), a.mr.iova(), length);
    assertEquals(0, a.qp.wrComplete());
    assertEquals(WcStatus.SUCCESS, Rig.await(a.sendCq).status());
  }

  private static long count(Rig.Side side, PortCounter counter) {
    PortCounter.Form form = counter.in(EXTENDED) ? EXTENDED : CLASSIC;
    return side.hca.portCounters(1, form).get(counter);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  @DisplayName(
      "data in words from LRH to ICRC, packets of the path MTU, however the wire carries it")
  void write(boolean segments) {
    try (Rig rig = Rig.two().connect(QpType.RC)) {
      rig.wire.segments = segments;
      request(rig, false, 3001); // 1024 + 1024 + 953, padded by 3
      long request = (3 * LRH_BTH_ICRC + 16 + 3004) / 4; // RETH once
      long ack = (LRH_BTH_ICRC + 4) / 4;
      assertEquals(3, count(rig.a(), PortCounter.XMIT_PKTS));
      assertEquals(3, count(rig.b(), PortCounter.RCV_PKTS));
      assertEquals(request, count(rig.a(), PortCounter.XMIT_DATA));
      assertEquals(request, count(rig.b(), PortCounter.RCV_DATA));
      assertEquals(1, count(rig.b(), PortCounter.XMIT_PKTS));
      assertEquals(ack, count(rig.b(), PortCounter.XMIT_DATA));
      assertEquals(ack, count(rig.a(), PortCounter.RCV_DATA));
      assertEquals(3, count(rig.b(), PortCounter.UNICAST_RCV_PKTS));
      assertEquals(3L, rig.a().hca.counters(1).get("sent_pkts"));
      assertEquals(3L, rig.b().hca.counters(1).get("rcvd_pkts"));
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  @DisplayName("a read is one packet out, and as many back as its data needs")
  void read(boolean segments) {
    try (Rig rig = Rig.two().connect(QpType.RC)) {
      rig.wire.segments = segments;
      request(rig, true, 2048 + 5);
      assertEquals(1, count(rig.a(), PortCounter.XMIT_PKTS));
      assertEquals((LRH_BTH_ICRC + 16) / 4, count(rig.a(), PortCounter.XMIT_DATA));
      assertEquals(3, count(rig.a(), PortCounter.RCV_PKTS));
      assertEquals((3 * LRH_BTH_ICRC + 2 * 4 + 2048 + 8) / 4, count(rig.a(), PortCounter.RCV_DATA));
    }
  }

  @Test
  @DisplayName("a reset sets the selected counters of one attribute to 0 and no other")
  void reset() {
    try (Rig rig = Rig.two().connect(QpType.RC)) {
      request(rig, false, 64);
      Rig.Side a = rig.a();
      a.hca.resetPortCounters(1, CLASSIC, Set.of(PortCounter.XMIT_PKTS));
      Map<PortCounter, Long> classic = a.hca.portCounters(1, CLASSIC);
      assertEquals(0L, classic.get(PortCounter.XMIT_PKTS));
      assertEquals(1L, classic.get(PortCounter.RCV_PKTS));
      assertEquals(1L, a.hca.portCounters(1, EXTENDED).get(PortCounter.XMIT_PKTS));
      request(rig, false, 64);
      assertEquals(1L, a.hca.portCounters(1, CLASSIC).get(PortCounter.XMIT_PKTS));
      assertEquals(2L, a.hca.portCounters(1, EXTENDED).get(PortCounter.XMIT_PKTS));
      assertEquals(2L, a.hca.counters(1).get("sent_pkts"), "hardware counters stay");
      assertThrows(
          IbInvalidException.class,
          () -> a.hca.resetPortCounters(1, EXTENDED, Set.of(PortCounter.LINK_DOWNED)));
    }
  }

  @Test
  @DisplayName("counters stay when their queue pair is destroyed")
  void destroyed() {
    try (Rig rig = Rig.two().connect(QpType.RC)) {
      request(rig, false, 64);
      Map<String, Long> before = rig.a().hca.counters(1);
      rig.a().qp.close();
      assertEquals(before, rig.a().hca.counters(1));
      assertEquals(1, count(rig.a(), PortCounter.XMIT_PKTS));
    }
  }

  @Test
  @DisplayName("B4: rdma_sends and rdma_recvs count what succeeded, not what was flushed")
  void flushed() {
    try (Rig rig = Rig.two().connect(QpType.RC)) {
      request(rig, false, 64);
      Rig.Side b = rig.b();
      for (int i = 0; i < 8; i++) {
        assertEquals(0, b.qp.postReceive(i, b.mr.lkey(), b.mr.iova(), 64));
      }
      for (Rig.Side s : rig.sides) {
        s.qp.modify(new QpAttr().state(QpState.ERR));
        s.qp.wrStart();
        s.qp.wrId(1);
        s.qp.wrSend();
        s.qp.wrSetSge(s.mr.lkey(), s.mr.iova(), 8);
        assertEquals(0, s.qp.wrComplete());
        assertEquals(WcStatus.WR_FLUSH_ERR, Rig.await(s.sendCq).status());
      }
      assertEquals(WcStatus.WR_FLUSH_ERR, Rig.await(b.recvCq).status());
      rig.sides.forEach(s -> s.qp.close());
      assertEquals(1L, rig.a().hca.counters(1).get("rdma_sends"));
      assertEquals(0L, b.hca.counters(1).get("rdma_sends"));
      assertEquals(0L, b.hca.counters(1).get("rdma_recvs"));
    }
  }

  @Test
  @DisplayName("a port that goes down counts it, and what cannot be sent any more")
  void down() {
    try (Rig rig = Rig.two().connect(QpType.UC)) {
      rig.a().hca.port(1).state(PortState.DOWN, PhysState.POLLING);
      rig.a().qp.wrStart();
      rig.a().qp.wrId(1);
      rig.a().qp.wrSend();
      rig.a().qp.wrSetSge(rig.a().mr.lkey(), rig.a().mr.iova(), 8);
      assertEquals(0, rig.a().qp.wrComplete());
      assertEquals(1, count(rig.a(), PortCounter.LINK_DOWNED));
      assertEquals(1, count(rig.a(), PortCounter.XMIT_DISCARDS));
      assertEquals(0, count(rig.a(), PortCounter.XMIT_PKTS));
    }
  }

  @Test
  @DisplayName("IBA 16.1.3.5: classic counters stick at the end of their 4 to 32 bits")
  void saturates() {
    assertEquals(15, PortCounter.LOCAL_LINK_INTEGRITY_ERRORS.value(CLASSIC, 16));
    assertEquals(255, PortCounter.LINK_DOWNED.value(CLASSIC, 1 << 20));
    assertEquals(65535, PortCounter.VL15_DROPPED.value(CLASSIC, 65536));
    assertEquals(0xffffffffL, PortCounter.XMIT_DATA.value(CLASSIC, 1L << 40));
    assertEquals(1L << 40, PortCounter.XMIT_DATA.value(EXTENDED, 1L << 40));
    assertEquals(0xffffffffL, PortCounter.XMIT_DATA.value(CLASSIC, 0xffffffffL));
    assertEquals(
        EnumSet.of(
            PortCounter.XMIT_DATA,
            PortCounter.RCV_DATA,
            PortCounter.XMIT_PKTS,
            PortCounter.RCV_PKTS),
        PortCounter.selected(CLASSIC, 0xf000));
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("D9: every reason to drop what cannot be a packet has a counter of its own")
  void reasons(DropReason reason) {
    try (Rig rig = Rig.two()) {
      Map<String, Long> expected = new TreeMap<>(rig.a().hca.counters(1));
      rig.a().hca.port(1).dropped(reason);
      expected.merge(HcaCounter.of(reason).label(), 1L, Long::sum);
      assertEquals(expected, new TreeMap<>(rig.a().hca.counters(1)));
    }
    long alike = Stream.of(DropReason.values()).map(HcaCounter::of).distinct().count();
    assertEquals(DropReason.values().length, alike);
  }
}
