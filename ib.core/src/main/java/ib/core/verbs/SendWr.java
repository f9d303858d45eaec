package ib.core.verbs;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * A send request of the list form ({@code ibv_send_wr}). Reusable: a post copies what it needs, so
 * the request is free when the post returns (the memory of its entries only with its completion).
 * For one thread at a time. What the requests on memory windows, fast registrations and flush need
 * more stands in a {@link MemoryWork}.
 */
@NotThreadSafe
public final class SendWr {
  private final Sges sges;
  private @Nullable SendWr next;
  private long wrId;
  private @Nullable Cqe cqe;
  private WrOpcode opcode = WrOpcode.SEND;
  private int flags;
  private int immData;
  private long remoteAddr;
  private int rkey;
  private @Nullable AddressHandle ah;
  private int remoteQpn;
  private int remoteQkey;
  private int pkeyIndex;
  private long compareAdd;
  private long swap;
  private int invalidateRkey;
  private @Nullable MemoryWork memory;
  private @Nullable SendWr badWr;
  private @Nullable MemorySegment inlineSegment;
  private long inlineOffset;
  private int inlineLength;

  /**
   * An empty request.
   *
   * @param sgeCapacity scatter/gather entries it can hold, 0 to 65535
   * @throws IbInvalidException if the capacity is out of range
   */
  public SendWr(int sgeCapacity) {
    sges = new Sges(sgeCapacity);
  }

  /** {@return the next request of the list; null at the end} */
  public @Nullable SendWr next() {
    return next;
  }

  /**
   * {@return this, with next set}
   *
   * @param value the next request of the list; null at the end
   */
  public SendWr next(@Nullable SendWr value) {
    next = value;
    return this;
  }

  /** {@return number that comes back in the completion} */
  public long wrId() {
    return wrId;
  }

  /**
   * {@return this, with wrId set}
   *
   * @param value number that comes back in the completion
   */
  public SendWr wrId(long value) {
    wrId = value;
    return this;
  }

  /** {@return callback for the completion on a managed CQ; null if there is none} */
  public @Nullable Cqe cqe() {
    return cqe;
  }

  /**
   * {@return this, with cqe set}
   *
   * @param value callback for the completion on a managed CQ; null if there is none
   */
  public SendWr cqe(@Nullable Cqe value) {
    cqe = value;
    return this;
  }

  /** {@return what to do} */
  public WrOpcode opcode() {
    return opcode;
  }

  /**
   * {@return this, with opcode set}
   *
   * @param value what to do
   */
  public SendWr opcode(WrOpcode value) {
    opcode = value;
    return this;
  }

  /** {@return bits of {@link SendFlags}} */
  public int flags() {
    return inlineSegment == null ? flags : flags | SendFlags.INLINE;
  }

  /**
   * {@return this, with flags set}
   *
   * @param value bits of {@link SendFlags}
   */
  public SendWr flags(int value) {
    flags = value;
    return this;
  }

  /** {@return immediate data, for the opcodes WITH_IMM} */
  public int immData() {
    return immData;
  }

  /**
   * {@return this, with immData set}
   *
   * @param value immediate data, for the opcodes WITH_IMM
   */
  public SendWr immData(int value) {
    immData = value;
    return this;
  }

  /** {@return address at the peer: RDMA, atomics} */
  public long remoteAddr() {
    return remoteAddr;
  }

  /**
   * {@return this, with remoteAddr set}
   *
   * @param value address at the peer: RDMA, atomics
   */
  public SendWr remoteAddr(long value) {
    remoteAddr = value;
    return this;
  }

  /** {@return key of the memory at the peer: RDMA, atomics} */
  public int rkey() {
    return rkey;
  }

  /**
   * {@return this, with rkey set}
   *
   * @param value key of the memory at the peer: RDMA, atomics
   */
  public SendWr rkey(int value) {
    rkey = value;
    return this;
  }

  /** {@return way to the peer: datagrams; null for connected QPs} */
  public @Nullable AddressHandle ah() {
    return ah;
  }

  /**
   * {@return this, with ah set}
   *
   * @param value way to the peer: datagrams; null for connected QPs
   */
  public SendWr ah(@Nullable AddressHandle value) {
    ah = value;
    return this;
  }

  /** {@return QP number of the peer, 24 bits: datagrams} */
  public int remoteQpn() {
    return remoteQpn;
  }

  /**
   * {@return this, with remoteQpn set}
   *
   * @param value QP number of the peer, 24 bits: datagrams
   */
  public SendWr remoteQpn(int value) {
    remoteQpn = value;
    return this;
  }

  /** {@return Q_Key of the peer: datagrams; with the highest bit set that of the QP is sent} */
  public int remoteQkey() {
    return remoteQkey;
  }

  /**
   * {@return this, with remoteQkey set}
   *
   * @param value Q_Key of the peer: datagrams; with the highest bit set that of the QP is sent
   */
  public SendWr remoteQkey(int value) {
    remoteQkey = value;
    return this;
  }

