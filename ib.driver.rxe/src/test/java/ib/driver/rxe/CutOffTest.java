package ib.driver.rxe;

import static org.junit.jupiter.api.Assertions.assertEquals;

import ib.core.verbs.MemoryRegion;
import ib.core.verbs.Mtu;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.SendFlags;
import ib.core.verbs.SendWr;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WrOpcode;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The side of a wire on which memory fails has to say so, or the other one asks in vain. */
@DisplayName("B3, over UDP: a file cut off under a region is answered by a NAK")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class CutOffTest {
  private static final int FILE = 1 << 18;

  @TempDir private Path folder;

  @ParameterizedTest
  @CsvSource({
    "true, RDMA_READ, 8, portable, 0",
    "true, RDMA_READ, 8192, portable, 4096",
    "true, RDMA_READ, 131072, portable, 8192",
    "true, RDMA_READ, 8192, native, 0",
    "true, RDMA_READ, 131072, native, 8192",
    "true, RDMA_WRITE, 8, native, 0",
    "true, RDMA_WRITE, 8192, portable, 0",
    "true, RDMA_WRITE, 131072, native, 8192",
    "true, ATOMIC_FETCH_AND_ADD, 8, native, 0",
    "false, SEND, 8192, native, 0",
    "false, RDMA_WRITE, 8, portable, 0",
    "false, RDMA_WRITE, 131072, native, 8192",
    "false, RDMA_READ, 8192, native, 0"
  })
  @DisplayName(
      "the peer's memory: REM_OP_ERR, its queue pair in ERR; the requester's: LOC_PROT_ERR")
  void cutOff(boolean remote, WrOpcode opcode, int bytes, String io, long kept) throws IOException {
    try (FileChannel channel = file();
        Arena arena = Arena.ofShared();
        RxeLab lab = lab(io)) {
      RxeSide a = lab.side("rxe0");
      RxeSide b = lab.side("rxe1");
      RxeSide.connect(QpType.RC, a, b, Mtu.MTU_1024);
      try (MemoryRegion failing = mapped(channel, arena, remote ? b : a)) {
        b.receive(1, 0, bytes);
        channel.truncate(kept); // some of the data may be on their way when the rest fails
        a.post(request(opcode, bytes, remote ? a.mr : failing, remote ? failing : b.mr));
        assertEquals(remote ? WcStatus.REM_OP_ERR : WcStatus.LOC_PROT_ERR, a.next().status());
        assertEquals(QpState.ERR, a.qp.state());
        while (remote && b.qp.state() != QpState.ERR) {
          Thread.onSpinWait();
        }
        assertEquals(remote ? QpState.ERR : QpState.RTS, b.qp.state());
      }
    }
  }

  private static RxeLab lab(String io) {
    return new RxeLab()
        .configure("rxe0", "address", "127.0.0.1", "io", io, "local", "wire")
        .configure("rxe1", "address", "127.0.0.2", "io", io, "local", "wire");
  }

  private FileChannel file() throws IOException {
    return FileChannel.open(
        folder.resolve("memory"),
        StandardOpenOption.CREATE,
        StandardOpenOption.READ,
        StandardOpenOption.WRITE);
  }

  private static MemoryRegion mapped(FileChannel channel, Arena arena, RxeSide owner)
      throws IOException {
    return owner.pd.registerMemory(
        channel.map(FileChannel.MapMode.READ_WRITE, 0, FILE, arena), RxeSide.ALL);
  }

  private static SendWr request(WrOpcode opcode, int bytes, MemoryRegion from, MemoryRegion to) {
    SendWr wr = new SendWr(1).wrId(1).opcode(opcode).flags(SendFlags.SIGNALED);
    wr.addSge(from.lkey(), from.iova(), bytes);
    return opcode == WrOpcode.SEND ? wr : wr.rkey(to.rkey()).remoteAddr(to.iova());
  }
}
