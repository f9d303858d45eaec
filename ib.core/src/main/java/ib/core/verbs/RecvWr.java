package ib.core.verbs;

import org.jspecify.annotations.Nullable;

/**
 * A receive request of the list form ({@code ibv_recv_wr}), for a QP or an SRQ. Reusable: a post
 * copies what it needs, so the request is free when the post returns (the memory only with the
 * completion). For one thread at a time.
 */
@NotThreadSafe
public final class RecvWr {
  private final Sges sges;
  private @Nullable RecvWr next;
  private long wrId;
  private @Nullable Cqe cqe;
  private @Nullable RecvWr badWr;

  /**
   * An empty request.
   *
   * @param sgeCapacity scatter/gather entries it can hold, 0 to 65535
   * @throws IbInvalidException if the capacity is out of range
   */
  public RecvWr(int sgeCapacity) {
    sges = new Sges(sgeCapacity);
  }

  /** {@return the next request of the list; null at the end} */
  public @Nullable RecvWr next() {
    return next;
  }

  /**
   * {@return this, with next set}
   *
   * @param value the next request of the list; null at the end
   */
  public RecvWr next(@Nullable RecvWr value) {
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
  public RecvWr wrId(long value) {
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
  public RecvWr cqe(@Nullable Cqe value) {
    cqe = value;
    return this;
  }

  /** {@return in the first of a list after a post that failed, which posts none: the culprit} */
  public @Nullable RecvWr badWr() {
    return badWr;
  }

  /**
   * {@return this, with badWr set}
   *
   * @param value in the first of a list after a post that failed, which posts none: the culprit
   */
  public RecvWr badWr(@Nullable RecvWr value) {
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

  /**
   * Takes all entries away.
   *
   * @return this
   */
  public RecvWr clearSges() {
    sges.clear();
    return this;
  }

  /**
   * Adds a scatter/gather entry.
   *
   * @param lkey local key of the memory region
   * @param addr address, in the address space of the region ({@code iova})
   * @param length bytes, unsigned; 0 is an empty entry
   * @return this
   * @throws IbInvalidException if the request has no free entry
   */
  public RecvWr addSge(int lkey, long addr, int length) {
    sges.add(lkey, addr, length);
    return this;
  }

  /**
   * Local key of an entry.
   *
   * @param i index, 0 to sgeCount - 1
   * @return the key
   */
  public int sgeLkey(int i) {
    return sges.lkey(i);
  }

  /**
   * Address of an entry.
   *
   * @param i index, 0 to sgeCount - 1
   * @return the address
   */
  public long sgeAddr(int i) {
    return sges.address(i);
  }

  /**
   * Length of an entry.
   *
   * @param i index, 0 to sgeCount - 1
   * @return bytes, unsigned
   */
  public int sgeLength(int i) {
    return sges.length(i);
  }
}
