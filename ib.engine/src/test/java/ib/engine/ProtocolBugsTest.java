package ib.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.Access;
import ib.core.verbs.EventType;
import ib.core.verbs.MemoryRegion;
import ib.core.verbs.PostStatus;
import ib.core.verbs.QpAttr;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.SendFlags;
import ib.core.verbs.SrqAttr;
import ib.core.verbs.SrqInit;
import ib.core.verbs.WcStatus;
import ib.core.wire.BthOpcode;
import ib.engine.qp.HcaConfig;
import ib.engine.time.VirtualClock;
import ib.engine.verbs.Probe;
import ib.engine.wire.Packet;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Bugs that were planted once and that no other test has noticed. */
@DisplayName("C: planted bugs of the engine that passed")
class ProtocolBugsTest {
  private static final int PSN = 0xfffffe;
  private static final int MTU = 1024;
  private static final long TIMEOUT = 4096L << 14;

  private final VirtualClock clock = new VirtualClock();
  private final Rig rig = new Rig(clock, false, HcaConfig.of(0x10, 0x11), HcaConfig.of(0x20, 0x21));

  @AfterEach
  void close() {
    rig.close();
  }

  private int write(int id, int length) {
    Rig.Side a = rig.a();
    a.qp.wrStart();
    a.qp.wrId(id).wrFlags(SendFlags.SIGNALED);
    a.qp.wrRdmaWrite(rig.b().mr.rkey(), rig.b().mr.iova());
    a.qp.wrSetSge(a.mr.lkey(), a.mr.iova(), length);
    return a.qp.wrComplete();
  }

  private void pass(long ns) {
    for (long step = TIMEOUT / 8, t = 0; t < ns; t += step) {
      clock.advance(step);
      rig.settle();
    }
  }

  @Test
  @DisplayName("a queue pair that is reset while its timer runs times out again in its next life")
  void timesOutAgain() {
    rig.connect(QpType.RC, 16, 14, 3, 7);
    rig.wire.loses(p -> true);
    for (int life = 0; life < 3; life++) {
      assertEquals(PostStatus.OK, write(life, 8));
      rig.settle();
      assertTrue(rig.a().hca.earliestTimerNs() < Long.MAX_VALUE, "its timer runs");
      rig.a().qp.modify(new QpAttr().state(QpState.RESET));
      Rig.bringUp(rig.a(), rig.a().qp, rig.b().qp.qpn(), rig.b().lid(), 14, 3, 7);
    }
    assertEquals(PostStatus.OK, write(9, 8));
    pass(12 * TIMEOUT);
    assertEquals(WcStatus.RETRY_EXC_ERR, Rig.next(rig.a().sendCq).status());
  }

  @Test
  @DisplayName("a queue pair that goes while it waits for a receiver leaves no timer behind")
  void receiverTimer() {
    rig.connect(QpType.RC, 16, 0, 7, 7); // without an acknowledgement timer
    rig.b().qp.modify(new QpAttr().state(QpState.RTS).minRnrTimer(31)); // 491.52 ms
    Rig.Side a = rig.a();
    a.qp.wrStart();
    a.qp.wrId(1);
    a.qp.wrSend();
    a.qp.wrSetSge(a.mr.lkey(), a.mr.iova(), 8);
    assertEquals(PostStatus.OK, a.qp.wrComplete());
    rig.settle();
    assertEquals(1L, a.hca.counters(1).get("rcvd_rnr_err"));
    assertTrue(a.hca.earliestTimerNs() < Long.MAX_VALUE, "it waits");
    a.qp.close();
    rig.settle();
    assertEquals(Long.MAX_VALUE, a.hca.earliestTimerNs(), Probe.timers(a.hca));
  }

