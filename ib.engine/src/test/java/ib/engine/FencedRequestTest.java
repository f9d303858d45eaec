package ib.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import ib.core.verbs.Access;
import ib.core.verbs.MemoryWindow;
import ib.core.verbs.MwType;
import ib.core.verbs.PostStatus;
import ib.core.verbs.QpType;
import ib.core.verbs.SendFlags;
import ib.core.verbs.SendWr;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WorkCompletion;
import ib.core.verbs.WrOpcode;
import ib.engine.qp.HcaConfig;
import ib.engine.time.VirtualClock;
import ib.engine.wire.Packet;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The requests that a fence delays, and until when, on both kinds of wire, in virtual time. */
@DisplayName("issue 3, section 1: fences (IBA 10.8.3.3)")
@ParameterizedClass(name = "segments: {0}")
@ValueSource(booleans = {false, true})
class FencedRequestTest {
  private static final int TIMEOUT_NS = 4096 << 8;

  private final VirtualClock clock = new VirtualClock();
  private final Rig rig = new Rig(clock, false, HcaConfig.of(0x10, 0x11), HcaConfig.of(0x20, 0x21));
  private final List<Integer> requests = new ArrayList<>();

  FencedRequestTest(boolean segments) {
    rig.wire.segments(segments);
  }

  @BeforeEach
  void connect() {
    rig.connect(QpType.RC, 16, 8, 7, 7);
    for (int i = 0; i < 4; i++) {
      rig.b().qp.postReceive(i, rig.b().mr.lkey(), rig.b().mr.iova() + 4096, 64);
    }
    rig.wire.loses(this::watch);
    rig.wire.holds(FencedRequestTest::isAnswer);
  }

  @AfterEach
  void close() {
    rig.close();
  }

  private boolean watch(Packet p) {
    if (p.dlid == rig.b().lid()) {
      requests.add(p.opcode);
    }
    return false;
  }

  private static boolean isAnswer(Packet p) {
    return p.opcode >= 0x0d && p.opcode <= 0x12;
  }

  private SendWr wr(WrOpcode op, int id, int flags) {
    return new SendWr(1)
        .wrId(id)
        .opcode(op)
        .flags(SendFlags.SIGNALED | flags)
        .rkey(rig.b().mr.rkey())
        .remoteAddr(rig.b().mr.iova())
        .addSge(rig.a().mr.lkey(), rig.a().mr.iova(), 8);
  }

  private void post(SendWr... wrs) {
    for (int i = 1; i < wrs.length; i++) {
      wrs[i - 1].next(wrs[i]);
    }
    assertEquals(PostStatus.OK, rig.a().qp.postSend(wrs[0]));
    rig.settle();
  }

  private void answer(int count) {
    for (int i = 0; i < count; i++) {
      Packet oldest = rig.wire.held.peek();
      rig.wire.deliverHeld(p -> p == oldest, rig.a().hca.newRunContext());
    }
    rig.settle();
  }

  private void completes(int id) {
    WorkCompletion wc = Rig.next(rig.a().sendCq);
    assertEquals(WcStatus.SUCCESS, wc.status());
    assertEquals(id, wc.wrId());
  }

  @ParameterizedTest(name = "{0} before {1}")
  @CsvSource({
    "RDMA_READ, SEND",
    "RDMA_READ, SEND_WITH_IMM",
    "RDMA_READ, RDMA_WRITE",
    "RDMA_READ, RDMA_WRITE_WITH_IMM",
    "RDMA_READ, RDMA_READ",
    "RDMA_READ, ATOMIC_FETCH_AND_ADD",
    "ATOMIC_CMP_AND_SWP, SEND",
    "ATOMIC_CMP_AND_SWP, RDMA_WRITE",
    "ATOMIC_FETCH_AND_ADD, SEND",
    "ATOMIC_FETCH_AND_ADD, RDMA_WRITE",
    "ATOMIC_FETCH_AND_ADD, ATOMIC_CMP_AND_SWP",
  })
  @DisplayName(
      "a fenced request is sent when the answer is here; without the fence it goes at once")
  void holdsBack(WrOpcode first, WrOpcode second) {
    post(wr(first, 1, 0), wr(second, 2, 0));
    assertEquals(2, requests.size(), "no fence: both are under way " + requests);
    answer(2);
    completes(1);
    completes(2);
    requests.clear();
    post(wr(first, 3, 0), wr(second, 4, SendFlags.FENCE));
    assertEquals(1, requests.size(), "the fenced one waits: " + requests);
    Rig.assertEmpty(rig.a().sendCq);
    answer(1);
    completes(3);
    assertEquals(2, requests.size());
    answer(1);
    completes(4);
  }

  @Test
  @DisplayName("all reads and atomics before it must be done, not only the oldest")
  void all() {
    post(
        wr(WrOpcode.RDMA_READ, 1, 0),
        wr(WrOpcode.ATOMIC_FETCH_AND_ADD, 2, 0),
        wr(WrOpcode.RDMA_READ, 3, 0),
        wr(WrOpcode.SEND, 4, SendFlags.FENCE));
    for (int i = 1; i <= 3; i++) {
      assertEquals(3, requests.size(), requests.toString());
      answer(1);
      completes(i);
    }
    assertEquals(4, requests.size());
  }

  @Test
  @DisplayName("what stands behind a fenced request is held back with it: requests stay in order")
  void inOrder() {
    post(
        wr(WrOpcode.RDMA_READ, 1, 0),
        wr(WrOpcode.RDMA_WRITE, 2, SendFlags.FENCE),
        wr(WrOpcode.SEND, 3, 0));
    assertEquals(1, requests.size());
    answer(1);
    assertEquals(List.of(0x0c, 0x0a, 0x04), requests);
  }

  @ParameterizedTest
  @EnumSource(
      value = WrOpcode.class,
      names = {"SEND", "RDMA_WRITE"})
  @DisplayName("a fence does not wait for sends and writes")
  void notForWrites(WrOpcode first) {
    post(wr(first, 1, 0), wr(WrOpcode.SEND, 2, SendFlags.FENCE));
    assertEquals(2, requests.size());
  }

  @Test
  @DisplayName("a lost answer: the read is asked for again, the fenced request still waits")
  void retransmission() {
    post(wr(WrOpcode.RDMA_READ, 1, 0), wr(WrOpcode.SEND, 2, SendFlags.FENCE));
    Packet lost = rig.wire.held.remove();
    lost.release(rig.a().hca.newRunContext());
    for (int i = 0; i < 4; i++) {
      clock.advance(TIMEOUT_NS);
      rig.settle();
    }
    assertEquals(0L, requests.stream().filter(op -> op != 0x0c).count(), requests.toString());
    rig.wire.holds(null);
    answer(rig.wire.held.size());
    completes(1);
    completes(2);
  }

  @Test
  @DisplayName("requests that need no packet are fenced too")
  void local() {
    MemoryWindow window = rig.a().pd.allocWindow(MwType.TYPE_1);
    int closed = window.rkey();
    post(wr(WrOpcode.RDMA_READ, 1, 0));
    var qp = rig.a().qp;
    qp.wrStart();
    qp.wrId(2).wrFlags(SendFlags.SIGNALED | SendFlags.FENCE);
    qp.wrBindMw(window, closed + 1, rig.a().mr, rig.a().mr.iova(), 64, Access.REMOTE_WRITE);
    assertEquals(PostStatus.OK, qp.wrComplete());
    assertEquals(closed, window.rkey(), "not bound yet");
    answer(1);
    completes(1);
    completes(2);
    assertEquals(closed + 1, window.rkey());
  }
}
