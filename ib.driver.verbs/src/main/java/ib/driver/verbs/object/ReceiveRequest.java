package ib.driver.verbs.object;

import ib.driver.verbs.abi.Layout;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** One {@code ibv_recv_wr} with place for its elements. */
final class ReceiveRequest {
  private static final long WR_BYTES = Layout.size("ibv_recv_wr");
  private static final long WR_ID = Layout.at("ibv_recv_wr", "wr_id", 8);
  private static final long NEXT = Layout.at("ibv_recv_wr", "next", 8);
  private static final long SG_LIST = Layout.at("ibv_recv_wr", "sg_list", 8);
  private static final long NUM_SGE = Layout.at("ibv_recv_wr", "num_sge", 4);
  private static final long SGE_ADDR = Layout.at("ibv_sge", "addr", 8);
  private static final long SGE_LENGTH = Layout.at("ibv_sge", "length", 4);
  private static final long SGE_LKEY = Layout.at("ibv_sge", "lkey", 4);

  final int maxSges;
  private final MemorySegment memory;

  ReceiveRequest(int maxSges) {
    this.maxSges = maxSges;
    memory =
        Arena.ofAuto()
            .allocate(WR_BYTES + Math.max(1, maxSges) * SendRequest.SGE_BYTES, Long.BYTES);
    memory.set(ValueLayout.JAVA_LONG, SG_LIST, memory.address() + WR_BYTES);
  }

  long address() {
    return memory.address();
  }

  void begin(long id, int sges) {
    memory.set(ValueLayout.JAVA_LONG, WR_ID, id);
    memory.set(ValueLayout.JAVA_LONG, NEXT, 0);
    memory.set(ValueLayout.JAVA_INT, NUM_SGE, sges);
  }

  void next(ReceiveRequest following) {
    memory.set(ValueLayout.JAVA_LONG, NEXT, following.address());
  }

  void sge(int i, int lkey, long address, int length) {
    long at = WR_BYTES + i * SendRequest.SGE_BYTES;
    memory.set(ValueLayout.JAVA_LONG, at + SGE_ADDR, address);
    memory.set(ValueLayout.JAVA_INT, at + SGE_LENGTH, length);
    memory.set(ValueLayout.JAVA_INT, at + SGE_LKEY, lkey);
  }
}
