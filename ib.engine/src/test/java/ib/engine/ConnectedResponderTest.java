package ib.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.Mtu;
import ib.core.verbs.PostStatus;
import ib.core.verbs.QpAttr;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.WorkCompletion;
import ib.core.wire.BthOpcode;
import ib.engine.qp.HcaConfig;
import ib.engine.run.RunList;
import ib.engine.time.VirtualClock;
import ib.engine.verbs.Probe;
import ib.engine.wire.Opcode;
import ib.engine.wire.Packet;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** IBA 9.7.4, 9.7.5, 9.8: what a responder keeps between packets, and when it answers. */
class ConnectedResponderTest {
  private static final int PSN = 0xfffffe; // of the rig
  private static final int MTU = 1024; // of the rig
  private static final int BUDGET = 16 << 10;
  private static final int PACKET_COST = 256; // of a run list
  private static final int ACK_WITHIN = 48;
  private static final int NAK_SEQUENCE = 0x60;
  private static final int NAK_ACCESS = 0x62;

  private Rig rig;
  private Rig.Side b;
  private Forge forge;
  private RunList run;

  @AfterEach
  void close() {
    rig.close();
  }

  private void connect(QpType type, int responses) {
    rig =
        new Rig(
            new VirtualClock(),
            false,
            HcaConfig.of(0x10, 0x11),
            HcaConfig.of(0x20, 0x21).withPace(BUDGET, 8192, 16, responses, 128));
    rig.connect(type, 64, 14, 1, 0);
    b = rig.b();
    forge = new Forge(rig, b, rig.a());
    run = (RunList) b.hca.newRunContext();
  }

  private void anew() {
    b.qp.modify(new QpAttr().state(QpState.RESET));
    assertFalse(Probe.inMiddle(b.qp), "it is in the middle of nothing");
    Rig.bringUp(b, b.qp, rig.a().qp.qpn(), rig.a().lid(), 14, 1, 0);
  }

  private void receive(int id) {
    assertEquals(PostStatus.OK, b.qp.postReceive(id, b.mr.lkey(), b.mr.iova(), 4 * MTU));
  }

  private void arrive(BthOpcode opcode, int number, int payload) {
    forge.arrive(forge.packet(opcode, PSN + number, payload));
  }

  /** It comes from a driver's thread, which has more packets. */
  private void arriveInBatch(Packet p) {
    b.hca.port(1).receive(p, run);
    run.finishBatch();
  }

  private Packet write(int number) {
    return forge.packet(BthOpcode.RC_RDMA_WRITE_ONLY, PSN + number, 8);
  }

  // ---- reset ----

  @ParameterizedTest
  @ValueSource(strings = {"RC", "UC"})
  @DisplayName("IBA 10.3.1.1: a reset forgets the message that has begun, and its receive")
  void forgetsReceive(String type) {
    boolean rc = type.equals("RC");
    connect(QpType.valueOf(type), 4);
    receive(5);
    arrive(rc ? BthOpcode.RC_SEND_FIRST : BthOpcode.UC_SEND_FIRST, 0, MTU);
    assertTrue(Probe.inMiddle(b.qp));
    anew();
    receive(6);
    arrive(rc ? BthOpcode.RC_SEND_ONLY : BthOpcode.UC_SEND_ONLY, 0, 8);
    WorkCompletion wc = Rig.next(b.recvCq);
    assertEquals(6, wc.wrId());
    assertEquals(8, wc.byteLen());
    Rig.assertEmpty(b.recvCq);
  }

  @Test
  @DisplayName("IBA 10.3.1.1: a reset forgets the results of atomics")
  void forgetsResults() {
    connect(QpType.RC, 4);
    Packet atomic = forge.packet(BthOpcode.RC_FETCH_ADD, PSN, 0);
    forge.arrive(atomic);
    assertEquals(1, forge.answers.size());
    anew();
    forge.answers.clear();
    arrive(BthOpcode.RC_RDMA_WRITE_ONLY, 0, 8);
    forge.arrive(forge.packet(BthOpcode.RC_FETCH_ADD, PSN, 0));
    assertEquals(1L, b.hca.counters(1).get("drop_duplicate"));
    assertEquals(1, forge.answers.size(), "that of the write");
  }

  /** All packets for answers are under way, and a read waits for one. */
  private void starved() {
    connect(QpType.RC, 1);
    rig.wire.loses(null);
    rig.wire.holds(p -> p.slid == b.lid());
    arrive(BthOpcode.RC_RDMA_WRITE_ONLY, 0, 8);
    assertEquals(1, rig.wire.held.size());
    Packet read = forge.packet(BthOpcode.RC_RDMA_READ_REQUEST, PSN + 1, 0);
    read.dmaLength = 8;
    forge.arrive(read);
    assertEquals(1, rig.wire.held.size());
    assertTrue(Probe.inMiddle(b.qp), "it owes an answer");
  }

  private void giveBack() {
    rig.wire.held.remove().release(run);
    run.finish();
    rig.settle();
  }

  @Test
  @DisplayName("IBA 9.7.5.1.9: the answer to a read is sent when a packet comes back")
  void readWaits() {
    starved();
    giveBack();
    assertEquals(1, rig.wire.held.size());
    assertEquals(Opcode.READ_RESPONSE_ONLY, rig.wire.held.peek().opcode);
    giveBack();
    assertFalse(Probe.inMiddle(b.qp));
  }

