package ib.engine;

import static ib.core.verbs.Access.LOCAL_WRITE;
import static ib.core.verbs.Access.MW_BIND;
import static ib.core.verbs.Access.REMOTE_ATOMIC;
import static ib.core.verbs.Access.REMOTE_READ;
import static ib.core.verbs.Access.REMOTE_WRITE;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import ib.core.spi.PacketCapture;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.MemoryRegion;
import ib.core.verbs.MemoryWindow;
import ib.core.verbs.MwType;
import ib.core.verbs.PostStatus;
import ib.core.verbs.ProtectionDomain;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.SendFlags;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WorkCompletion;
import ib.core.verbs.WrOpcode;
import ib.engine.qp.HcaConfig;
import ib.engine.time.VirtualClock;
import ib.engine.verbs.Probe;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * D5, D6: what a key, a window or a receive opens, to the byte and to the right, by each way
 * through the engine. Of each row the neighbour that just fits succeeds first, so that the keys are
 * known when the request comes that must be refused.
 */
class RefusalsTest {
  private static final int SEEN = 16384; // bytes of each memory that are compared
  private static final int AT = 4096; // where the target is in the receiver's memory
  private static final int OTHER = 8192; // where a second one is
  private static final int SPAN = 64;
  private static final long MS = 1_000_000;

  /** How requests are executed. */
  private enum Way {
    MAKER,
    HELPER,
    PACKETS,
    CAPTURED;

    boolean direct() {
      return this == MAKER || this == HELPER;
    }
  }

  /** What is refused; what it is called says what is wrong. */
  private enum Row {
    WRITE_PAST_WINDOW(WrOpcode.RDMA_WRITE, WcStatus.REM_ACCESS_ERR),
    WRITE_BEFORE_WINDOW(WrOpcode.RDMA_WRITE, WcStatus.REM_ACCESS_ERR),
    READ_PAST_WINDOW(WrOpcode.RDMA_READ, WcStatus.REM_ACCESS_ERR),
    READ_BY_WRITE_WINDOW(WrOpcode.RDMA_READ, WcStatus.REM_ACCESS_ERR),
    SEND_PAST_ELEMENT(WrOpcode.SEND, WcStatus.REM_INV_REQ_ERR, WcStatus.LOC_LEN_ERR),
    SEND_PAST_REGION(WrOpcode.SEND, WcStatus.REM_OP_ERR, WcStatus.LOC_PROT_ERR),
    SEND_READ_ONLY(WrOpcode.SEND, WcStatus.REM_OP_ERR, WcStatus.LOC_PROT_ERR),
    SEND_OTHER_DOMAIN(WrOpcode.SEND, WcStatus.REM_OP_ERR, WcStatus.LOC_PROT_ERR),
    SEND_STALE(WrOpcode.SEND, WcStatus.REM_OP_ERR, WcStatus.LOC_PROT_ERR),
    READ_NO_RIGHT(WrOpcode.RDMA_READ, WcStatus.REM_ACCESS_ERR),
    WRITE_NO_RIGHT(WrOpcode.RDMA_WRITE, WcStatus.REM_ACCESS_ERR),
    IMM_NO_RIGHT(WrOpcode.RDMA_WRITE_WITH_IMM, WcStatus.REM_ACCESS_ERR, WcStatus.WR_FLUSH_ERR),
    ADD_NO_RIGHT(WrOpcode.ATOMIC_FETCH_AND_ADD, WcStatus.REM_ACCESS_ERR),
    SWAP_NO_RIGHT(WrOpcode.ATOMIC_CMP_AND_SWP, WcStatus.REM_ACCESS_ERR),
    ATOMIC_WRITE_NO_RIGHT(WrOpcode.ATOMIC_WRITE, WcStatus.REM_ACCESS_ERR),
    WRITE_BEFORE(WrOpcode.RDMA_WRITE, WcStatus.REM_ACCESS_ERR),
    READ_BEFORE(WrOpcode.RDMA_READ, WcStatus.REM_ACCESS_ERR),
    WRITE_PAST(WrOpcode.RDMA_WRITE, WcStatus.REM_ACCESS_ERR),
    READ_PAST(WrOpcode.RDMA_READ, WcStatus.REM_ACCESS_ERR),
    ADD_PAST(WrOpcode.ATOMIC_FETCH_AND_ADD, WcStatus.REM_ACCESS_ERR),
    WRITE_STALE(WrOpcode.RDMA_WRITE, WcStatus.REM_ACCESS_ERR),
    READ_STALE(WrOpcode.RDMA_READ, WcStatus.REM_ACCESS_ERR),
    WRITE_OTHER_DOMAIN(WrOpcode.RDMA_WRITE, WcStatus.REM_ACCESS_ERR),
    READ_OTHER_DOMAIN(WrOpcode.RDMA_READ, WcStatus.REM_ACCESS_ERR),
    ADD_ASKEW(WrOpcode.ATOMIC_FETCH_AND_ADD, WcStatus.REM_INV_REQ_ERR),
    SWAP_ASKEW(WrOpcode.ATOMIC_CMP_AND_SWP, WcStatus.REM_INV_REQ_ERR),
    WRITE_PAST_SOURCE(WrOpcode.RDMA_WRITE, WcStatus.LOC_PROT_ERR),
    READ_INTO_READ_ONLY(WrOpcode.RDMA_READ, WcStatus.LOC_PROT_ERR);

