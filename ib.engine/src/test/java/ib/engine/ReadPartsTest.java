package ib.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.MemoryRegion;
import ib.core.verbs.QpAttr;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.SendFlags;
import ib.core.verbs.WcStatus;
import ib.core.wire.BthOpcode;
import ib.engine.qp.HcaConfig;
import ib.engine.qp.QpCore;
import ib.engine.time.VirtualClock;
import ib.engine.wire.Packet;
import ib.engine.wire.RunContext;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A read of more packets than a part has, on a medium that segments and loses. */
class ReadPartsTest {
  private static final int MTU = 1024;
  private static final int WINDOW = 128; // of HcaConfig
  private static final int PART = WINDOW / 2;
  private static final int READ_PACKETS = 1000;
  private static final int TIMEOUT = 8;
  private static final int PATIENCE = 200; // timeouts

  private final VirtualClock clock = new VirtualClock();
  private final Rig rig = new Rig(clock, false, HcaConfig.of(0x10, 0x11), HcaConfig.of(0x20, 0x21));
  private final Rig.Side a = rig.a();
  private final Rig.Side b = rig.b();
  private final List<Integer> asked = new ArrayList<>(); // packets of each read request
  private MemoryRegion from;
  private MemoryRegion into;

  @BeforeEach
  void connect() {
    rig.wire.segments(true);
    rig.connect(QpType.RC, 16, TIMEOUT, 7, 7);
    from = b.pd.allocMemory(READ_PACKETS * MTU, 8, Rig.ALL_ACCESS);
    into = a.pd.allocMemory(READ_PACKETS * MTU, 8, Rig.ALL_ACCESS);
    byte[] bytes = new byte[READ_PACKETS * MTU];
    new Random(1).nextBytes(bytes);
    from.segment().copyFrom(MemorySegment.ofArray(bytes));
  }

  @AfterEach
  void close() {
    rig.close();
  }

  private QpCore core() {
    return Objects.requireNonNull(a.hca.port(1).queuePair(a.qp.qpn()));
  }

  private void resources(int most) {
    a.qp.modify(new QpAttr().state(QpState.SQD));
    rig.settle();
    a.qp.modify(new QpAttr().state(QpState.SQD).maxRdAtomic(most));
    b.qp.modify(new QpAttr().state(QpState.SQD));
    rig.settle();
    b.qp.modify(new QpAttr().state(QpState.SQD).maxDestRdAtomic(most));
    a.qp.modify(new QpAttr().state(QpState.RTS));
    b.qp.modify(new QpAttr().state(QpState.RTS));
  }

  private void read(int bytes) {
    a.qp.wrStart();
    a.qp.wrFlags(SendFlags.SIGNALED);
    a.qp.wrRdmaRead(from.rkey(), from.iova());
    a.qp.wrSetSge(into.lkey(), into.iova(), bytes);
    assertEquals(0, a.qp.wrComplete());
  }

  private void fetchAdd() {
    a.qp.wrStart();
    a.qp.wrFlags(SendFlags.SIGNALED);
    a.qp.wrAtomicFetchAdd(b.mr.rkey(), b.mr.iova(), 1);
    a.qp.wrSetSge(a.mr.lkey(), a.mr.iova(), Long.BYTES);
    assertEquals(0, a.qp.wrComplete());
  }

  private static boolean isRead(Packet p) {
    return p.opcode == BthOpcode.RC_RDMA_READ_REQUEST.value();
  }

  private static boolean isAnswer(Packet p) {
    return p.opcode >= BthOpcode.RC_RDMA_READ_RESPONSE_FIRST.value()
        && p.opcode <= BthOpcode.RC_RDMA_READ_RESPONSE_ONLY.value();
  }

  /** Notes what is asked for, and loses nothing. */
  private void watch() {
    rig.wire.loses(
        p -> {
          if (isRead(p)) {
            asked.add((p.dmaLength + MTU - 1) / MTU);
          }
          return false;
        });
  }

  private void release() {
    List<Packet> held = List.copyOf(rig.wire.held);
    rig.wire.held.clear();
    release(b, held);
  }

  private void release(Rig.Side at, List<Packet> packets) {
    rig.wire.holds(null);
    RunContext run = at.hca.newRunContext();
    packets.forEach(p -> at.hca.port(1).receive(p, run));
    run.finish();
    rig.settle();
  }

  private void assertRead(long bytes) {
    assertEquals(WcStatus.SUCCESS, Rig.next(a.sendCq).status());
    long mismatch = from.segment().asSlice(0, bytes).mismatch(into.segment().asSlice(0, bytes));
    assertEquals(-1, mismatch);
    assertEquals(0, core().sending.readsOut);
  }

  @ParameterizedTest(name = "{0} allowed, {1} parts asked for at once")
  @CsvSource({"1, 1", "2, 2", "16, 2"})
  @DisplayName("no more is owed than the window has packets and the peer allows requests")
  void window(int resources, int parts) {
    resources(resources);
    rig.wire.holds(ReadPartsTest::isRead);
    read(READ_PACKETS * MTU);
    rig.settle();
    assertEquals(parts, rig.wire.held.size());
    assertTrue(parts * PART <= WINDOW);
    rig.wire.held.forEach(p -> assertEquals(PART * MTU, p.dmaLength));
    release();
    assertRead(READ_PACKETS * MTU);
  }

