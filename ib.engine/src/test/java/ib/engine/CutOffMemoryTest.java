package ib.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.testing.Wait;
import ib.core.verbs.EventType;
import ib.core.verbs.MemoryRegion;
import ib.core.verbs.PostStatus;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.SendFlags;
import ib.core.verbs.SendWr;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WorkCompletion;
import ib.core.verbs.WrOpcode;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * B3: memory that fails while it is copied, on both kinds of wire, after few requests and after so
 * many that the copy is compiled (compiled code hears of the failure only at its next poll).
 */
@DisplayName("B3: a truncated file under registered memory is the fault of the memory's owner")
@ParameterizedClass(name = "segments: {0}, {1} B, after {2} requests")
@CsvSource({
  "false, 8, 1",
  "false, 40, 20000",
  "false, 4096, 20000",
  "false, 65536, 1",
  "true, 8, 1",
  "true, 40, 20000",
  "true, 4096, 20000",
  "true, 65536, 1"
})
class CutOffMemoryTest {
  private static final int FILE = 1 << 17;

  /** Whose memory fails, and what it is to the request. */
  enum Role {
    /** The target of the peer's request. */
    REMOTE_TARGET,
    /** The source of the peer's request. */
    REMOTE_SOURCE,
    /** A receive. */
    RECEIVE,
    /** An element of the request that is read. */
    LOCAL_SOURCE,
    /** An element of the request that is written. */
    LOCAL_TARGET
  }

  /** One request and the memory that fails under it. */
  enum Cut {
    WRITE_TARGET(WrOpcode.RDMA_WRITE, Role.REMOTE_TARGET),
    IMM_TARGET(WrOpcode.RDMA_WRITE_WITH_IMM, Role.REMOTE_TARGET),
    SWAP_TARGET(WrOpcode.ATOMIC_CMP_AND_SWP, Role.REMOTE_TARGET),
    ADD_TARGET(WrOpcode.ATOMIC_FETCH_AND_ADD, Role.REMOTE_TARGET),
    READ_SOURCE(WrOpcode.RDMA_READ, Role.REMOTE_SOURCE),
    SEND_RECEIVE(WrOpcode.SEND, Role.RECEIVE),
    SEND_SOURCE(WrOpcode.SEND, Role.LOCAL_SOURCE),
    WRITE_SOURCE(WrOpcode.RDMA_WRITE, Role.LOCAL_SOURCE),
    READ_TARGET(WrOpcode.RDMA_READ, Role.LOCAL_TARGET),
    ADD_RESULT(WrOpcode.ATOMIC_FETCH_AND_ADD, Role.LOCAL_TARGET);

    final WrOpcode opcode;
    final Role role;

    Cut(WrOpcode opcode, Role role) {
      this.opcode = opcode;
      this.role = role;
    }

    boolean isLocal() {
      return role == Role.LOCAL_SOURCE || role == Role.LOCAL_TARGET;
    }

    boolean takesReceive() {
      return opcode == WrOpcode.SEND || opcode == WrOpcode.RDMA_WRITE_WITH_IMM;
    }
  }

  private final Rig rig = Rig.two();
  private final Rig.Side a = rig.a();
  private final Rig.Side b = rig.b();
  private final int bytes;
  private final int warm;
  @TempDir private Path folder;

  CutOffMemoryTest(boolean segments, int bytes, int warm) {
    rig.wire.segments(segments);
    this.bytes = bytes;
    this.warm = warm;
  }

  @BeforeEach
  void connect() {
    rig.connect(QpType.RC, 16, 14, 1, 0);
  }

  @AfterEach
  void close() {
    rig.close();
  }

  @ParameterizedTest
  @EnumSource
  void cut(Cut cut) throws IOException {
    Path file = folder.resolve("memory");
    try (FileChannel channel =
            FileChannel.open(
                file,
                StandardOpenOption.CREATE,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE);
        Arena arena = Arena.ofShared()) {
      channel.truncate(0);
      MemorySegment mapped = channel.map(FileChannel.MapMode.READ_WRITE, 0, FILE, arena);
      Rig.Side owner = cut.isLocal() ? a : b;
      MemoryRegion failing = owner.pd.registerMemory(mapped, Rig.ALL_ACCESS);
      MemoryRegion local = cut.isLocal() ? failing : a.mr;
      MemoryRegion remote = cut.isLocal() ? b.mr : failing;
      for (int i = 0; i < warm; i++) {
        assertEquals(WcStatus.SUCCESS, transfer(cut, local, remote).status());
        if (cut.takesReceive()) {
          assertEquals(WcStatus.SUCCESS, Rig.await(b.recvCq).status());
        }
      }
      channel.truncate(0);
      WorkCompletion first = transfer(cut, local, remote);
      assertEquals(cut.isLocal() ? WcStatus.LOC_PROT_ERR : WcStatus.REM_OP_ERR, first.status());
      assertEquals(QpState.ERR, a.qp.state());
      check(cut);
      failing.close();
    }
  }

  private void check(Cut cut) {
    if (cut.isLocal()) {
      assertEquals(QpState.RTS, b.qp.state(), "the peer is not at fault");
      return;
    }
    Wait.until(() -> b.qp.state() == QpState.ERR);
    if (cut.role == Role.RECEIVE) {
      assertEquals(WcStatus.LOC_PROT_ERR, Rig.await(b.recvCq).status());
    } else {
      assertTrue(b.device.heard(EventType.QP_FATAL), "no completion says it, so an event does");
    }
  }

  private WorkCompletion transfer(Cut cut, MemoryRegion local, MemoryRegion remote) {
    boolean atomic = cut.opcode.name().startsWith("ATOMIC");
    int length = atomic ? Long.BYTES : bytes;
    if (cut.takesReceive()) {
      MemoryRegion into = cut.role == Role.RECEIVE ? remote : b.mr;
      assertEquals(PostStatus.OK, b.qp.postReceive(1, into.lkey(), into.iova(), bytes));
    }
    SendWr wr =
        new SendWr(1)
            .wrId(1)
            .opcode(cut.opcode)
            .flags(SendFlags.SIGNALED)
            .addSge(local.lkey(), local.iova(), length);
    if (cut.opcode != WrOpcode.SEND) {
      wr.rkey(remote.rkey()).remoteAddr(remote.iova());
    }
    assertEquals(PostStatus.OK, a.qp.postSend(wr));
    return Rig.await(a.sendCq);
  }
}