  @Test
  @DisplayName("IBA 10.3.1.1: a reset forgets the answer that is owed")
  void forgetsAnswer() {
    starved();
    anew();
    giveBack();
    assertEquals(0, rig.wire.held.size());
    arrive(BthOpcode.RC_RDMA_WRITE_ONLY, 0, 8);
    assertEquals(1, rig.wire.held.size());
    assertEquals(Opcode.ACKNOWLEDGE, rig.wire.held.peek().opcode);
  }

  @Test
  @DisplayName("D5: after a gap packets must end what packets have begun")
  void middleOfGap() {
    connect(QpType.RC, 4);
    arrive(BthOpcode.RC_RDMA_WRITE_ONLY, 1, 8);
    assertEquals(NAK_SEQUENCE, forge.answers.get(0).syndrome());
    assertTrue(Probe.inMiddle(b.qp));
    arrive(BthOpcode.RC_RDMA_WRITE_ONLY, 0, 8);
    assertFalse(Probe.inMiddle(b.qp));
  }

  // ---- sequence ----

  @Test
  @DisplayName("IBA 9.8.2.2: of a message that lacks its first packet each later one is dropped")
  void skips() {
    connect(QpType.UC, 4);
    rig.wire.segments(false);
    arrive(BthOpcode.UC_SEND_MIDDLE, 1, MTU);
    Packet p = forge.packet(BthOpcode.UC_SEND_MIDDLE, PSN + 2, 0);
    p.payload.add(MemorySegment.ofArray(new byte[3 * MTU]), 0, 3 * MTU);
    p.psnCount = 3;
    arriveInBatch(p);
    assertEquals(4L, b.hca.counters(1).get("drop_sequence"));
    assertEquals("drop_sequence", p.dropped);
    receive(1);
    arrive(BthOpcode.UC_SEND_ONLY, 5, 9);
    assertEquals(9, Rig.next(b.recvCq).byteLen());
    assertEquals(4L, b.hca.counters(1).get("drop_sequence"));
  }

  // ---- budget ----

  @Test
  @DisplayName("D4, IBA 9.7.5.1.2: many requests are executed in parts; each part is acknowledged")
  void manyRequests() {
    connect(QpType.RC, 64);
    int n = 64;
    for (int i = 0; i < n; i++) {
      Packet p = forge.packet(BthOpcode.RC_RDMA_WRITE_ONLY, PSN + i, MTU);
      b.hca.port(1).receive(p, run);
    }
    run.finish();
    int first = forge.answers.size();
    assertEquals(1, first, "acknowledged once");
    int done = forge.answers.get(0).psn() - PSN + 1 & 0xffffff;
    assertTrue(done > 0 && done * MTU <= 2 * BUDGET, done + " at once");
    rig.settle();
    assertEquals((PSN + n - 1) & 0xffffff, forge.answers.getLast().psn());
  }

  @Test
  @DisplayName("D4: a long answer is sent in parts, each of as many packets as the budget pays for")
  void longAnswer() {
    connect(QpType.RC, 64);
    Packet read = forge.packet(BthOpcode.RC_RDMA_READ_REQUEST, PSN, 0);
    read.dmaLength = 200 * MTU;
    b.hca.port(1).receive(read, run);
    run.finish();
    int first = forge.answers.size();
    assertEquals(BUDGET / PACKET_COST, first, "the request was charged as well");
    rig.settle();
    assertEquals(200, forge.answers.size());
  }

  // ---- acknowledgements ----

  @Test
  @DisplayName("IBA 9.7.5.1.2: an acknowledgement waits for company, till 48 packets want it")
  void company() {
    connect(QpType.RC, 4);
    for (int i = 0; i < ACK_WITHIN - 1; i++) {
      arriveInBatch(write(i));
      assertEquals(List.of(), forge.answers, "after " + i);
    }
    arriveInBatch(write(ACK_WITHIN - 1));
    assertEquals(1, forge.answers.size());
    assertEquals((PSN + ACK_WITHIN - 1) & 0xffffff, forge.answers.get(0).psn());
    arriveInBatch(write(ACK_WITHIN));
    assertEquals(1, forge.answers.size());
    assertTrue(run.catchUp(), "one waits");
    run.finish();
    assertEquals(2, forge.answers.size());
    assertEquals((PSN + ACK_WITHIN) & 0xffffff, forge.answers.get(1).psn());
  }

  @Test
  @DisplayName("IBA 9.7.5.2.8: a NAK waits for nothing")
  void nakAtOnce() {
    connect(QpType.RC, 4);
    arriveInBatch(write(1));
    assertEquals(1, forge.answers.size());
    assertEquals(NAK_SEQUENCE, forge.answers.get(0).syndrome());
  }

  @Test
  @DisplayName("IBA 9.9.3: the NAK of a refusal waits for nothing")
  void refusalAtOnce() {
    connect(QpType.RC, 4);
    Packet p = write(0);
    p.rkey ^= 1;
    arriveInBatch(p);
    assertEquals(1, forge.answers.size());
    assertEquals(NAK_ACCESS, forge.answers.get(0).syndrome());
    assertEquals(QpState.ERR, b.qp.state());
  }

  @Test
  @DisplayName("IBA 9.7.5.1.2: in RTR an acknowledgement is sent at once")
  void readyToReceive() {
    connect(QpType.RC, 4);
    b.qp.modify(new QpAttr().state(QpState.RESET));
    Rig.toRtr(b.qp, rig.a().qp.qpn(), rig.a().lid(), Mtu.MTU_1024);
    arriveInBatch(write(0));
    assertEquals(1, forge.answers.size());
  }
}
