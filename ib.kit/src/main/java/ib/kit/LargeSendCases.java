package ib.kit;

import ib.core.verbs.AddressHandle;
import ib.core.verbs.Cap;
import ib.core.verbs.PostStatus;
import ib.core.verbs.QpCreateFlags;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.SendFlags;
import ib.core.verbs.WcOpcode;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WorkCompletion;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Assertions;

/** Sends with segmentation offload: one TCP segment leaves as many datagrams (IPoIB D9). */
final class LargeSendCases {
  private static final int MSS = 500;
  private static final int DATA = 3 * MSS - 7;
  private static final int ENCAPSULATION = 4;
  private static final int IP = 20;
  private static final int HEADERS = ENCAPSULATION + IP + 20;
  private static final int ACK_PSH = 0x18;
  private static final int ACK = 0x10;
  private static final int SEQUENCE = -700; // wraps within
  private static final int ID = 0xffff;

  private LargeSendCases() {}

  static void add(Catalogue c) {
    Catalogue.Section s =
        c.section("UD", 41, "datagrams: large sends", Cap.UD, Cap.UD_TSO).lossless();
    s.add(
        "a TCP segment of 3 pieces: lengths, identification, sequence, PSH and checksums of each",
        t -> pieces(t));
    s.add(
        "longer pieces than the port's MTU: LOC_LEN_ERR and SQE",
        t -> {
          Pair p = large(t, QpCreateFlags.IPOIB_UD_LSO);
          int most = p.a.device.queryPort(1).activeMtu().bytes();
          Assertions.assertEquals(PostStatus.OK, post(p, t, most));
          Await.status(p.a.sendCq, 5, WcStatus.LOC_LEN_ERR);
          Assertions.assertEquals(QpState.SQE, p.a.qp.state());
        });
    s.add(
        "a queue pair that was not made for large sends refuses one, and sends others",
        t -> {
          Pair p = large(t, 0);
          Assertions.assertEquals(PostStatus.NOT_SUPPORTED, post(p, t, MSS));
          Await.empty(p.a.sendCq, "nothing was posted");
          p.ping(t);
        });
  }

  private static Pair large(Trial t, int flags) {
    End from = t.end(t.left(), Shape.of(QpType.UD));
    End to = t.end(t.right(), Shape.of(QpType.UD));
    End made = from.with(t.later(from.pd.createQp(from.init().withCreateFlags(flags))));
    return new Pair(made, to).connect(t.bench);
  }

  /** Encapsulation, IPv4 and TCP; its lengths and checksums are the device's business. */
  private static ByteBuffer header() {
    ByteBuffer h = ByteBuffer.allocate(HEADERS).putShort(0, (short) 0x0800);
    h.put(4, (byte) 0x45).putShort(8, (short) ID).putShort(10, (short) 0x4000).put(12, (byte) 64);
    h.put(13, (byte) 6).putInt(16, 0x0a600001).putInt(20, 0x0a600002);
    h.putInt(24, 0x1389_8235).putInt(28, SEQUENCE).putInt(32, 77);
    return h.put(36, (byte) 0x50).put(37, (byte) ACK_PSH).putShort(38, (short) 1000);
  }

  private static int post(Pair p, Trial t, int mss) {
    for (int i = 0; i < DATA; i++) {
      p.a.mr.segment().set(ValueLayout.JAVA_BYTE, i, (byte) (i * 7));
    }
    AddressHandle ah = p.a.ah(t.bench.path(p.a.device, p.b.device));
    p.a.qp.wrStart();
    p.a.qp.wrId(5).wrFlags(SendFlags.SIGNALED);
    p.a.qp.wrSendTso(MemorySegment.ofArray(header().array()), 0, HEADERS, mss);
    p.a.qp.wrSetUdAddress(ah, p.b.qp.qpn(), End.QKEY);
    int all = mss < DATA ? DATA : mss + 1; // two pieces at least
    p.a.qp.wrSetSge(p.a.lkey(), p.a.addr(), DATA / 2);
    p.a.qp.wrAddSge(p.a.lkey(), p.a.addr() + DATA / 2, all - DATA / 2);
    return p.a.qp.wrComplete();
  }

  private static void pieces(Trial t) {
    Pair p = large(t, QpCreateFlags.IPOIB_UD_LSO);
    for (int i = 0; i < 3; i++) {
      p.b.receive(i, 2048L * i, 2048);
    }
    Assertions.assertEquals(PostStatus.OK, post(p, t, MSS));
    for (int i = 0; i < 3; i++) {
      WorkCompletion wc = Await.success(p.b.recvCq, i);
      int data = Math.min(MSS, DATA - i * MSS);
      Assertions.assertEquals(Transfer.GRH + HEADERS + data, wc.byteLen(), wc::toString);
      byte[] got = new byte[HEADERS + data];
      MemorySegment from = p.b.mr.segment();
      MemorySegment.copy(from, ValueLayout.JAVA_BYTE, 2048L * i + Transfer.GRH, got, 0, got.length);
      Assertions.assertArrayEquals(expected(i, data), got, "piece " + i);
    }
    WorkCompletion sent = Await.success(p.a.sendCq, 5);
    Assertions.assertEquals(WcOpcode.LSO, sent.opcode());
    Await.empty(p.b.recvCq, "three pieces");
  }

  private static byte[] expected(int i, int data) {
    ByteBuffer b = ByteBuffer.allocate(HEADERS + data).put(header().array());
    for (int k = 0; k < data; k++) {
      b.put((byte) ((i * MSS + k) * 7));
    }
    b.putShort(6, (short) (HEADERS - ENCAPSULATION + data)).putShort(8, (short) (ID + i));
    b.putInt(28, SEQUENCE + i * MSS).put(37, (byte) (i == 2 ? ACK_PSH : ACK));
    b.putShort(14, (short) ~sum(b, ENCAPSULATION, ENCAPSULATION + IP, 0));
    int pseudo = sum(b, 16, 24, 6 + 20 + data); // RFC 9293 section 3.1
    b.putShort(40, (short) ~sum(b, ENCAPSULATION + IP, HEADERS + data, pseudo));
    return b.array();
  }

  /** RFC 1071, word by word. */
  private static int sum(ByteBuffer b, int from, int to, int start) {
    int sum = start;
    for (int i = from; i < to; i++) {
      sum += (b.get(i) & 0xff) << ((i - from) % 2 == 0 ? 8 : 0);
      sum = (sum & 0xffff) + (sum >> 16);
    }
    return sum;
  }
}
