package ib.engine;

import static ib.core.wire.BthOpcode.UC_SEND_FIRST;
import static ib.core.wire.BthOpcode.UC_SEND_LAST;
import static ib.core.wire.BthOpcode.UC_SEND_MIDDLE;
import static ib.core.wire.BthOpcode.UC_SEND_ONLY;
import static org.junit.jupiter.api.Assertions.assertEquals;

import ib.core.verbs.MemoryRegion;
import ib.core.verbs.QpAttr;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.SendFlags;
import ib.core.verbs.WcStatus;
import ib.core.wire.BthOpcode;
import ib.engine.qp.HcaConfig;
import ib.engine.time.VirtualClock;
import ib.engine.wire.Packet;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** IBA 9.8: messages that an unreliable connection cannot take, on both kinds of wire. */
class UnreliableTest {
  private static final int MTU = 1024; // of the rig
  private static final int FIRST_PSN = 0xfffffe; // of the rig
  private static final int LONG = 3 * MTU + 1;

  private final Rig rig =
      new Rig(new VirtualClock(), false, HcaConfig.of(0x10, 0x11), HcaConfig.of(0x20, 0x21));
  private final Rig.Side a = rig.a();
  private final Rig.Side b = rig.b();

  private void connect(boolean segments) {
    rig.connect(QpType.UC);
    rig.wire.segments(segments);
  }

  @AfterEach
  void close() {
    rig.close();
  }

  private void receive(int id, int bytes) {
    b.qp.postReceive(id, b.mr.lkey(), b.mr.iova(), bytes);
  }

  /** Sends from a region, or writes where a key is given; the sender knows of no failure. */
  private void send(MemoryRegion from, int rkey, int length) {
    post(from, rkey, length);
    assertEquals(WcStatus.SUCCESS, Rig.next(a.sendCq).status());
  }

  private void post(MemoryRegion from, int rkey, int length) {
    a.qp.wrStart();
    a.qp.wrId(1).wrFlags(SendFlags.SIGNALED);
    if (rkey == 0) {
      a.qp.wrSend();
    } else {
      a.qp.wrRdmaWrite(rkey, b.mr.iova());
    }
    a.qp.wrSetSge(from.lkey(), from.iova(), length);
    assertEquals(0, a.qp.wrComplete());
    rig.settle();
  }

