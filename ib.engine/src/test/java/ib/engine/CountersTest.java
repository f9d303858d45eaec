package ib.engine;

import static ib.core.verbs.PortCounter.Form.CLASSIC;
import static ib.core.verbs.PortCounter.Form.EXTENDED;
import static ib.core.verbs.PortCounter.Form.RCV_DATA_SL;
import static ib.core.verbs.PortCounter.Form.RCV_ERROR_DETAILS;
import static ib.core.verbs.PortCounter.Form.XMIT_DATA_SL;
import static ib.core.verbs.PortCounter.Form.XMIT_DISCARD_DETAILS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import ib.core.verbs.AhAttr;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.Mtu;
import ib.core.verbs.PhysState;
import ib.core.verbs.PortCounter;
import ib.core.verbs.PortState;
import ib.core.verbs.QpAttr;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.SendFlags;
import ib.core.verbs.WcStatus;
import ib.core.wire.DropReason;
import ib.engine.link.HcaCounter;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
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
      rig.wire.segments(segments);
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

  /** Service levels that have data, with how much. */
  private static String data(Rig.Side side, PortCounter.Form form) {
    return side.hca.portCounters(1, form).entrySet().stream()
        .filter(e -> e.getValue() != 0)
        .map(e -> e.getKey().serviceLevel() + ":" + e.getValue())
        .collect(Collectors.joining(" "));
  }

  private static void reconnect(Rig.Side s, Rig.Side peer, int sl) {
    s.qp.modify(new QpAttr().state(QpState.RESET));
    s.qp.modify(new QpAttr().state(QpState.INIT).pkeyIndex(0).port(1).accessFlags(Rig.ALL_ACCESS));
    s.qp.modify(
        new QpAttr()
            .state(QpState.RTR)
            .av(AhAttr.ofLid(1, peer.lid(), sl))
            .pathMtu(Mtu.MTU_1024)
            .destQpn(peer.qp.qpn())
            .rqPsn(0xfffffe)
            .maxDestRdAtomic(4)
            .minRnrTimer(1));
    s.qp.modify(
        new QpAttr()
            .state(QpState.RTS)
            .sqPsn(0xfffffe)
            .timeout(14)
            .retryCount(7)
            .rnrRetry(7)
            .maxRdAtomic(4));
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  @DisplayName("B5: data by service level, however the wire carries it; each has its own reset")
  void serviceLevels(boolean segments) {
    try (Rig rig = Rig.two().connect(QpType.RC)) {
      rig.wire.segments(segments);
      Rig.Side a = rig.a();
      Rig.Side b = rig.b();
      request(rig, false, 64);
      int first = (LRH_BTH_ICRC + 16 + 64) / 4;
      int ack = (LRH_BTH_ICRC + 4) / 4;
      reconnect(a, b, 3);
      reconnect(b, a, 3);
      request(rig, false, 128);
      int second = (LRH_BTH_ICRC + 16 + 128) / 4;
      String sent = "0:" + first + " 3:" + second;
      String answered = "0:" + ack + " 3:" + ack;
      assertEquals(sent, data(a, XMIT_DATA_SL));
      assertEquals(sent, data(b, RCV_DATA_SL));
      assertEquals(answered, data(b, XMIT_DATA_SL));
      assertEquals(answered, data(a, RCV_DATA_SL));
      assertEquals(2L, a.hca.counters(1).get("sent_pkts"), "nothing twice");
      reconnect(a, b, 3);
      reconnect(b, a, 15); // who answers has its own
      request(rig, false, 128);
      assertEquals("0:" + first + " 3:" + 2 * second, data(a, XMIT_DATA_SL));
      assertEquals("0:" + first + " 3:" + 2 * second, data(b, RCV_DATA_SL));
      assertEquals(answered + " 15:" + ack, data(b, XMIT_DATA_SL));
      assertEquals(answered + " 15:" + ack, data(a, RCV_DATA_SL));
      assertEquals(first + 2 * second, count(a, PortCounter.XMIT_DATA));
      a.hca.resetPortCounters(1, XMIT_DATA_SL, Set.of(PortCounter.XMIT_DATA_SL3));
      assertEquals("0:" + first, data(a, XMIT_DATA_SL));
      assertEquals(first + 2 * second, count(a, PortCounter.XMIT_DATA));
      assertEquals(answered + " 15:" + ack, data(a, RCV_DATA_SL));
    }
  }

  @Test
  @DisplayName("B5: PortRcvErrorDetails: damaged packets and malformed ones, PortRcvErrors is both")
  void errorDetails() {
    try (Rig rig = Rig.two()) {
      for (DropReason reason : DropReason.values()) {
        rig.a().hca.port(1).dropped(reason);
      }
      Map<PortCounter, Long> details = rig.a().hca.portCounters(1, RCV_ERROR_DETAILS);
      assertEquals(2, details.get(PortCounter.LOCAL_PHYSICAL_ERRORS), "ICRC and VCRC");
      int others = DropReason.values().length - 4; // and neither OPCODE nor NOT_ROCE
      assertEquals(others, details.get(PortCounter.MALFORMED_PACKET_ERRORS));
      assertEquals(6, details.size());
      assertEquals(2 + others, count(rig.a(), PortCounter.RCV_ERRORS));
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  @DisplayName("a read is one packet out, and as many back as its data needs")
  void read(boolean segments) {
    try (Rig rig = Rig.two().connect(QpType.RC)) {
      rig.wire.segments(segments);
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
      Map<PortCounter, Long> details = rig.a().hca.portCounters(1, XMIT_DISCARD_DETAILS);
      assertEquals(1, details.get(PortCounter.INACTIVE_DISCARDS), "B5");
      assertEquals(4, details.size());
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