  @ParameterizedTest
  @CsvSource({
    // of the queue pair, of the region: what the atomic and the atomic write come to
    "ATOMIC, ATOMIC, 1f, 61",
    "WRITE, ATOMIC, 61, 62",
    "READ, ATOMIC, 61, 61",
    "ATOMIC, WRITE, 62, 61",
    "ATOMIC, READ, 62, 61",
    "WRITE, WRITE, 61, 1f",
  })
  @DisplayName("IBA 9.4.5: atomics ask for REMOTE_ATOMIC, atomic writes for REMOTE_WRITE")
  void atomicRights(String ofPair, String ofRegion, String atomic, String atomicWrite) {
    for (boolean writes : new boolean[] {false, true}) {
      rig.connect(QpType.RC, 16, 14, 1, 0);
      Rig.Side b = rig.b();
      MemoryRegion mr = b.pd.allocMemory(64, 8, Access.LOCAL_WRITE | right(ofRegion));
      b.qp.modify(new QpAttr().state(QpState.RTS).accessFlags(right(ofPair)));
      Forge forge = new Forge(rig, b, rig.a());
      BthOpcode opcode = writes ? BthOpcode.RC_ATOMIC_WRITE : BthOpcode.RC_FETCH_ADD;
      Packet p = forge.packet(opcode, PSN, writes ? 8 : 0);
      p.rkey = mr.rkey();
      p.remoteAddress = mr.iova();
      p.swapAdd = 3;
      forge.arrive(p);
      assertEquals(1, forge.answers.size());
      String expected = writes ? atomicWrite : atomic;
      assertEquals(Integer.parseInt(expected, 16), forge.answers.getFirst().syndrome());
      assertEquals(
          !writes && expected.equals("1f") ? 3 : 0, mr.segment().get(ValueLayout.JAVA_LONG, 0));
      rig.wire.loses(null);
      rig.sides.forEach(s -> s.qp.close());
    }
  }

  private static int right(String name) {
    return switch (name) {
      case "ATOMIC" -> Access.REMOTE_ATOMIC;
      case "WRITE" -> Access.REMOTE_WRITE;
      default -> Access.REMOTE_READ;
    };
  }

  @ParameterizedTest
  @CsvSource({"0", "1", "2", "3", "4", "5", "6", "7"})
  @DisplayName("IBA 9.7.5.1.1: go-back-N goes back to the packet that was lost, not less, not more")
  void goBack(int lost) {
    rig.connect(QpType.RC, 16, 14, 7, 7);
    rig.wire.segments(true);
    List<Integer> sent = new ArrayList<>();
    rig.wire.loses(
        p -> {
          if (p.slid != rig.a().lid()) {
            return false;
          }
          int n = p.psn - PSN & 0xffffff;
          sent.add(n);
          return n == lost && sent.indexOf(n) == sent.size() - 1;
        });
    rig.a().qp.wrStart();
    for (int i = 0; i < 3; i++) { // three packets each, posted together
      rig.a().qp.wrId(i).wrFlags(SendFlags.SIGNALED);
      rig.a().qp.wrRdmaWrite(rig.b().mr.rkey(), rig.b().mr.iova());
      rig.a().qp.wrSetSge(rig.a().mr.lkey(), rig.a().mr.iova(), 3 * MTU);
    }
    assertEquals(PostStatus.OK, rig.a().qp.wrComplete());
    rig.settle();
    for (int i = 0; i < 3; i++) {
      assertEquals(i, Rig.next(rig.a().sendCq).wrId());
    }
    int again = sent.lastIndexOf(lost);
    assertEquals(IntStream.range(0, again).boxed().toList(), sent.subList(0, again), "" + sent);
    assertEquals(
        IntStream.range(lost, 9).boxed().toList(), sent.subList(again, sent.size()), "" + sent);
  }

