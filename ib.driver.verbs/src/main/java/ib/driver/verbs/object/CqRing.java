package ib.driver.verbs.object;

import ib.core.verbs.WcOpcode;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WorkCompletion;
import ib.driver.verbs.abi.Function;
import ib.driver.verbs.abi.Layout;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * Completions that were read from the device and that no consumer has taken: an array of {@code
 * ibv_wc} which {@code ibv_poll_cq} fills, as many in one call as fit. For the holder of the claim
 * of the completion queue.
 */
final class CqRing {
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
  private static final ValueLayout.OfInt BE_INT =
      ValueLayout.JAVA_INT.withOrder(ByteOrder.BIG_ENDIAN);
  private static final long WC_BYTES = Layout.size("ibv_wc");
  private static final long WR_ID = Layout.at("ibv_wc", "wr_id", 8);
  private static final long STATUS = Layout.at("ibv_wc", "status", 4);
  private static final long OPCODE = Layout.at("ibv_wc", "opcode", 4);
  private static final long VENDOR_ERR = Layout.at("ibv_wc", "vendor_err", 4);
  private static final long BYTE_LEN = Layout.at("ibv_wc", "byte_len", 4);
  private static final long IMM_DATA = Layout.at("ibv_wc", "imm_data", 4);
  private static final long QP_NUM = Layout.at("ibv_wc", "qp_num", 4);
  private static final long SRC_QP = Layout.at("ibv_wc", "src_qp", 4);
  private static final long WC_FLAGS = Layout.at("ibv_wc", "wc_flags", 4);
  private static final long PKEY_INDEX = Layout.at("ibv_wc", "pkey_index", 2);
  private static final long SLID = Layout.at("ibv_wc", "slid", 2);
  private static final long SL = Layout.at("ibv_wc", "sl", 1);
  private static final long DLID_PATH_BITS = Layout.at("ibv_wc", "dlid_path_bits", 1);
  private static final int FIRST_ENTRIES = 64;
  private static final int MAX_ENTRIES = 1 << 22;
  private static final int WITH_INVALIDATE = 1 << 3; // of ibv_wc_flags; IP_CSUM_OK is bit 2
  private static final int GRH_AND_IMM = 3;
  private static final WcStatus[] STATUSES = WcStatus.values();

  private final VerbsContext context;
  private final long cq;
  private MemorySegment entries;
  private int capacity;
  private int head; // counts up, as tail does; the place is its low bits
  private int tail;
  private int visible; // entries that a consumer gets

  CqRing(VerbsContext context, long cq) {
    this.context = context;
    this.cq = cq;
    this.capacity = FIRST_ENTRIES;
    this.entries = allocate(capacity);
  }

  private static MemorySegment allocate(int entries) {
    return Arena.ofAuto().allocate(entries * WC_BYTES, Long.BYTES);
  }

  private long at(int index) {
    return (index & capacity - 1) * WC_BYTES;
  }

  /** {@return how many completions a consumer can take} */
  int visible() {
    return visible;
  }

  /**
   * Reads what the device has, in one call.
   *
   * @return how many were read; negative when the device refuses
   */
  int fill() {
    if (head == tail) {
      head = 0;
      tail = 0;
    }
    int first = tail & capacity - 1;
    int free = Math.min(capacity - (tail - head), capacity - first);
    if (free == 0) {
      return 0;
    }
    Function poll = context.pollCq;
    int n = poll.data(cq, free, entries.address() + first * WC_BYTES);
    for (int i = 0; i < Math.min(n, free); i++) {
      arrived(tail + i);
    }
    tail += Math.max(0, Math.min(n, free));
    return n;
  }

  /** Reads all that the device has, and makes place for it: not for the data path. */
  void fillAll() {
    while (true) {
      if (tail - head == capacity && capacity < MAX_ENTRIES) {
        grow();
      }
      if (fill() <= 0) {
        return;
      }
    }
  }