    final WrOpcode op;
    final WcStatus status;
    final WcStatus received; // of the receive that was posted for it, or null

    Row(WrOpcode op, WcStatus status) {
      this(op, status, null);
    }

    Row(WrOpcode op, WcStatus status, WcStatus received) {
      this.op = op;
      this.status = status;
      this.received = received;
    }

    boolean says(String part) {
      return name().contains(part);
    }

    boolean atomic() {
      return op.name().startsWith("ATOMIC");
    }

    /** {@return the right that it asks of the memory} */
    int right() {
      return switch (op) {
        case SEND -> LOCAL_WRITE;
        case RDMA_READ -> REMOTE_READ;
        case ATOMIC_FETCH_AND_ADD, ATOMIC_CMP_AND_SWP -> REMOTE_ATOMIC;
        default -> REMOTE_WRITE;
      };
    }
  }

  /** What a consumer sees of a run. */
  private record Outcome(List<String> completions, List<String> events, List<byte[]> memory) {}

  @ParameterizedTest
  @EnumSource
  @DisplayName("D5, D6: refused alike by each way, and the neighbour that fits is not")
  void alike(Row row) {
    Outcome expected = new Run(row, Way.PACKETS).outcome();
    for (Way way : Way.values()) {
      Outcome got = new Run(row, way).outcome();
      assertEquals(expected.completions, got.completions, way + "");
      assertEquals(expected.events, got.events, way + "");
      for (int i = 0; i < 2; i++) {
        assertArrayEquals(expected.memory.get(i), got.memory.get(i), way + ": memory " + i);
      }
    }
  }

  /** One row by one way. */
  private static final class Run {
    private final Row row;
    private final Way way;
    private final VirtualClock clock = new VirtualClock();
    private final Rig rig =
        new Rig(clock, false, HcaConfig.of(0x10, 0x11), HcaConfig.of(0x20, 0x21))
            .connect(QpType.RC);
    private final Rig.Side a = rig.a();
    private final Rig.Side b = rig.b();
    private final List<String> completions = new ArrayList<>();
    private final List<PacketCapture.Session> sessions = new ArrayList<>();
    private final int all = LOCAL_WRITE | MW_BIND | REMOTE_READ | REMOTE_WRITE | REMOTE_ATOMIC;

    // of the request in hand
    private MemoryRegion source;
    private MemoryRegion target;
    private int rkey;
    private long remote;
    private int length;

    Run(Row row, Way way) {
      this.row = row;
      this.way = way;
    }

