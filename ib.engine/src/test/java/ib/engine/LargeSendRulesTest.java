package ib.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.AddressHandle;
import ib.core.verbs.AhAttr;
import ib.core.verbs.QpAttr;
import ib.core.verbs.QpCap;
import ib.core.verbs.QpCreateFlags;
import ib.core.verbs.QpInit;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.QueuePair;
import ib.core.verbs.SendFlags;
import ib.core.verbs.WcStatus;
import ib.engine.qp.HcaConfig;
import ib.engine.time.VirtualClock;
import ib.engine.wire.Packet;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Sends with segmentation offload, as the wire sees them; in virtual time. */
class LargeSendRulesTest {
  private static final int MTU = 4096;
  private static final int BUDGET = 16 << 10;

  private final Rig rig =
      new Rig(
          new VirtualClock(),
          false,
          HcaConfig.of(0x10, 0x11).withPace(BUDGET, 8192, 16, 4, 128),
          HcaConfig.of(0x20, 0x21).withPace(BUDGET, 8192, 16, 4, 128));
  private final Rig.Side a = rig.a();
  private final Rig.Side b = rig.b();
  private final byte[] header =
      TcpCut.random(RandomGeneratorFactory.of("L64X128MixRandom").create(3), MTU).header();
  private final List<String> sent = new ArrayList<>();
  private AddressHandle ah;

  @BeforeEach
  void connect() {
    a.qp = make(a, QpCreateFlags.IPOIB_UD_LSO);
    b.qp = make(b, QpCreateFlags.COALESCED_RECEIVE);
    ah = a.pd.createAh(AhAttr.ofLid(1, b.lid(), 0));
    for (int i = 0; i < 8; i++) {
      b.qp.postReceive(i, b.mr.lkey(), b.mr.iova(), 1 << 16);
    }
  }

  @AfterEach
  void close() {
    ah.close();
    rig.close();
  }

  private static QueuePair make(Rig.Side s, int flags) {
    QpInit init = new QpInit(QpType.UD, s.sendCq, new QpCap(64, 64, 4, 4, 128));
    QueuePair qp = s.pd.createQp(init.withRecvCq(s.recvCq).withCreateFlags(flags));
    Rig.bringUp(s, qp, 0, 0, 0, 0, 0);
    return qp;
  }

  private int post(int lkey, int mss, int length, int flags) {
    a.qp.wrStart();
    a.qp.wrFlags(SendFlags.SIGNALED | flags);
    a.qp.wrSendTso(MemorySegment.ofArray(header), 0, header.length, mss);
    a.qp.wrSetUdAddress(ah, b.qp.qpn(), Rig.QKEY);
    a.qp.wrSetSge(lkey, a.mr.iova(), length);
    return a.qp.wrComplete();
  }

  private boolean see(Packet p) {
    sent.add(p.psn + (p.solicited ? " solicited" : "") + (p.ackRequest ? " asks" : ""));
    return true;
  }

  private WcStatus status() {
    return Rig.next(a.sendCq).status();
  }

  @Test
  @DisplayName("IBA 9.8.3: each segment has the next number; the last one is solicited")
  void numbers() {
    rig.wire.segments(true);
    rig.wire.loses(this::see);
    assertEquals(0, post(a.mr.lkey(), 1000, 2001, SendFlags.SOLICITED));
    assertEquals(0, post(a.mr.lkey(), 1000, 2000, 0));
    assertEquals(WcStatus.SUCCESS, status());
    assertEquals(WcStatus.SUCCESS, status());
    int first = 0xfffffe;
    assertEquals(List.of(first + "", first + 1 + "", "0 solicited", "1", "2"), sent, "two sends");
  }

  @Test
  @DisplayName("D4: of a segment that leaves as many datagrams, a post sends some")
  void bounded() {
    rig.wire.segments(true);
    rig.wire.loses(this::see);
    assertEquals(0, post(a.mr.lkey(), 1000, 60_000, 0));
    int first = sent.size();
    assertTrue(first > 0 && first * 1000 <= BUDGET, first + " at once");
    rig.settle();
    assertEquals(60, sent.size(), "the worker sends the rest");
    assertEquals(WcStatus.SUCCESS, status());
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @DisplayName("D6: a segment that cannot be read takes no packet with it")
  void packetStays(boolean segments) {
    rig.wire.segments(segments);
    for (int i = 0; i < 40; i++) { // more than the queue pair has packets
      assertEquals(0, post(a.mr.lkey() ^ 1, 1000, 2000, 0));
      assertEquals(WcStatus.LOC_PROT_ERR, status());
      a.qp.modify(new QpAttr().state(QpState.RTS).curState(QpState.SQE));
    }
    assertEquals(0, post(a.mr.lkey(), 1000, 2000, 0));
    rig.settle();
    assertEquals(WcStatus.SUCCESS, status());
    int alone = segments ? 2 : 1;
    for (int i = 0; i < alone; i++) {
      assertEquals(i, Rig.next(b.recvCq).wrId());
    }
    Rig.assertEmpty(b.recvCq);
  }

  @ParameterizedTest(name = "mss {0}, {1} bytes: {2}")
  @CsvSource({
    "-1, 9000, SUCCESS", // header and segment fill the MTU
    "-2, 9000, LOC_LEN_ERR",
    "16, 4096, SUCCESS", // 256 segments
    "16, 4097, LOC_LEN_ERR",
    "1000, 1000, SUCCESS", // one
    "1000, 65536, SUCCESS", // MAX_TSO
    "1000, 65537, LOC_LEN_ERR"
  })
  @DisplayName("a segment fills the MTU; there are 256 at most, of MAX_TSO bytes at most")
  void limits(int mss, int length, WcStatus expected) {
    rig.wire.loses(p -> true);
    assertEquals(0, post(a.mr.lkey(), mss > 0 ? mss : MTU - header.length - mss - 1, length, 0));
    rig.settle();
    assertEquals(expected, status());
  }

  @ParameterizedTest
  @CsvSource({"4096, SUCCESS", "4097, LOC_LEN_ERR"})
  @DisplayName("IBA 9.8.3: a datagram fills the MTU of its port, and is no longer")
  void datagram(int length, WcStatus expected) {
    a.qp.wrStart();
    a.qp.wrFlags(SendFlags.SIGNALED);
    a.qp.wrSend();
    a.qp.wrSetUdAddress(ah, b.qp.qpn(), Rig.QKEY);
    a.qp.wrSetSge(a.mr.lkey(), a.mr.iova(), length);
    assertEquals(0, a.qp.wrComplete());
    rig.settle();
    assertEquals(expected, status());
  }

  @ParameterizedTest
  @ValueSource(ints = {3, 60})
  @DisplayName("B20: it completes when its last packet is back, and waits for packets meanwhile")
  void waits(int segments) {
    rig.wire.segments(true);
    rig.wire.holds(p -> true);
    assertEquals(0, post(a.mr.lkey(), 100, segments * 100, 0));
    rig.settle();
    int seen = 0;
    while (seen < segments) {
      Rig.assertEmpty(a.sendCq);
      int n = rig.wire.held.size();
      assertTrue(n > 0 && n <= 16, n + " packets");
      seen += n;
      rig.wire.deliverHeld(p -> true, b.hca.newRunContext());
      rig.settle();
    }
    assertEquals(segments, seen);
    assertEquals(WcStatus.SUCCESS, status());
  }
}