  @ParameterizedTest(name = "{0} bytes")
  @CsvSource({
    "65536, 64",
    "65537, 64 1",
    "131072, 64 64",
    "1, 1",
    "204799, 64 64 64 8",
  })
  @DisplayName("each part but the last has half a window of packets")
  void parts(int bytes, String expected) {
    watch();
    read(bytes);
    rig.settle();
    assertRead(bytes);
    assertEquals(List.of(expected.split(" ")), asked.stream().map(String::valueOf).toList());
  }

  @Test
  @DisplayName("inside one JVM a read is one request")
  void whole() {
    rig.wire.segments(false);
    watch();
    read(READ_PACKETS * MTU);
    rig.settle();
    assertRead(READ_PACKETS * MTU);
    assertEquals(List.of(READ_PACKETS), asked);
  }

  @ParameterizedTest(name = "in parts: {0}")
  @ValueSource(booleans = {true, false})
  @DisplayName("a medium that begins to segment, or ceases, changes nothing for a read under way")
  void changes(boolean parts) {
    rig.wire.segments(parts);
    rig.wire.holds(ReadPartsTest::isRead);
    read(3 * PART * MTU);
    rig.settle();
    assertEquals(parts ? PART * MTU : 3 * PART * MTU, rig.wire.held.element().dmaLength);
    rig.wire.segments(!parts);
    release();
    assertRead(3L * PART * MTU);
  }

  @Test
  @DisplayName("an atomic behind a read takes the place of a part that was answered")
  void atomicBehind() {
    resources(2);
    rig.wire.holds(p -> isRead(p) || p.opcode == BthOpcode.RC_FETCH_ADD.value());
    read(2 * PART * MTU);
    fetchAdd();
    rig.settle();
    assertEquals(2, rig.wire.held.size());
    release();
    assertRead(2L * PART * MTU);
    assertEquals(WcStatus.SUCCESS, Rig.next(a.sendCq).status());
  }

  @Test
  @DisplayName("IBA 9.7.5.2.8: a part that may not be read fails the read as such, without a retry")
  void refused() {
    MemoryRegion shorter = b.pd.allocMemory(3 * PART * MTU - 1, 8, Rig.ALL_ACCESS);
    from = shorter;
    read(3 * PART * MTU);
    rig.settle();
    assertEquals(WcStatus.REM_ACCESS_ERR, Rig.next(a.sendCq).status());
    assertEquals(0L, a.hca.counters(1).get("completer_retry_err"));
  }

  @Test
  @DisplayName(
      "an answer that is lost halves the window; what is missing is asked for part by part")
  void lostAnswer() {
    int[] answers = {0};
    rig.wire.loses(
        p -> {
          if (isRead(p)) {
            asked.add(p.dmaLength / MTU);
          }
          return isAnswer(p) && answers[0]++ == 40;
        });
    int before = core().sending.windowSize();
    read(2 * PART * MTU);
    rig.settle();
    assertRead(2L * PART * MTU);
    assertEquals(WINDOW, before);
    assertTrue(core().sending.windowSize() < WINDOW);
    assertEquals(List.of(64, 64, 24, 64), asked);
    assertEquals(1L, a.hca.counters(1).get("completer_retry_err"));
  }

  @ParameterizedTest(name = "of {0} packets")
  @ValueSource(ints = {2, 3})
  @DisplayName("an answer that comes too late to be asked for again does not count twice")
  void lateAnswer(int packets) {
    rig.wire.holds(ReadPartsTest::isAnswer);
    read(packets * MTU);
    read(packets * MTU);
    rig.settle();
    List<Packet> answers = new ArrayList<>(rig.wire.held);
    rig.wire.held.clear();
    answers.add(
        1, answers.remove(packets)); // the first of the second read before some of the first
    release(a, answers.subList(0, packets + 1));
    answers.subList(packets + 1, answers.size()).forEach(p -> p.free()); // the others are lost
    assertEquals(WcStatus.SUCCESS, Rig.next(a.sendCq).status());
    assertRead((long) packets * MTU);
  }

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20})
  @DisplayName(
      "whatever is lost, a read brings all of its bytes, and the atomic behind it runs once")
  void losses(long seed) {
    Random random = new Random(seed);
    resources(1 + random.nextInt(6));
    rig.wire.loses(p -> random.nextInt(40) == 0);
    for (int turn = 0; turn < 5; turn++) {
      long before = value();
      int bytes = 1 + random.nextInt(READ_PACKETS * MTU);
      into.segment().fill((byte) 0);
      read(bytes);
      fetchAdd();
      finish(2);
      assertRead(bytes);
      assertEquals(WcStatus.SUCCESS, Rig.next(a.sendCq).status());
      assertEquals(before + 1, value());
    }
  }

  private long value() {
    return b.mr.segment().get(ValueLayout.JAVA_LONG_UNALIGNED, 0);
  }

  private void finish(int requests) {
    long end = core().sending.head() + requests;
    rig.settle();
    for (int i = 0; i < PATIENCE && core().sending.head() < end; i++) {
      clock.advance(4096L << TIMEOUT);
      rig.settle();
    }
  }
}
