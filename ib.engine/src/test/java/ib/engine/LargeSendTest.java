package ib.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import ib.core.spi.PacketCapture.Filter;
import ib.core.spi.PacketCapture.Session;
import ib.core.verbs.AddressHandle;
import ib.core.verbs.AhAttr;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.Limit;
import ib.core.verbs.PortCounter;
import ib.core.verbs.PostStatus;
import ib.core.verbs.QpAttr;
import ib.core.verbs.QpCap;
import ib.core.verbs.QpCreateFlags;
import ib.core.verbs.QpInit;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.QueuePair;
import ib.core.verbs.SendFlags;
import ib.core.verbs.SendWr;
import ib.core.verbs.WcFlags;
import ib.core.verbs.WcOpcode;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WorkCompletion;
import ib.core.verbs.WrOpcode;
import java.io.ByteArrayOutputStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("IPoIB D9, issue 5: sends with segmentation offload, and segments received together")
class LargeSendTest {
  private static final int ROUNDS = Integer.getInteger("ib.largesend.rounds", 300);
  private static final int MTU = 4096;
  private static final int GRH = 40;
  private static final int DEPTH = 512;

  private final Rig rig = Rig.two();
  private final Rig.Side a = rig.a();
  private final Rig.Side b = rig.b();
  private final RandomGenerator random =
      RandomGeneratorFactory.of("L64X128MixRandom").create(20_261_121);
  private AddressHandle ah;
  private int each; // bytes of a receive request

  @BeforeEach
  void send() {
    a.qp = make(a, QpCreateFlags.IPOIB_UD_LSO);
    ah = a.pd.createAh(AhAttr.ofLid(1, b.lid(), 0));
  }

  @AfterEach
  void close() {
    ah.close();
    rig.close();
  }

  private static QueuePair make(Rig.Side s, int flags) {
    QpInit init = new QpInit(QpType.UD, s.sendCq, new QpCap(DEPTH, DEPTH, 4, 4, 128));
    QueuePair qp = s.pd.createQp(init.withRecvCq(s.recvCq).withCreateFlags(flags));
    Rig.bringUp(s, qp, 0, 0, 0, 0, 0);
    return qp;
  }

  private void receiver(int flags, int bytes) {
    if (b.qp != null) {
      b.qp.close();
    }
    each = bytes;
    b.qp = make(b, flags);
  }

  private void receives(int n) {
    for (int i = 0; i < n; i++) {
      long at = b.mr.iova() + (long) i * each;
      assertEquals(PostStatus.OK, b.qp.postReceive(i, b.mr.lkey(), at, each));
    }
  }

  /** Posts it, its data in up to three elements. */
  private int post(TcpCut cut) {
    int odd = 1 + random.nextInt(64);
    MemorySegment.copy(
        cut.data(), 0, a.mr.segment(), ValueLayout.JAVA_BYTE, odd, cut.data().length);
    a.qp.wrStart();
    a.qp.wrId(7).wrFlags(SendFlags.SIGNALED);
    MemorySegment header = MemorySegment.ofArray(cut.header());
    a.qp.wrSendTso(header, 0, cut.header().length, cut.mss());
    a.qp.wrSetUdAddress(ah, b.qp.qpn(), Rig.QKEY);
    int first = random.nextInt(cut.data().length + 1);
    int second = random.nextInt(cut.data().length - first + 1);
    a.qp.wrSetSge(a.mr.lkey(), a.mr.iova() + odd, first);
    a.qp.wrAddSge(a.mr.lkey(), a.mr.iova() + odd + first, second);
    int rest = cut.data().length - first - second;
    a.qp.wrAddSge(a.mr.lkey(), a.mr.iova() + odd + first + second, rest);
    int status = a.qp.wrComplete();
    header.fill((byte) 0x55); // it was copied
    return status;
  }

  private WcStatus sent() {
    WorkCompletion wc = Rig.await(a.sendCq);
    assertEquals(7, wc.wrId());
    if (wc.status() == WcStatus.SUCCESS) {
      assertEquals(WcOpcode.LSO, wc.opcode());
    }
    return wc.status();
  }