  /** {@return index of the P_Key of a datagram of QP1, which is in all partitions} */
  public int pkeyIndex() {
    return pkeyIndex;
  }

  /**
   * {@return this, with pkeyIndex set}
   *
   * @param value index of the P_Key: datagrams of QP1; others have that of their queue pair
   */
  public SendWr pkeyIndex(int value) {
    pkeyIndex = value;
    return this;
  }

  /** {@return what to compare with, what to add, or what an ATOMIC_WRITE writes} */
  public long compareAdd() {
    return compareAdd;
  }

  /**
   * {@return this, with compareAdd set}
   *
   * @param value what to compare with, what to add, or what an ATOMIC_WRITE writes
   */
  public SendWr compareAdd(long value) {
    compareAdd = value;
    return this;
  }

  /** {@return what a compare and swap puts in} */
  public long swap() {
    return swap;
  }

  /**
   * {@return this, with swap set}
   *
   * @param value what a compare and swap puts in
   */
  public SendWr swap(long value) {
    swap = value;
    return this;
  }

  /** {@return key to invalidate: with SEND_WITH_INV one of the peer, else one of our own} */
  public int invalidateRkey() {
    return invalidateRkey;
  }

  /**
   * {@return this, with invalidateRkey set}
   *
   * @param value key to invalidate: with SEND_WITH_INV one of the peer, else one of our own
   */
  public SendWr invalidateRkey(int value) {
    invalidateRkey = value;
    return this;
  }

  /** {@return the further arguments of REG_MR, BIND_MW and FLUSH; null for the others} */
  public @Nullable MemoryWork memory() {
    return memory;
  }

  /**
   * {@return this, with memory set}
   *
   * @param value the further arguments of REG_MR, BIND_MW and FLUSH; null for the others
   */
  public SendWr memory(@Nullable MemoryWork value) {
    memory = value;
    return this;
  }

  /** {@return in the first of a list after a post that failed, which posts none: the culprit} */
  public @Nullable SendWr badWr() {
    return badWr;
  }

  /**
   * {@return this, with badWr set}
   *
   * @param value in the first of a list after a post that failed, which posts none: the culprit
   */
  public SendWr badWr(@Nullable SendWr value) {
    badWr = value;
    return this;
  }

  /** {@return scatter/gather entries it can hold} */
  public int sgeCapacity() {
    return sges.capacity();
  }

  /** {@return scatter/gather entries in use} */
  public int sgeCount() {
    return sges.count();
  }

  /** {@return this, without data: entries and inline} */
  public SendWr clearSges() {
    sges.clear();
    inlineSegment = null;
    inlineOffset = 0;
    inlineLength = 0;
    return this;
  }

  /**
   * Adds a scatter/gather entry, in place of inline data.
   *
   * @param lkey local key of the memory region
   * @param addr address, in the address space of the region ({@code iova})
   * @param length bytes, unsigned; 0 is an empty entry
   * @return this
   * @throws IbInvalidException if the request has no free entry
   */
  public SendWr addSge(int lkey, long addr, int length) {
    sges.add(lkey, addr, length);
    inlineSegment = null; // entries take the place of inline data
    return this;
  }

  /**
   * {@return local key of an entry}
   *
   * @param i index, 0 to sgeCount - 1
   */
  public int sgeLkey(int i) {
    return sges.lkey(i);
  }

  /**
   * {@return address of an entry}
   *
   * @param i index, 0 to sgeCount - 1
   */
  public long sgeAddr(int i) {
    return sges.address(i);
  }

  /**
   * {@return length of an entry in bytes, unsigned}
   *
   * @param i index, 0 to sgeCount - 1
   */
  public int sgeLength(int i) {
    return sges.length(i);
  }

  /**
   * Gives the data itself instead of entries: they are taken away, and {@link #flags} shows {@link
   * SendFlags#INLINE} until entries are given again. The data is copied at the post.
   *
   * @param segment where the data stands
   * @param offset bytes from its start
   * @param length bytes, 0 to the maxInlineData of the QP
   * @return this
   * @throws IbInvalidException if the bytes are not inside the segment
   */
  public SendWr inline(MemorySegment segment, long offset, int length) {
    if (offset < 0 || length < 0 || offset > segment.byteSize() - length) {
      throw new IbInvalidException(
          "inline " + length + " bytes at " + offset,
          "outside the segment of " + segment.byteSize() + " bytes",
          "offset + length within it");
    }
    sges.clear();
    inlineSegment = segment;
    inlineOffset = offset;
    inlineLength = length;
    return this;
  }

  /** {@return where inline data stands; null if there is none} */
  public @Nullable MemorySegment inlineSegment() {
    return inlineSegment;
  }

  /** {@return bytes from the start of the segment} */
  public long inlineOffset() {
    return inlineOffset;
  }

  /** {@return bytes of inline data} */
  public int inlineLength() {
    return inlineLength;
  }
}
