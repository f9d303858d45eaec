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
    "RDMA_READ, 8, portable, 0", "RDMA_READ, 8192, portable, 4096",
    "RDMA_READ, 131072, portable, 8192", "RDMA_READ, 8192, native, 0",
    "RDMA_READ, 131072, native, 8192", "RDMA_WRITE, 8, native, 0",
    "RDMA_WRITE, 8192, portable, 0", "RDMA_WRITE, 131072, native, 8192",
    "ATOMIC_FETCH_AND_ADD, 8, native, 0"
  })
  @DisplayName("REM_OP_ERR at the requester, the owner's queue pair in ERR")
  void owner(WrOpcode opcode, int bytes, String io, long kept) throws IOException {
    try (FileChannel channel = file();
        Arena arena = Arena.ofShared();
        RxeLab lab = lab(io)) {
      RxeSide a = lab.side("rxe0");
      RxeSide b = lab.side("rxe1");
      RxeSide.connect(QpType.RC, a, b, Mtu.MTU_1024);
      try (MemoryRegion failing = mapped(channel, arena, b)) {
        channel.truncate(kept); // some of the answer may be on its way when the rest fails
        a.post(request(opcode, bytes, a.mr, failing));
        assertEquals(WcStatus.REM_OP_ERR, a.next().status());
        while (b.qp.state() != QpState.ERR) {
          Thread.onSpinWait();
        }
        assertEquals(QpState.ERR, a.qp.state());
      }
    }
  }

  @ParameterizedTest
  @CsvSource({
    "SEND, 8192, native",
    "RDMA_WRITE, 8, portable",
    "RDMA_WRITE, 131072, native",
    "RDMA_READ, 8192, native"
  })
  @DisplayName("LOC_PROT_ERR at the requester whose own memory fails; the peer stays as it is")
  void requester(WrOpcode opcode, int bytes, String io) throws IOException {
    try (FileChannel channel = file();
        Arena arena = Arena.ofShared();
        RxeLab lab = lab(io)) {
      RxeSide a = lab.side("rxe0");
      RxeSide b = lab.side("rxe1");
      RxeSide.connect(QpType.RC, a, b, Mtu.MTU_1024);
      try (MemoryRegion failing = mapped(channel, arena, a)) {
        channel.truncate(0);
        b.receive(1, 0, bytes);
        a.post(request(opcode, bytes, failing, b.mr));
        assertEquals(WcStatus.LOC_PROT_ERR, a.next().status());
        assertEquals(QpState.RTS, b.qp.state());
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