  @Test
  @DisplayName("IBA 9.7.5.1.9: as many atomics are answered again as may be under way, no more")
  void replay() {
    rig.connect(QpType.RC, 16, 14, 1, 0);
    Rig.Side b = rig.b();
    Forge forge = new Forge(rig, b, rig.a());
    for (int i = 0; i < 6; i++) { // the table has 4 places
      add(forge, i);
    }
    assertEquals(6, b.mr.segment().get(ValueLayout.JAVA_LONG, 0));
    forge.answers.clear();
    for (int i = 5; i >= 2; i--) {
      long[] original = {-1};
      rig.wire.sees = p -> original[0] = p.swapAdd;
      add(forge, i);
      assertEquals(i, original[0], "what it found the first time");
    }
    assertEquals(List.of(5, 4, 3, 2), forge.answers.stream().map(a -> a.psn() - PSN & 7).toList());
    rig.wire.sees = null;
    forge.answers.clear();
    add(forge, 1);
    assertEquals(List.of(), forge.answers, "forgotten");
    assertEquals(1L, b.hca.counters(1).get("drop_duplicate"));
    b.qp.modify(new QpAttr().state(QpState.SQD));
    b.qp.modify(new QpAttr().state(QpState.SQD).maxDestRdAtomic(2));
    add(forge, 4);
    add(forge, 5);
    assertEquals(2, forge.answers.size(), "the newest are kept");
    add(forge, 3);
    assertEquals(2, forge.answers.size());
    b.qp.modify(new QpAttr().state(QpState.SQD).maxDestRdAtomic(4));
    add(forge, 6);
    add(forge, 4);
    add(forge, 6);
    assertEquals(5, forge.answers.size());
    assertEquals(7, b.mr.segment().get(ValueLayout.JAVA_LONG, 0), "each is executed once");
  }

  private static void add(Forge forge, int n) {
    Packet p = forge.packet(BthOpcode.RC_FETCH_ADD, PSN + n, 0);
    p.swapAdd = 1;
    forge.arrive(p);
  }

  @Test
  @DisplayName("a duplicate before a READ is acknowledged at its own PSN, not the READ's")
  void duplicateBeforeRead() {
    rig.connect(QpType.RC, 16, 14, 1, 0);
    Rig.Side b = rig.b();
    Forge forge = new Forge(rig, b, rig.a());
    forge.arrive(forge.packet(BthOpcode.RC_RDMA_WRITE_ONLY, PSN, 8));
    forge.arrive(forge.packet(BthOpcode.RC_RDMA_WRITE_ONLY, PSN + 1, 8));
    Packet read = forge.packet(BthOpcode.RC_RDMA_READ_REQUEST, PSN + 2, 0);
    read.dmaLength = 8;
    forge.arrive(read);
    forge.answers.clear();
    forge.arrive(forge.packet(BthOpcode.RC_RDMA_WRITE_ONLY, PSN, 8));
    forge.arrive(forge.packet(BthOpcode.RC_RDMA_WRITE_ONLY, PSN + 1, 8));
    assertEquals(
        List.of(PSN, PSN + 1),
        forge.answers.stream().map(Forge.Answer::psn).toList(),
        "" + forge.answers);
    forge.arrive(forge.packet(BthOpcode.RC_RDMA_WRITE_ONLY, PSN + 3, 8)); // after the READ
    forge.answers.clear();
    forge.arrive(forge.packet(BthOpcode.RC_RDMA_WRITE_ONLY, PSN, 8));
    assertEquals(PSN + 3 & 0xffffff, forge.answers.getFirst().psn(), "for all before");
  }

  @ParameterizedTest
  @CsvSource({"1", "2", "3", "5"})
  @DisplayName("IBA 10.2.9.3: the limit event comes when fewer receives are left than the limit")
  void sharedLimit(int limit) {
    Rig.Side b = rig.b();
    b.srq = b.pd.createSrq(new SrqInit(new SrqAttr(16, 1, limit), null, null));
    rig.connect(QpType.RC, 16, 14, 7, 7);
    for (int i = 0; i < 6; i++) {
      assertEquals(PostStatus.OK, b.srq.postReceive(i, b.mr.lkey(), b.mr.iova(), 8));
    }
    for (int left = 5; left >= 0; left--) {
      Rig.Side a = rig.a();
      a.qp.wrStart();
      a.qp.wrId(left);
      a.qp.wrSend();
      a.qp.wrSetSge(a.mr.lkey(), a.mr.iova(), 8);
      assertEquals(PostStatus.OK, a.qp.wrComplete());
      rig.settle();
      assertEquals(left < limit, b.device.heard(EventType.SRQ_LIMIT_REACHED), left + " are left");
    }
  }
}
