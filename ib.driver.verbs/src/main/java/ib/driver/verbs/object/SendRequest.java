package ib.driver.verbs.object;

import ib.core.verbs.Cqe;
import ib.driver.verbs.abi.Layout;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * One {@code ibv_send_wr} with place for its elements and inline data, and what the book keeps of
 * it. Used again for each post of one queue pair, by one thread at a time.
 */
final class SendRequest {
  static final long WR_BYTES = Layout.size("ibv_send_wr");
  static final long SGE_BYTES = Layout.size("ibv_sge");
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;
  private static final ValueLayout.OfInt BE_INT = INT.withOrder(ByteOrder.BIG_ENDIAN);
  private static final long WR_ID = Layout.at("ibv_send_wr", "wr_id", 8);
  private static final long NEXT = Layout.at("ibv_send_wr", "next", 8);
  private static final long SG_LIST = Layout.at("ibv_send_wr", "sg_list", 8);
  private static final long NUM_SGE = Layout.at("ibv_send_wr", "num_sge", 4);
  private static final long OPCODE = Layout.at("ibv_send_wr", "opcode", 4);
  private static final long FLAGS = Layout.at("ibv_send_wr", "send_flags", 4);
  private static final long IMM_DATA = Layout.at("ibv_send_wr", "imm_data", 4);
  private static final long RDMA_ADDR = Layout.at("ibv_send_wr", "wr.rdma.remote_addr", 8);
  private static final long RDMA_RKEY = Layout.at("ibv_send_wr", "wr.rdma.rkey", 4);
  private static final long ATOMIC_ADDR = Layout.at("ibv_send_wr", "wr.atomic.remote_addr", 8);
  private static final long ATOMIC_COMPARE = Layout.at("ibv_send_wr", "wr.atomic.compare_add", 8);
  private static final long ATOMIC_SWAP = Layout.at("ibv_send_wr", "wr.atomic.swap", 8);
  private static final long ATOMIC_RKEY = Layout.at("ibv_send_wr", "wr.atomic.rkey", 4);
  private static final long UD_AH = Layout.at("ibv_send_wr", "wr.ud.ah", 8);
  private static final long UD_QPN = Layout.at("ibv_send_wr", "wr.ud.remote_qpn", 4);
  private static final long UD_QKEY = Layout.at("ibv_send_wr", "wr.ud.remote_qkey", 4);
  private static final long MW = Layout.at("ibv_send_wr", "bind_mw.mw", 8);
  private static final long MW_RKEY = Layout.at("ibv_send_wr", "bind_mw.rkey", 4);
  private static final long MW_INFO = Layout.at("ibv_send_wr", "bind_mw.bind_info");
  private static final long INFO_MR = MW_INFO + Layout.at("ibv_mw_bind_info", "mr", 8);
  private static final long INFO_ADDR = MW_INFO + Layout.at("ibv_mw_bind_info", "addr", 8);
  private static final long INFO_LENGTH = MW_INFO + Layout.at("ibv_mw_bind_info", "length", 8);
  private static final long INFO_ACCESS =
      MW_INFO + Layout.at("ibv_mw_bind_info", "mw_access_flags", 4);
  private static final long SGE_ADDR = Layout.at("ibv_sge", "addr", 8);
  private static final long SGE_LENGTH = Layout.at("ibv_sge", "length", 4);
  private static final long SGE_LKEY = Layout.at("ibv_sge", "lkey", 4);

  private final int maxSges;
  private final int maxInline;
  private final MemorySegment memory;
  private final long sges;
  private final long inline;

  long wrId;
  @Nullable Cqe cqe;
  int opcode;
  int flags;
  int shows;
  @Nullable NativeAh ah;
  @Nullable VerbsMw window;
  @Nullable VerbsMr region;
  int key;
  private int count;
  private int inlineLength;

  SendRequest(int maxSges, int maxInline) {
    this.maxSges = Math.max(1, maxSges);
    this.maxInline = maxInline;
    this.sges = WR_BYTES;
    this.inline = sges + this.maxSges * SGE_BYTES;
    memory = Arena.ofAuto().allocate(inline + Math.max(1, maxInline), Long.BYTES);
    memory.set(LONG, SG_LIST, memory.address() + sges);
  }

  long address() {
    return memory.address();
  }