  private void grow() {
    MemorySegment larger = allocate(2 * capacity);
    int n = tail - head;
    for (int i = 0; i < n; i++) {
      MemorySegment.copy(entries, at(head + i), larger, i * WC_BYTES, WC_BYTES);
    }
    entries = larger;
    capacity *= 2;
    head = 0;
    tail = n;
  }

  private void arrived(int index) {
    long id = entries.get(ValueLayout.JAVA_LONG, at(index) + WR_ID);
    int status = entries.get(INT, at(index) + STATUS);
    WorkQueue queue = context.queues.find((int) (id >>> Integer.SIZE));
    if (queue == null || queue.arrived((int) id, status) == WorkQueue.Fate.HIDDEN) {
      entries.set(ValueLayout.JAVA_LONG, at(index) + WR_ID, 0); // number 0 finds no queue
    } else {
      visible++;
    }
  }

  /**
   * Takes the next completion.
   *
   * @param into takes it
   * @return whether there was one
   */
  boolean take(WorkCompletion into) {
    while (head != tail) {
      long at = at(head++);
      long id = entries.get(ValueLayout.JAVA_LONG, at + WR_ID);
      if (id == 0) {
        continue;
      }
      visible--;
      WorkQueue queue = context.queues.find((int) (id >>> Integer.SIZE));
      if (queue != null) { // else its queue pair was destroyed meanwhile
        decode(at, into);
        queue.taken((int) id, into);
        return true;
      }
    }
    return false;
  }

  private void decode(long at, WorkCompletion into) {
    MemorySegment wc = entries;
    int status = wc.get(INT, at + STATUS);
    int flags = wc.get(INT, at + WC_FLAGS);
    boolean ok = status == 0;
    into.status(
            status >= 0 && status < WcStatus.GENERAL_ERR.value()
                ? STATUSES[status]
                : WcStatus.GENERAL_ERR)
        .opcode(ok ? opcode(wc.get(INT, at + OPCODE)) : WcOpcode.SEND)
        .vendorError(wc.get(INT, at + VENDOR_ERR))
        .qpn(wc.get(INT, at + QP_NUM))
        .byteLen(ok ? wc.get(INT, at + BYTE_LEN) : 0)
        .srcQp(ok ? wc.get(INT, at + SRC_QP) : 0)
        .slid(wc.get(ValueLayout.JAVA_SHORT, at + SLID) & 0xffff)
        .sl(wc.get(ValueLayout.JAVA_BYTE, at + SL) & 0xf)
        .pkeyIndex(wc.get(ValueLayout.JAVA_SHORT, at + PKEY_INDEX) & 0xffff)
        .dlidPathBits(wc.get(ValueLayout.JAVA_BYTE, at + DLID_PATH_BITS) & 0x7f)
        .mss(0)
        .timestamp(0);
    boolean invalidated = (flags & WITH_INVALIDATE) != 0;
    into.wcFlags(
        ok ? flags & GRH_AND_IMM | (invalidated ? ib.core.verbs.WcFlags.WITH_INVALIDATE : 0) : 0);
    into.immData(ok ? wc.get(invalidated ? INT : BE_INT, at + IMM_DATA) : 0);
  }

  private static WcOpcode opcode(int number) {
    return switch (number) {
      case 0 -> WcOpcode.SEND;
      case 1 -> WcOpcode.RDMA_WRITE;
      case 2 -> WcOpcode.RDMA_READ;
      case 3 -> WcOpcode.COMP_SWAP;
      case 4 -> WcOpcode.FETCH_ADD;
      case 5 -> WcOpcode.BIND_MW;
      case 6 -> WcOpcode.LOCAL_INV;
      case 7 -> WcOpcode.LSO;
      case 8 -> WcOpcode.FLUSH;
      case 9 -> WcOpcode.ATOMIC_WRITE;
      case 129 -> WcOpcode.RECV_RDMA_WITH_IMM;
      default -> WcOpcode.RECV;
    };
  }
}