  /** {@return the data of a receive request, behind the place of the GRH} */
  private byte[] received(WorkCompletion wc, int skip) {
    assertEquals(WcStatus.SUCCESS, wc.status());
    byte[] bytes = new byte[wc.byteLen() - skip];
    long at = wc.wrId() * each + skip;
    MemorySegment.copy(b.mr.segment(), ValueLayout.JAVA_BYTE, at, bytes, 0, bytes.length);
    return bytes;
  }

  private void arrivesCut() {
    for (int round = 0; round < ROUNDS; round++) {
      TcpCut cut = TcpCut.random(random, MTU);
      List<byte[]> expected = cut.segments();
      receives(expected.size());
      assertEquals(PostStatus.OK, post(cut));
      for (int i = 0; i < expected.size(); i++) {
        WorkCompletion wc = Rig.await(b.recvCq);
        assertEquals(0, wc.mss());
        assertEquals(0, wc.wcFlags());
        assertArrayEquals(expected.get(i), received(wc, GRH), "round " + round + " segment " + i);
      }
      assertEquals(WcStatus.SUCCESS, sent());
      Rig.assertEmpty(b.recvCq);
    }
  }

  @Test
  @DisplayName(
      "a medium that shows packets: each segment byte for byte, to who knows nothing of it")
  void segmenting() {
    rig.wire.segments(true);
    receiver(0, GRH + MTU);
    arrivesCut();
  }

  @Test
  @DisplayName("a receiver that did not ask for it gets the same segments in any case")
  void unaware() {
    receiver(QpCreateFlags.IPOIB_UD_LSO, GRH + MTU);
    arrivesCut();
  }

  @Test
  @DisplayName("one that did gets them together: the header as posted, data in one, MORE, mss")
  void together() {
    for (int round = 0; round < ROUNDS; round++) {
      if (round % 20 == 0) {
        receiver(QpCreateFlags.COALESCED_RECEIVE, random.nextInt(GRH + 1, 6000));
      }
      TcpCut cut = TcpCut.random(random, MTU);
      ByteArrayOutputStream all = new ByteArrayOutputStream();
      all.writeBytes(cut.header());
      all.writeBytes(cut.data());
      boolean alone = cut.data().length <= cut.mss();
      int total = GRH + all.size();
      if (alone && total > each || (total - 1) / each >= DEPTH / 2) {
        continue;
      }
      receives(1 + (total - 1) / each);
      if (alone) {
        all.reset();
        all.writeBytes(cut.segments().getFirst());
      }
      assertEquals(PostStatus.OK, post(cut));
      ByteArrayOutputStream got = new ByteArrayOutputStream();
      boolean more = true;
      for (int skip = GRH; more; skip = 0) {
        WorkCompletion wc = Rig.await(b.recvCq);
        assertEquals(alone ? 0 : cut.mss(), wc.mss());
        assertEquals(alone ? 0 : WcFlags.IP_CSUM_OK, wc.wcFlags() & ~WcFlags.MORE);
        got.writeBytes(received(wc, skip));
        more = (wc.wcFlags() & WcFlags.MORE) != 0;
        assertEquals(more, got.size() < all.size());
      }
      assertArrayEquals(all.toByteArray(), got.toByteArray(), "round " + round);
      assertEquals(WcStatus.SUCCESS, sent());
      Rig.assertEmpty(b.recvCq);
    }
  }

  private TcpCut fixed(int data, int mss) {
    byte[] header = new byte[4 + 20 + 20];
    ByteBuffer h = ByteBuffer.wrap(header).putShort(0, (short) 0x0800).put(4, (byte) 0x45);
    h.put(13, (byte) 6).put(36, (byte) 0x50).put(37, (byte) TcpCut.ACK);
    return new TcpCut(header, new byte[data], mss);
  }

  @Test
  @DisplayName("D11: too few receives: all is dropped, each datagram counted; what follows comes")
  void noReceive() {
    receiver(QpCreateFlags.COALESCED_RECEIVE, 1000);
    receives(2);
    assertEquals(PostStatus.OK, post(fixed(3000, 1000)));
    assertEquals(WcStatus.SUCCESS, sent(), "the sender of a datagram does not learn of it");
    Rig.assertEmpty(b.recvCq);
    assertEquals(3L, b.hca.counters(1).get("drop_no_receive"));
    assertEquals(PostStatus.OK, post(fixed(1500, 800)));
    assertEquals(WcStatus.SUCCESS, sent());
    assertEquals(1000, Rig.await(b.recvCq).byteLen());
    assertEquals(GRH + 44 + 1500 - 1000, Rig.await(b.recvCq).byteLen());
    Rig.assertEmpty(b.recvCq);
  }