    Outcome outcome() {
      try (rig) {
        prepare();
        List<byte[]> before = memory();
        long packets = rig.wire.transmitted.get();
        request(WcStatus.SUCCESS, row.received == null ? null : WcStatus.SUCCESS);
        boolean none = packets == rig.wire.transmitted.get();
        assertEquals(way.direct() && !row.atomic(), none, "no packets");
        List<byte[]> after = memory();
        int changed = row.right() == REMOTE_READ ? 0 : 1;
        assertFalse(Arrays.equals(before.get(changed), after.get(changed)), "executed");

        spoil();
        request(row.status, row.received);
        boolean local = row.status == WcStatus.LOC_PROT_ERR;
        assertEquals(QpState.ERR, a.qp.state());
        assertEquals(local ? QpState.RTS : QpState.ERR, b.qp.state());
        for (int i = 0; i < 2; i++) {
          assertArrayEquals(after.get(i), memory().get(i), "refused: nothing is written at " + i);
        }
        List<String> events = new ArrayList<>();
        rig.sides.forEach(
            s -> s.device.events().forEach(e -> events.add(s.lid() + ": " + e.type())));
        return new Outcome(completions, events, after);
      } finally {
        sessions.forEach(PacketCapture.Session::close);
      }
    }

    /** The memory, and the request that fits. */
    private void prepare() {
      for (Rig.Side s : rig.sides) {
        for (int i = 0; i < SEEN; i++) {
          s.mr.segment().set(ValueLayout.JAVA_BYTE, i, (byte) (i * 31 + (i >> 8) + 7 * s.lid()));
        }
        if (way == Way.CAPTURED) {
          sessions.add(s.capture.start(new CaptureFile().sink(), PacketCapture.Filter.ALL));
        }
      }
      if (way == Way.PACKETS) {
        rig.wire.loses(p -> false);
      }
      source = region(a, a.pd, AT, all);
      target = region(b, b.pd, AT, all);
      rkey = target.rkey();
      remote = target.iova();
      length = SPAN;
      if (row.atomic()) {
        length = Long.BYTES;
        remote += row == Row.ADD_PAST ? SPAN - Long.BYTES : 0;
      }
      if (row.says("WINDOW")) {
        remote += 8;
        length = 16;
        rkey = bound(row == Row.READ_BY_WRITE_WINDOW ? REMOTE_READ | REMOTE_WRITE : row.right());
      }
    }

    /** The request that must be refused. */
    private void spoil() {
      switch (row) {
        case WRITE_PAST_WINDOW, READ_PAST_WINDOW, SEND_PAST_ELEMENT, SEND_PAST_REGION -> length++;
        case WRITE_PAST, READ_PAST -> length++;
        case WRITE_BEFORE_WINDOW, WRITE_BEFORE, READ_BEFORE -> remote--;
        case READ_BY_WRITE_WINDOW -> rkey = bound(REMOTE_WRITE);
        case SEND_READ_ONLY, READ_NO_RIGHT, WRITE_NO_RIGHT, IMM_NO_RIGHT -> lesser();
        case ADD_NO_RIGHT, SWAP_NO_RIGHT, ATOMIC_WRITE_NO_RIGHT -> lesser();
        case ADD_PAST -> remote += Long.BYTES;
        case WRITE_STALE, READ_STALE, SEND_STALE -> target.close();
        case WRITE_OTHER_DOMAIN, READ_OTHER_DOMAIN, SEND_OTHER_DOMAIN ->
            take(region(b, b.device.allocPd(), OTHER, all));
        case ADD_ASKEW, SWAP_ASKEW -> remote += 4;
        case WRITE_PAST_SOURCE -> {
          length++;
          take(b.mr);
        }
        case READ_INTO_READ_ONLY -> source = region(a, a.pd, OTHER, REMOTE_READ);
      }
    }

    /** Takes memory that has every right but the one that is asked. */
    private void lesser() {
      int writes = row.right() == LOCAL_WRITE ? REMOTE_WRITE | REMOTE_ATOMIC | MW_BIND : MW_BIND;
      take(region(b, b.pd, OTHER, all & ~(row.right() | writes)));
    }

    private void take(MemoryRegion other) {
      target = other;
      rkey = other.rkey();
      remote = other.iova();
    }