  /** Begins a request without data. The address handle of the last one was handed over. */
  void begin(long id, @Nullable Cqe callback, int code, int sendFlags) {
    wrId = id;
    cqe = callback;
    opcode = code;
    flags = sendFlags;
    ah = null;
    window = null;
    region = null;
    key = 0;
    count = 0;
    inlineLength = -1;
    memory.set(INT, OPCODE, code);
  }

  void rdma(long address, int rkey) {
    memory.set(LONG, RDMA_ADDR, address);
    memory.set(INT, RDMA_RKEY, rkey);
  }

  void imm(int data) {
    memory.set(BE_INT, IMM_DATA, data);
  }

  void invalidate(int rkey) {
    memory.set(INT, IMM_DATA, rkey);
  }

  void atomic(long address, int rkey, long compareAdd, long swap) {
    memory.set(LONG, ATOMIC_ADDR, address);
    memory.set(LONG, ATOMIC_COMPARE, compareAdd);
    memory.set(LONG, ATOMIC_SWAP, swap);
    memory.set(INT, ATOMIC_RKEY, rkey);
  }

  /** Addresses a datagram. The caller has taken a reference on the handle, which the book gets. */
  void datagram(NativeAh to, int qpn, int qkey) {
    ah = to;
    memory.set(LONG, UD_AH, to.address);
    memory.set(INT, UD_QPN, qpn);
    memory.set(INT, UD_QKEY, qkey);
  }

  void bind(VerbsMw mw, VerbsMr of, int newKey, long address, long length) {
    window = mw;
    region = of;
    key = newKey;
    memory.set(LONG, MW, mw.address);
    memory.set(INT, MW_RKEY, newKey);
    memory.set(LONG, INFO_MR, of.address());
    memory.set(LONG, INFO_ADDR, address);
    memory.set(LONG, INFO_LENGTH, length);
  }

  void rights(int access) {
    memory.set(INT, INFO_ACCESS, access);
  }

  int sgeCount() {
    return count;
  }

  void clearSges() {
    count = 0;
  }

  /** {@return false when the request has no place for one more element} */
  boolean sge(int lkey, long address, int length) {
    if (count == maxSges) {
      return false;
    }
    long at = sges + count * SGE_BYTES;
    memory.set(LONG, at + SGE_ADDR, address);
    memory.set(INT, at + SGE_LENGTH, length);
    memory.set(INT, at + SGE_LKEY, lkey);
    count++;
    return true;
  }

  int inlineLength() {
    return inlineLength;
  }

  /** Copies inline data. {@return false when it does not fit or cannot be read} */
  boolean inline(MemorySegment data, long offset, int length) {
    if (length < 0 || length > maxInline || offset < 0 || offset > data.byteSize() - length) {
      return false;
    }
    try {
      MemorySegment.copy(data, offset, memory, inline, length);
    } catch (IllegalStateException | WrongThreadException e) {
      return false; // closed, or of another thread
    }
    inlineLength = length;
    return true;
  }

  /**
   * Copies the memory of the elements as inline data: the provider would read it at the addresses
   * that the elements have, which are those of the regions' own spaces.
   *
   * @return false when it does not fit, or an element is not inside a region of the domain
   */
  boolean gather(Regions regions, long domain) {
    int at = 0;
    for (int i = 0; i < count; i++) {
      long sge = sges + i * SGE_BYTES;
      int length = memory.get(INT, sge + SGE_LENGTH);
      if (length < 0 || length > maxInline - at) {
        return false;
      }
      int lkey = memory.get(INT, sge + SGE_LKEY);
      VerbsMr mr = length == 0 ? null : regions.find(lkey);
      boolean copied =
          length == 0
              || mr != null
                  && mr.copy(domain, memory.get(LONG, sge + SGE_ADDR), memory, inline + at, length);
      if (!copied) {
        return false;
      }
      at += length;
    }
    inlineLength = at;
    return true;
  }

  /** Completes the structure: its ID, what follows it, whether the device tells of its end. */
  void finish(long id, long next, int sendFlags) {
    memory.set(LONG, WR_ID, id);
    memory.set(LONG, NEXT, next);
    if (inlineLength >= 0) {
      memory.set(LONG, sges + SGE_ADDR, memory.address() + inline);
      memory.set(INT, sges + SGE_LENGTH, inlineLength);
      count = 1;
    }
    memory.set(INT, NUM_SGE, count);
    memory.set(INT, FLAGS, sendFlags);
  }
}
