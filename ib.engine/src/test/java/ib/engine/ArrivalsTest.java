package ib.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import ib.core.verbs.PostStatus;
import ib.core.verbs.QpCreateFlags;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.WcFlags;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WorkCompletion;
import ib.core.wire.BthOpcode;
import ib.engine.qp.HcaConfig;
import ib.engine.time.VirtualClock;
import ib.engine.wire.Packet;
import ib.engine.wire.RunContext;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Packets that arrive as a wire hands them over: what each kind of receiver does with them. */
class ArrivalsTest {
  private static final int GRH = 40;
  private static final int QKEY_WORDS = 12 + 8 + 4; // BTH, DETH, ICRC
  private static final int PSN = 0xfffffe; // expected first
  private static final int UNKNOWN = 0x00ffff00; // a key that no table has
  private static final int FAR = 1 << 22;
  private static final int MTU = 1024;
  private static final int EACH = 100; // bytes of data in a segment

  private final Rig rig =
      new Rig(new VirtualClock(), false, HcaConfig.of(0x10, 0x11), HcaConfig.of(0x20, 0x21));
  private final Rig.Side b = rig.b();
  private Forge forge;

  @AfterEach
  void close() {
    rig.close();
  }

  private void connect(QpType type) {
    rig.connect(type);
    forge = new Forge(rig, b, rig.a());
  }

  private void receive(int length) {
    assertEquals(PostStatus.OK, b.qp.postReceive(length, b.mr.lkey(), b.mr.iova(), length));
  }

  private void arrive(BthOpcode opcode, int psn, int payload, Consumer<Packet> change) {
    Packet p = forge.packet(opcode, psn, payload);
    p.qkey = Rig.QKEY;
    p.sourceQpn = rig.a().qp.qpn();
    change.accept(p);
    RunContext run = b.hca.newRunContext();
    b.hca.port(1).receive(p, run);
    run.finish();
    rig.settle();
  }

  private void datagram(int payload, Consumer<Packet> change) {
    arrive(BthOpcode.UD_SEND_ONLY, 0, payload, change);
  }

  private long count(String name) {
    return b.hca.counters(1).get(name);
  }

  private WorkCompletion received(int bytes) {
    WorkCompletion wc = Rig.next(b.recvCq);
    assertEquals(WcStatus.SUCCESS, wc.status());
    assertEquals(bytes, wc.byteLen());
    return wc;
  }

  // ---- datagrams ----

  @Test
  @DisplayName("IBA 9.6.1.1.3: a datagram of another partition is counted and takes no receive")
  void partition() {
    connect(QpType.UD);
    receive(GRH + 8);
    datagram(8, p -> p.pkey = 0x9234);
    assertEquals(1, count("drop_pkey"));
    Rig.assertEmpty(b.recvCq);
    datagram(8, p -> {});
    assertEquals(0, received(GRH + 8).wcFlags());
  }

  @Test
  @DisplayName("IBA table 38: a datagram of an opcode that does not exist is counted")
  void opcode() {
    connect(QpType.UD);
    receive(GRH + 8);
    datagram(8, p -> p.opcode = 0x7f);
    Rig.assertEmpty(b.recvCq);
    assertEquals(1, count("drop_opcode"));
  }

  @Test
  @DisplayName("IBA 8.3: each datagram's GRH is its own, and its length counts no immediate data")
  void header() {
    connect(QpType.UD);
    for (int flow = 1; flow <= 2; flow++) {
      int label = flow;
      receive(GRH + 8);
      datagram(
          8,
          p -> {
            p.global = true;
            p.flowLabel = label;
          });
      assertEquals(WcFlags.GRH, received(GRH + 8).wcFlags());
      ValueLayout.OfInt word = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
      assertEquals(label, b.mr.segment().get(word, 0) & 0xfffff);
      assertEquals(QKEY_WORDS + 8, b.mr.segment().get(word, 4) >>> 16);
    }
  }

  @Test
  @DisplayName("the network header that a wire has received is in the buffer, twice in a row")
  void networkHeader() {
    connect(QpType.UD);
    for (byte fill = 7; fill <= 8; fill++) {
      MemorySegment seen = MemorySegment.ofArray(new byte[GRH]).fill(fill);
      receive(GRH + 8);
      datagram(
          8,
          p -> {
            p.global = true;
            p.networkHeader = seen;
          });
      received(GRH + 8);
      assertEquals(-1, b.mr.segment().asSlice(0, GRH).mismatch(seen));
    }
  }

