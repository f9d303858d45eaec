package ib.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.Mtu;
import ib.core.verbs.PostStatus;
import ib.core.verbs.QpAttr;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.SendFlags;
import ib.core.verbs.SendWr;
import ib.core.verbs.SrqAttr;
import ib.core.verbs.SrqInit;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WorkCompletion;
import ib.core.verbs.WrOpcode;
import ib.engine.qp.HcaConfig;
import ib.engine.time.NanoClock;
import ib.engine.time.VirtualClock;
import ib.engine.wire.Packet;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Long messages on a wire of real packets: no stall, and every packet as IBA 9.7 says. */
class SegmentingTest {
  private static final int HALF = 1 << 19;
  private static final int LONGEST = 300_000;
  private static final WrOpcode[] OPS = {
    WrOpcode.SEND,
    WrOpcode.RDMA_WRITE,
    WrOpcode.RDMA_READ,
    WrOpcode.RDMA_WRITE_WITH_IMM,
    WrOpcode.ATOMIC_FETCH_AND_ADD
  };

  private int mtu;
  private String wrong = "";

  private Rig rig(NanoClock clock, boolean threads, int requests, int responses, int window) {
    return new Rig(
        clock,
        threads,
        HcaConfig.of(0x10, 0x11).withPace(1 << 16, 1 << 18, requests, responses, window),
        HcaConfig.of(0x20, 0x21).withPace(1 << 16, 1 << 18, requests, responses, window));
  }

  private void connect(Rig rig, Mtu path) {
    mtu = path.bytes();
    rig.wire.segments(true);
    rig.wire.loses(this::inspect);
    for (Rig.Side s : rig.sides) {
      s.srq = s.pd.createSrq(new SrqInit(new SrqAttr(64, 1, 0), null, null));
      s.qp = s.pd.createQp(Rig.init(s, QpType.RC, 64));
    }
    for (int i = 0; i < 2; i++) {
      Rig.Side s = rig.sides.get(i);
      Rig.Side peer = rig.sides.get(1 - i);
      Rig.toRtr(s.qp, peer.qp.qpn(), peer.lid(), path);
      s.qp.modify(
          new QpAttr()
              .state(QpState.RTS)
              .sqPsn(0xfffffe)
              .timeout(14)
              .retryCount(7)
              .rnrRetry(7)
              .maxRdAtomic(4));
    }
  }

  /** IBA 9.7.2: FIRST and MIDDLE are exactly the path MTU, nothing is longer, one number each. */
  private boolean inspect(Packet p) {
    int n = p.payload.length();
    boolean middle =
        switch (p.opcode & 0x1f) {
          case 0x00, 0x01, 0x06, 0x07, 0x0d, 0x0e -> true;
          default -> false;
        };
    boolean request = (p.opcode & 0x1f) == 0x0c; // of a read: its numbers are the responses'
    if (n > mtu || (middle && n != mtu) || (!request && p.psnCount != 1)) {
      wrong = "opcode " + p.opcode + ": " + n + " bytes, " + p.psnCount + " numbers";
    }
    return false;
  }

  @ParameterizedTest(name = "{0} request packets, {1} response packets, window {2}")
  @CsvSource({"16, 8, 128", "1, 1, 2", "2, 1, 3", "16, 1, 31", "64, 64, 33"})
  @DisplayName("no stall and no retransmission whatever the pools and the window, in virtual time")
  void paces(int requests, int responses, int window) {
    VirtualClock clock = new VirtualClock();
    for (Mtu path : List.of(Mtu.MTU_256, Mtu.MTU_1024, Mtu.MTU_4096)) {
      try (Rig rig = rig(clock, false, requests, responses, window)) {
        connect(rig, path);
        traffic(rig, clock, 40, path.value());
        assertEquals(0L, rig.a().hca.counters(1).get("rcvd_seq_err"));
        assertEquals(0L, rig.b().hca.counters(1).get("duplicate_request"));
      }
    }
    assertEquals("", wrong);
  }

  @ParameterizedTest
  @EnumSource(Mtu.class)
  @DisplayName("no stall with the device's own threads, receiver not ready in between")
  void threads(Mtu path) {
    try (Rig rig = rig(NanoClock.SYSTEM, true, 16, 8, 128)) {
      connect(rig, path);
      traffic(rig, null, 150, path.value());
    }
    assertEquals("", wrong);
  }

  /** Random operations, several at a time; receives are posted late on purpose. */
  private static void traffic(Rig rig, VirtualClock clock, int rounds, int seed) {
    SplittableRandom random = new SplittableRandom(seed);
    Rig.Side a = rig.a();
    Rig.Side b = rig.b();
    for (int round = 0; round < rounds; round++) {
      WrOpcode op = OPS[random.nextInt(OPS.length)];
      boolean atomic = op == WrOpcode.ATOMIC_FETCH_AND_ADD;
      boolean reads = op == WrOpcode.RDMA_READ;
      int length = atomic ? 8 : random.nextInt(random.nextBoolean() ? LONGEST : 5000);
      MemorySegment from = reads ? b.mr.segment() : a.mr.segment();
      MemorySegment to = reads ? a.mr.segment() : b.mr.segment();
      for (int i = 0; i < length; i += 64) {
        from.set(ValueLayout.JAVA_LONG, i, random.nextLong());
      }
      long remote = b.mr.iova() + (reads || atomic ? 0 : HALF);
      SendWr wr =
          new SendWr(1)
              .wrId(round)
              .opcode(op)
              .flags(SendFlags.SIGNALED)
              .rkey(b.mr.rkey())
              .remoteAddr(remote)
              .addSge(a.mr.lkey(), a.mr.iova() + (reads ? HALF : 0), length);
      boolean receives = op == WrOpcode.SEND || op == WrOpcode.RDMA_WRITE_WITH_IMM;
      boolean late = random.nextBoolean();
      if (receives && !late) {
        assertEquals(PostStatus.OK, b.srq.postReceive(1, b.mr.lkey(), b.mr.iova() + HALF, LONGEST));
      }
      assertEquals(PostStatus.OK, a.qp.postSend(wr));
      if (receives && late) {
        assertEquals(PostStatus.OK, b.srq.postReceive(1, b.mr.lkey(), b.mr.iova() + HALF, LONGEST));
      }
      WorkCompletion wc = next(rig, a, clock);
      assertEquals(WcStatus.SUCCESS, wc.status(), op + " of " + length);
      assertEquals(round, wc.wrId());
      if (receives) {
        assertEquals(length, Rig.await(b.recvCq).byteLen());
      }
      if (!atomic) {
        assertEquals(
            -1, from.asSlice(0, length).mismatch(to.asSlice(HALF, length)), op + " of " + length);
      }
    }
  }

  private static WorkCompletion next(Rig rig, Rig.Side side, VirtualClock clock) {
    if (clock == null) {
      return Rig.await(side.sendCq);
    }
    WorkCompletion[] wc = {new WorkCompletion()};
    long start = clock.nanoTime();
    rig.settle();
    while (side.sendCq.poll(wc, 1) == 0) { // RNR timers only: 10 us
      assertTrue(clock.nanoTime() - start < 20_000_000, "it waits for the ack timer: a stall");
      clock.advance(5_000);
      rig.settle();
    }
    return wc[0];
  }
}