    private static MemoryRegion region(Rig.Side s, ProtectionDomain pd, int at, int rights) {
      return pd.registerMemory(s.mr.segment().asSlice(at, SPAN), rights);
    }

    /** {@return the key of a window that is open for the 16 bytes behind the first 8} */
    private int bound(int rights) {
      MemoryWindow window = b.pd.allocWindow(MwType.TYPE_1);
      int key = MemoryRegion.nextKey(window.rkey());
      b.qp.wrStart();
      b.qp.wrFlags(SendFlags.SIGNALED);
      b.qp.wrBindMw(window, key, target, target.iova() + 8, 16, rights);
      assertEquals(PostStatus.OK, b.qp.wrComplete());
      rig.settle();
      assertEquals(WcStatus.SUCCESS, Rig.next(b.sendCq).status());
      return key;
    }

    private void request(WcStatus status, WcStatus received) {
      if (row.received != null) {
        receive();
      }
      if (way == Way.HELPER) {
        Probe.hold(a.qp);
      }
      post();
      if (way == Way.HELPER) {
        Rig.assertEmpty(a.sendCq);
        Probe.letGo(a.qp);
      }
      assertEquals(status, completed(a.sendCq, "sent").status());
      if (received != null) {
        assertEquals(received, completed(b.recvCq, "received").status());
      }
      Rig.assertEmpty(b.recvCq);
    }

    /** An element of the larger region of all memory, or as long as the message. */
    private void receive() {
      boolean within = row == Row.SEND_PAST_ELEMENT;
      int most = within ? SPAN : length;
      int lkey = within ? b.mr.lkey() : target.lkey();
      long to = within ? b.mr.iova() + AT : target.iova();
      assertEquals(PostStatus.OK, b.qp.postReceive(7, lkey, to, most));
    }

    private void post() {
      a.qp.wrStart();
      a.qp.wrId(1).wrFlags(SendFlags.SIGNALED);
      switch (row.op) {
        case SEND -> a.qp.wrSend();
        case RDMA_READ -> a.qp.wrRdmaRead(rkey, remote);
        case RDMA_WRITE -> a.qp.wrRdmaWrite(rkey, remote);
        case RDMA_WRITE_WITH_IMM -> a.qp.wrRdmaWriteImm(rkey, remote, 5);
        case ATOMIC_FETCH_AND_ADD -> a.qp.wrAtomicFetchAdd(rkey, remote, 3);
        case ATOMIC_CMP_AND_SWP -> a.qp.wrAtomicCmpSwp(rkey, remote, there(), 11);
        default -> a.qp.wrAtomicWrite(rkey, remote, 13);
      }
      if (row.op != WrOpcode.ATOMIC_WRITE) {
        boolean within = row.says("WINDOW") || row.says("PAST") && row != Row.WRITE_PAST_SOURCE;
        MemoryRegion from = within ? a.mr : source;
        a.qp.wrSetSge(from.lkey(), from.iova(), length);
      }
      assertEquals(PostStatus.OK, a.qp.wrComplete());
    }

    /** {@return what stands at the target, so that a swap that is executed is seen} */
    private long there() {
      MemorySegment memory = target.segment();
      return memory.get(ValueLayout.JAVA_LONG_UNALIGNED, remote - target.iova());
    }

    private WorkCompletion completed(CompletionQueue cq, String queue) {
      WorkCompletion[] wc = {new WorkCompletion()};
      rig.settle();
      for (int i = 0; cq.poll(wc, 1) == 0; i++) {
        assertFalse(i == 1_000, row + " by " + way + ": not completed: " + queue);
        clock.advance(MS);
        rig.settle();
      }
      completions.add(queue + " " + wc[0]);
      return wc[0];
    }

    private List<byte[]> memory() {
      List<byte[]> all = new ArrayList<>();
      rig.sides.forEach(
          s -> all.add(s.mr.segment().asSlice(0, SEEN).toArray(ValueLayout.JAVA_BYTE)));
      return all;
    }
  }
}