  private void count(Map<String, Long> expected) {
    Map<String, Long> now = b.hca.counters(1);
    for (String name : List.of("drop_no_receive", "drop_sequence", "drop_fault", "rcvd_pkts")) {
      assertEquals(expected.getOrDefault(name, 0L), now.getOrDefault(name, 0L), name);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @DisplayName("IBA 9.8.2.2: without a receive a message is dropped, and the next is taken")
  void noReceive(boolean segments) {
    connect(segments);
    send(a.mr, 0, LONG);
    Rig.assertEmpty(b.recvCq);
    count(Map.of("drop_no_receive", 1L, "drop_sequence", 3L, "rcvd_pkts", 4L));
    receive(5, LONG);
    send(a.mr, 0, LONG);
    assertEquals(LONG, Rig.next(b.recvCq).byteLen());
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @DisplayName("IBA 9.8.2.2: a write that has no right is dropped, and the next is taken")
  void noRight(boolean segments) {
    connect(segments);
    send(a.mr, b.mr.rkey() ^ 1, LONG);
    assertEquals(QpState.RTS, b.qp.state());
    count(Map.of("drop_sequence", 4L, "rcvd_pkts", 4L));
    a.mr.segment().set(ValueLayout.JAVA_BYTE, LONG - 1, (byte) 9);
    send(a.mr, b.mr.rkey(), LONG);
    assertEquals(9, b.mr.segment().get(ValueLayout.JAVA_BYTE, LONG - 1));
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @DisplayName("IBA 9.8.2.2: a message longer than its receive ends the connection")
  void tooLong(boolean segments) {
    connect(segments);
    receive(5, MTU + 1);
    send(a.mr, 0, LONG);
    assertEquals(WcStatus.LOC_LEN_ERR, Rig.next(b.recvCq).status());
    assertEquals(QpState.ERR, b.qp.state());
    assertEquals(QpState.RTS, a.qp.state());
  }

  @ParameterizedTest
  @CsvSource({"false, false", "false, true", "true, false", "true, true"})
  @DisplayName("D6: a message whose memory goes away under way is dropped, and the next is taken")
  void sourceGone(boolean segments, boolean write) {
    connect(segments);
    receive(5, LONG);
    losesMemory(write ? b.mr.rkey() : 0);
    assertEquals(QpState.SQE, a.qp.state());
    assertEquals(QpState.RTS, b.qp.state());
    long first = segments ? 1 : 4;
    count(Map.of("drop_fault", first, "drop_sequence", 4 - first, "rcvd_pkts", 4L));
    a.qp.modify(new QpAttr().state(QpState.RTS).curState(QpState.SQE));
    send(a.mr, 0, LONG);
    assertEquals(5, Rig.next(b.recvCq).wrId());
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @DisplayName("D6: to a reliable peer such a message is one that never came")
  void reliable(boolean write) {
    rig.connect(QpType.RC);
    receive(5, LONG);
    losesMemory(write ? b.mr.rkey() : 0);
    assertEquals(QpState.ERR, a.qp.state());
    assertEquals(QpState.RTS, b.qp.state());
  }

  private void losesMemory(int rkey) {
    MemoryRegion gone = a.pd.allocMemory(LONG, 8, Rig.ALL_ACCESS);
    rig.wire.holds(p -> true);
    post(gone, rkey, LONG);
    gone.close();
    rig.wire.holds(null);
    rig.wire.deliverHeld(UnreliableTest::any, b.hca.newRunContext());
    rig.settle();
    Rig.assertEmpty(b.recvCq);
    assertEquals(WcStatus.LOC_PROT_ERR, Rig.next(a.sendCq).status());
  }

  /** Packets of one MTU each, the last of 9 bytes; their numbers count from the expected one. */
  private void arrive(Object... opcodesAndNumbers) {
    connect(true);
    receive(5, LONG);
    Forge forge = new Forge(rig, b, a);
    for (int i = 0; i < opcodesAndNumbers.length; i += 2) {
      BthOpcode opcode = (BthOpcode) opcodesAndNumbers[i];
      int psn = FIRST_PSN + (int) opcodesAndNumbers[i + 1];
      boolean whole = opcode == UC_SEND_FIRST || opcode == UC_SEND_MIDDLE;
      forge.arrive(forge.packet(opcode, psn, whole ? MTU : 9));
    }
    assertEquals(List.of(), forge.answers, "it never answers");
  }

  private void takes(int bytes, long dropped) {
    assertEquals(bytes, Rig.next(b.recvCq).byteLen());
    Rig.assertEmpty(b.recvCq);
    assertEquals(dropped, b.hca.counters(1).getOrDefault("drop_sequence", 0L));
  }

  @Test
  @DisplayName("IBA 9.8.2.2: the rest of a message whose first packet is lost is dropped")
  void firstLost() {
    arrive(UC_SEND_MIDDLE, 1, UC_SEND_MIDDLE, 2, UC_SEND_LAST, 3, UC_SEND_ONLY, 4);
    takes(9, 3);
  }

  @Test
  @DisplayName("IBA 9.8.2.2: the rest of a message whose middle is lost is dropped")
  void middleLost() {
    arrive(UC_SEND_FIRST, 0, UC_SEND_MIDDLE, 2, UC_SEND_LAST, 3, UC_SEND_ONLY, 4);
    takes(9, 2);
  }

  @Test
  @DisplayName("IBA 9.8.2.2: a message that follows lost packets is taken at once")
  void lostBetween() {
    arrive(UC_SEND_FIRST, 0, UC_SEND_FIRST, 7, UC_SEND_LAST, 8);
    takes(MTU + 9, 0);
  }

  @Test
  @DisplayName("IBA 9.8.2.2: a message that begins before the last one has ended takes its place")
  void begunAnew() {
    arrive(UC_SEND_FIRST, 0, UC_SEND_FIRST, 1, UC_SEND_LAST, 2);
    takes(MTU + 9, 0);
  }

  private static boolean any(Packet p) {
    return true;
  }
}
