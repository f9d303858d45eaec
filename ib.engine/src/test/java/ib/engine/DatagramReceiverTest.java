package ib.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import ib.core.verbs.PostStatus;
import ib.core.verbs.QpCap;
import ib.core.verbs.QpCreateFlags;
import ib.core.verbs.QpInit;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.QueuePair;
import ib.core.verbs.RecvWr;
import ib.core.verbs.WcFlags;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WorkCompletion;
import ib.core.wire.BthOpcode;
import ib.engine.qp.HcaConfig;
import ib.engine.time.VirtualClock;
import ib.engine.wire.Packet;
import ib.engine.wire.RunContext;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** IBA 9.8.3: what a receiver of datagrams does with packets as a medium brings them. */
class DatagramReceiverTest {
  private static final int GRH = 40;
  private static final int EACH = 100;
  private static final int MSS = 50;
  private static final byte UNTOUCHED = 0x33;

  private final Rig rig =
      new Rig(new VirtualClock(), false, HcaConfig.of(0x10, 0x11), HcaConfig.of(0x20, 0x21));
  private final Rig.Side b = rig.b();
  private Forge forge;
  private int posted;

  @BeforeEach
  void connect() {
    rig.a().qp = make(rig.a());
    b.qp = make(b);
    forge = new Forge(rig, b, rig.a());
    b.mr.segment().asSlice(0, 20 * EACH).fill(UNTOUCHED);
  }

  @AfterEach
  void close() {
    rig.close();
  }

  private static QueuePair make(Rig.Side s) {
    QpInit init = new QpInit(QpType.UD, s.sendCq, new QpCap(16, 16, 2, 2, 0));
    init = init.withRecvCq(s.recvCq).withCreateFlags(QpCreateFlags.COALESCED_RECEIVE);
    QueuePair qp = s.pd.createQp(init);
    Rig.bringUp(s, qp, 0, 0, 0, 0, 0);
    return qp;
  }

  /** Posts a receive at the next place of {@link #EACH} bytes. */
  private void receive(int length) {
    long at = b.mr.iova() + (long) posted * EACH;
    assertEquals(PostStatus.OK, b.qp.postReceive(posted++, b.mr.lkey(), at, length));
  }

  private Packet packet(int payload) {
    Packet p = forge.packet(BthOpcode.UD_SEND_ONLY, 1, 0);
    p.qkey = Rig.QKEY;
    p.sourceQpn = rig.a().qp.qpn();
    byte[] bytes = new byte[payload];
    for (int i = 0; i < payload; i++) {
      bytes[i] = (byte) (i + 1);
    }
    p.payload.add(MemorySegment.ofArray(bytes), 0, payload);
    return p;
  }

  /** One that stands for several. */
  private Packet several(int payload) {
    Packet p = packet(payload);
    p.mss = MSS;
    p.psnCount = (payload + MSS - 1) / MSS;
    return p;
  }

  private void arrive(Packet p) {
    RunContext run = b.hca.newRunContext();
    b.hca.port(1).receive(p, run);
    run.finish();
    rig.settle();
  }

  private void dropped(String reason, long packets) {
    assertEquals(packets, b.hca.counters(1).getOrDefault(reason, 0L), reason);
    Rig.assertEmpty(b.recvCq);
    assertEquals(QpState.RTS, b.qp.state());
  }

  private byte[] bytes(int from, int length) {
    return b.mr.segment().asSlice(from, length).toArray(ValueLayout.JAVA_BYTE);
  }

  private void completed(int bytes, int flags) {
    WorkCompletion wc = Rig.next(b.recvCq);
    assertEquals(WcStatus.SUCCESS, wc.status());
    assertEquals(bytes, wc.byteLen());
    assertEquals(flags, wc.wcFlags());
  }

  private void failed(WcStatus status) {
    assertEquals(status, Rig.next(b.recvCq).status());
    assertEquals(QpState.ERR, b.qp.state());
  }

  /** The GRH of a packet as IBA 8.3 has it. */
  private static byte[] grh(Packet p, int immediate) {
    int length = 12 + 8 + immediate + (p.payload.length() + 3) / 4 * 4 + 4;
    return ByteBuffer.allocate(GRH)
        .putInt(6 << 28 | p.trafficClass << 20 | p.flowLabel)
        .putShort((short) length)
        .put((byte) 0x1b)
        .put((byte) p.hopLimit)
        .putLong(p.sgidHigh)
        .putLong(p.sgidLow)
        .putLong(p.dgidHigh)
        .putLong(p.dgidLow)
        .array();
  }

  private static void route(Packet p, int label) {
    p.global = true;
    p.flowLabel = label;
    p.trafficClass = 0x44;
    p.hopLimit = 9;
    p.sgidHigh = 1;
    p.sgidLow = 2;
    p.dgidHigh = 3;
    p.dgidLow = 4;
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @DisplayName("IBA 8.3: each datagram's own GRH is in the first 40 bytes, with its own length")
  void header(boolean immediate) {
    for (int i = 0; i < 3; i++) {
      receive(GRH + 5); // to the last byte
      Packet p = packet(5);
      p.opcode = (immediate ? BthOpcode.UD_SEND_ONLY_IMM : BthOpcode.UD_SEND_ONLY).value();
      route(p, 0x100 + i);
      arrive(p);
      completed(GRH + 5, WcFlags.GRH | (immediate ? WcFlags.WITH_IMM : 0));
      assertArrayEquals(grh(p, immediate ? 4 : 0), bytes(i * EACH, GRH));
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @DisplayName("RoCE: on a medium where all is global there is a header, also before several")
  void allGlobal(boolean several) {
    rig.wire.global = true;
    receive(EACH + 20);
    arrive(several ? several(60) : packet(60));
    completed(GRH + 60, WcFlags.GRH | (several ? WcFlags.IP_CSUM_OK : 0));
    assertEquals(0x60, b.mr.segment().get(ValueLayout.JAVA_BYTE, 0));
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @DisplayName("IBA 10.7.3: a place of the GRH that may not be written fails the receive")
  void headerPlace(boolean several) {
    RecvWr wr = new RecvWr(2).wrId(9);
    wr.addSge(b.mr.lkey() ^ 1, b.mr.iova(), GRH);
    wr.addSge(b.mr.lkey(), b.mr.iova() + GRH, EACH);
    assertEquals(PostStatus.OK, b.qp.postReceive(wr));
    Packet p = several ? several(60) : packet(60);
    route(p, 1);
    arrive(p);
    failed(WcStatus.LOC_PROT_ERR);
    assertEquals(UNTOUCHED, b.mr.segment().get(ValueLayout.JAVA_BYTE, GRH));
  }

  @Test
  @DisplayName("several: without a GRH its place stays as it was")
  void local() {
    receive(EACH);
    receive(EACH);
    arrive(several(EACH));
    completed(EACH, WcFlags.IP_CSUM_OK | WcFlags.MORE);
    completed(GRH, WcFlags.IP_CSUM_OK);
    for (int i = 0; i < GRH; i++) {
      assertEquals(UNTOUCHED, b.mr.segment().get(ValueLayout.JAVA_BYTE, i), i + "");
    }
  }

  @Test
  @DisplayName("D6: the sender's memory is gone: a lone completion without IP_CSUM_OK, counted")
  void senderGone() {
    receive(EACH);
    receive(EACH);
    Packet p = several(EACH);
    p.payload.clear();
    Arena arena = Arena.ofShared();
    p.payload.add(arena.allocate(EACH), 0, EACH);
    arena.close();
    arrive(p);
    completed(0, 0);
    dropped("drop_fault", 2);
  }
}