  @Test
  @DisplayName("G5, D5: what is counted is the same, together or cut")
  void counted() {
    List<Map<String, Long>> counts = new ArrayList<>();
    for (boolean segments : new boolean[] {true, false}) {
      rig.wire.segments(segments);
      receiver(QpCreateFlags.COALESCED_RECEIVE, GRH + MTU);
      Map<String, Long> before = traffic();
      receives(7);
      assertEquals(PostStatus.OK, post(fixed(6333, 1001)));
      assertEquals(WcStatus.SUCCESS, sent());
      Map<String, Long> after = traffic();
      after.replaceAll((name, value) -> value - before.get(name));
      counts.add(after);
    }
    assertEquals(7L, counts.getFirst().get("sent_pkts"));
    assertEquals(counts.getFirst(), counts.getLast());
  }

  private Map<String, Long> traffic() {
    Map<String, Long> all = new TreeMap<>();
    for (Rig.Side s : rig.sides) {
      all.merge("sent_pkts", s.hca.counters(1).get("sent_pkts"), Long::sum);
      all.merge("rcvd_pkts", s.hca.counters(1).get("rcvd_pkts"), Long::sum);
      s.hca
          .port(1)
          .counters(PortCounter.Form.EXTENDED)
          .forEach((name, value) -> all.merge(name.toString(), value, Long::sum));
    }
    return all;
  }

  @Test
  @DisplayName("what cannot be sent completes with LOC_LEN_ERR, and the queue pair goes on")
  void tooLong() {
    receiver(0, GRH + MTU);
    assertEquals(65_536, a.device.attrs().limit(Limit.MAX_TSO));
    int[][] wrong = {{5000, MTU - 43}, {65_537, 4000}, {257, 1}, {0, 1000}};
    for (int[] w : wrong) {
      assertEquals(PostStatus.OK, post(fixed(w[0], w[1])));
      assertEquals(WcStatus.LOC_LEN_ERR, sent(), w[0] + " by " + w[1]);
      assertEquals(QpState.SQE, a.qp.state());
      a.qp.modify(new QpAttr().curState(QpState.SQE).state(QpState.RTS));
    }
    for (int i = 0; i < 256; i++) {
      b.qp.postReceive(0, b.mr.lkey(), b.mr.iova(), each);
    }
    for (int[] right : new int[][] {{5000, MTU - 44}, {65_536, 4000}, {256, 1}, {1, 65_535}}) {
      assertEquals(PostStatus.OK, post(fixed(right[0], right[1])));
      assertEquals(WcStatus.SUCCESS, sent(), right[0] + " by " + right[1]);
      int segments = (right[0] + right[1] - 1) / right[1];
      for (int i = 0; i < segments; i++) {
        b.qp.postReceive(0, b.mr.lkey(), b.mr.iova(), each);
        assertEquals(WcStatus.SUCCESS, Rig.await(b.recvCq).status());
      }
    }
  }

  private int tried(int at, int value) {
    TcpCut cut = fixed(3000, 1000);
    cut.header()[at] = (byte) value;
    return post(cut);
  }