  @Test
  @DisplayName("IBA 10.2.5: a network header that finds no memory fails its receive")
  void headerWithoutMemory() {
    connect(QpType.UD);
    assertEquals(PostStatus.OK, b.qp.postReceive(1, UNKNOWN, b.mr.iova(), GRH + 8));
    datagram(0, p -> p.global = true);
    assertEquals(WcStatus.LOC_PROT_ERR, Rig.next(b.recvCq).status());
    assertEquals(QpState.ERR, b.qp.state());
  }

  // ---- segments that came as one packet ----

  private void together(int payload, int... receives) {
    rig.connect(QpType.UD);
    b.qp =
        b.pd.createQp(Rig.init(b, QpType.UD, 16).withCreateFlags(QpCreateFlags.COALESCED_RECEIVE));
    Rig.bringUp(b, b.qp, 0, 0, 0, 0, 0);
    forge = new Forge(rig, b, rig.a());
    for (int length : receives) {
      receive(length);
    }
    datagram(
        payload,
        p -> {
          p.mss = EACH;
          p.global = true;
        });
  }

  @Test
  @DisplayName("they fill receives one after the other, and all but the last say that more follows")
  void segments() {
    together(2 * EACH + 50, GRH + EACH, EACH, EACH);
    int flags = WcFlags.IP_CSUM_OK | WcFlags.GRH;
    assertEquals(flags | WcFlags.MORE, received(GRH + EACH).wcFlags());
    assertEquals(flags | WcFlags.MORE, received(EACH).wcFlags());
    assertEquals(flags, received(50).wcFlags());
    assertEquals(QpState.RTS, b.qp.state());
  }

  @Test
  @DisplayName("they fill receives exactly, and need no receive more")
  void exact() {
    together(GRH + 2 * EACH, GRH + EACH, GRH + EACH);
    received(GRH + EACH);
    received(GRH + EACH);
    assertEquals(0, count("drop_no_receive"));
  }

  @Test
  @DisplayName("with one receive too few none is used")
  void tooFew() {
    together(GRH + 2 * EACH + 1, GRH + EACH, GRH + EACH);
    Rig.assertEmpty(b.recvCq);
    assertEquals(1, count("drop_no_receive"));
    assertEquals(QpState.RTS, b.qp.state());
  }

  @Test
  @DisplayName("receives that hold nothing beside the network header are not used")
  void noRoom() {
    together(4 * GRH, GRH, GRH, GRH, GRH, GRH, GRH, GRH, GRH, GRH, GRH);
    Rig.assertEmpty(b.recvCq);
    assertEquals(1, count("drop_no_receive"));
  }

  @Test
  @DisplayName("receives that are not of one length and do not suffice end in an error")
  void unequal() {
    together(2 * EACH + 50, GRH + EACH, 60, 60);
    received(GRH + EACH);
    received(60);
    received(60);
    assertEquals(QpState.ERR, b.qp.state());
  }

  // ---- connected ----

  @Test
  @DisplayName(
      "IBA 9.8.2.2.1: UC waits for the first packet of a message, and counts what it drops")
  void skips() {
    connect(QpType.UC);
    receive(2 * MTU);
    arrive(BthOpcode.UC_SEND_MIDDLE, PSN + 1, MTU, p -> {});
    arrive(BthOpcode.UC_SEND_MIDDLE, PSN + 2, MTU, p -> {});
    arrive(BthOpcode.UC_SEND_LAST, PSN + 3, 8, p -> {});
    assertEquals(3, count("drop_sequence"));
    arrive(BthOpcode.UC_SEND_ONLY, PSN + 4, 8, p -> {});
    received(8);
    assertEquals(3, count("drop_sequence"));
    assertEquals(QpState.RTS, b.qp.state());
  }

  @Test
  @DisplayName(
      "D11: a sequence number farther away than any window is a violation, one in it is not")
  void far() {
    connect(QpType.RC);
    arrive(BthOpcode.RC_RDMA_WRITE_ONLY, PSN + FAR, 8, p -> {});
    assertEquals(0, count("psn_violations"));
    arrive(BthOpcode.RC_RDMA_WRITE_ONLY, PSN + FAR + 1, 8, p -> {});
    assertEquals(1, count("psn_violations"));
    arrive(BthOpcode.RC_RDMA_WRITE_ONLY, PSN - FAR - 1, 8, p -> {});
    assertEquals(2, count("psn_violations"));
  }
}