  @Test
  @DisplayName("wrong input is refused at the post, and posts nothing")
  void refused() {
    receiver(0, GRH + MTU);
    int[][] wrong = {
      {0, 9},
      {1, 6},
      {4, 0x65},
      {4, 0x44},
      {4, 0x46},
      {10, 0x20},
      {11, 1},
      {13, 17},
      {36, 0x40},
      {36, 0x60},
      {37, 2},
      {37, 4},
      {37, 0x20}
    };
    for (int[] w : wrong) {
      assertEquals(PostStatus.INVALID, tried(w[0], w[1]), w[0] + " = " + w[1]);
    }
    for (int mss : new int[] {0, -1, 65_536}) {
      assertEquals(PostStatus.INVALID, post(fixed(3000, mss)), "mss " + mss);
    }
    for (int length : new int[] {-1, 0, 43, 45, 125}) {
      a.qp.wrStart();
      a.qp.wrSendTso(MemorySegment.ofArray(new byte[200]), 0, length, 1000);
      a.qp.wrSetUdAddress(ah, b.qp.qpn(), Rig.QKEY);
      a.qp.wrSetSge(a.mr.lkey(), a.mr.iova(), 3000);
      assertEquals(PostStatus.INVALID, a.qp.wrComplete(), "header of " + length);
    }
    a.qp.wrStart();
    a.qp.wrSendTso(MemorySegment.ofArray(fixed(1, 1).header()), 0, 44, 1000);
    a.qp.wrSetUdAddress(ah, b.qp.qpn(), Rig.QKEY);
    a.qp.wrSetInline(a.mr.segment(), 0, 100);
    assertEquals(PostStatus.INVALID, a.qp.wrComplete(), "inline");
    assertEquals(
        PostStatus.NOT_SUPPORTED,
        a.qp.postSend(new SendWr(1).opcode(WrOpcode.LSO).ah(ah).addSge(1, 1, 1)),
        "list form");
    Rig.assertEmpty(a.sendCq);
    a.qp.close();
    a.qp = make(a, 0);
    assertEquals(PostStatus.NOT_SUPPORTED, post(fixed(3000, 1000)), "not made for it");
  }

  @Test
  @DisplayName("unknown flags, and flags that the type has no use for, are refused")
  void flags() {
    QpCap cap = new QpCap(1, 1, 1, 1, 0);
    QpInit rc = new QpInit(QpType.RC, a.sendCq, cap).withCreateFlags(QpCreateFlags.IPOIB_UD_LSO);
    assertThrows(IbInvalidException.class, () -> a.pd.createQp(rc));
    QpInit unknown = new QpInit(QpType.UD, a.sendCq, cap).withCreateFlags(2);
    assertThrows(IbInvalidException.class, () -> a.pd.createQp(unknown));
  }

  @Test
  @DisplayName("tshark finds every checksum right, and finds the one that was planted wrong")
  void tshark(@TempDir Path folder) throws Exception {
    Tshark.require();
    receiver(QpCreateFlags.COALESCED_RECEIVE, GRH + MTU); // a capture is one who looks: it is cut
    Path file = folder.resolve("large.pcapng");
    int segments = 0;
    FileChannel sink = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    try (Session session = a.capture.start(sink, Filter.ALL)) {
      for (int i = 0; i < 12; i++) {
        TcpCut cut = TcpCut.random(random, MTU);
        int n = cut.segments().size();
        receives(n);
        assertEquals(PostStatus.OK, post(cut));
        assertEquals(WcStatus.SUCCESS, sent());
        for (int k = 0; k < n; k++) {
          Rig.await(b.recvCq);
        }
        segments += n;
      }
      byte[] wrong = TcpCut.random(random, MTU).segments().getFirst();
      wrong[wrong.length - 1] ^= 1;
      plain(wrong);
      assertEquals(0, session.dropped());
    }
    List<Map<String, String>> rows =
        Tshark.decode(file, "tcp.checksum.status", "ip.checksum.status", "_ws.malformed");
    assertEquals(segments + 1, rows.size());
    for (Map<String, String> row : rows.subList(0, segments)) {
      assertEquals("1", row.get("tcp.checksum.status"), row.toString());
      assertNotEquals("0", row.get("ip.checksum.status"), row.toString());
      assertEquals("", row.get("_ws.malformed"), row.toString());
    }
    assertEquals("0", rows.getLast().get("tcp.checksum.status"), "planted");
  }

  private void plain(byte[] datagram) {
    receives(1);
    MemorySegment.copy(datagram, 0, a.mr.segment(), ValueLayout.JAVA_BYTE, 0, datagram.length);
    a.qp.wrStart();
    a.qp.wrFlags(SendFlags.SIGNALED).wrSend();
    a.qp.wrSetUdAddress(ah, b.qp.qpn(), Rig.QKEY);
    a.qp.wrSetSge(a.mr.lkey(), a.mr.iova(), datagram.length);
    assertEquals(PostStatus.OK, a.qp.wrComplete());
    assertEquals(WcStatus.SUCCESS, Rig.await(a.sendCq).status());
    assertEquals(WcStatus.SUCCESS, Rig.await(b.recvCq).status());
  }
}
