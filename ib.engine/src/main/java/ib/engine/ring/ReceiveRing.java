package ib.engine.ring;

import ib.core.verbs.Cqe;
import ib.core.verbs.RecvWr;
import ib.engine.mr.Sges;
import org.jspecify.annotations.Nullable;

/**
 * A receive queue: many posters; one consumer, or many when it is shared. One of many copies a slot
 * and then takes it by CAS, so a slow consumer never holds a slot; the copy is void when the CAS
 * fails, and the slot is free at once. The only consumer uses a request where it is, in its slot,
 * until its completion is in its queue; from then on a poster may fill the slot.
 */
public final class ReceiveRing extends SlotRing {
  private final @Nullable Cqe[] cqes;
  private final int sgeMost;
  private volatile boolean withCqe; // whether any request ever had a callback

  /**
   * Makes a ring.
   *
   * @param least least number of slots; with 0 every claim fails
   * @param sgeMost elements per request
   */
  public ReceiveRing(int least, int sgeMost) {
    super(least, ReceiveSlot.words(sgeMost));
    this.sgeMost = sgeMost;
    this.cqes = new @Nullable Cqe[Math.max(1, capacity())];
  }

  /**
   * Stands in for a ring whose memory is to go: every claim fails.
   *
   * @param before that ring, which is sealed now if it was not; its requests are completed
   */
  public ReceiveRing(ReceiveRing before) {
    super(before);
    this.sgeMost = before.sgeMost;
    this.cqes = new @Nullable Cqe[1];
  }

  /** {@return elements per request} */
  public int sgeMost() {
    return sgeMost;
  }

  /**
   * Fills and publishes a claimed slot with one element.
   *
   * @param index the slot's index
   * @param wrId work request id
   * @param cqe callback of the completion; null without one
   * @param lkey local key
   * @param address address in the region's space
   * @param length bytes
   */
  public void post(long index, long wrId, @Nullable Cqe cqe, int lkey, long address, int length) {
    int b = base(index);
    int first = ReceiveSlot.sges(b);
    words[b + ReceiveSlot.WR_ID] = wrId;
    Sges.set(words, first, lkey, address, length);
    Sges.clear(words, first + Sges.WORDS, b + ReceiveSlot.words(sgeMost));
    callback(index, cqe);
    publish(index);
  }

  /**
   * Fills and publishes a claimed slot. Publishes it even when filling fails, since no later
   * request completes behind an unpublished slot; the request then has no elements.
   *
   * @param index the slot's index
   * @param wr the request, null when another thread has shortened the list since it was checked
   * @return the next request of the list, or null
   */
  public @Nullable RecvWr post(long index, @Nullable RecvWr wr) {
    int b = base(index);
    words[b + ReceiveSlot.WR_ID] = 0;
    Sges.clear(words, ReceiveSlot.sges(b), b + ReceiveSlot.words(sgeMost));
    try {
      if (wr != null) {
        fill(index, wr);
        return wr.next();
      }
      return null;
    } finally {
      publish(index);
    }
  }

  private void fill(long index, RecvWr wr) {
    int b = base(index);
    int n = Math.min(wr.sgeCount(), sgeMost);
    words[b + ReceiveSlot.WR_ID] = wr.wrId();
    for (int i = 0; i < n; i++) {
      int at = ReceiveSlot.sges(b) + Sges.WORDS * i;
      Sges.set(words, at, wr.sgeLkey(i), wr.sgeAddr(i), wr.sgeLength(i));
    }
    callback(index, wr.cqe());
  }

  private void callback(long index, @Nullable Cqe cqe) {
    if (cqe != null || withCqe) {
      if (!withCqe) {
        withCqe = true;
      }
      cqes[slot(index)] = cqe;
    }
  }

  /**
   * Takes the oldest request of a shared queue; any consumer.
   *
   * @param into receives the copy
   * @return whether the ring had a published request
   */
  public boolean take(HeldReceive into) {
    for (; ; ) {
      long h = head();
      if (published(h)) {
        copy(h, into); // may be torn: then the take fails
        if (take(h)) {
          return true;
        }
      } else if (h == head()) {
        return false;
      }
    }
  }

  /**
   * Tells whether n requests wait behind the oldest; for the only consumer.
   *
   * @param n number of requests
   * @return whether the next n can be taken
   */
  public boolean ready(int n) {
    long next = head() + 1;
    for (int i = 0; i < n; i++) {
      if (n >= capacity() || !published(next + i)) {
        return false;
      }
    }
    return true;
  }

  private void copy(long index, HeldReceive into) {
    System.arraycopy(words, base(index), into.words, 0, into.words.length);
    Cqe cqe = cqe(index);
    if (cqe != null || into.cqe != null) { // a reference store costs a barrier
      into.cqe = cqe;
    }
  }

  /**
   * Reads the callback of a published request.
   *
   * @param index the slot's index
   * @return the callback or null
   */
  public @Nullable Cqe cqe(long index) {
    return withCqe ? cqes[slot(index)] : null;
  }

  /**
   * Kills the oldest request of a sealed ring; for the thread that sealed it.
   *
   * @return whether the caller must complete the request, which stands in its slot; else it is
   *     retired
   */
  public boolean killOldest() {
    long h = head();
    boolean was = kill(h);
    if (!was) {
      retire(h);
    }
    return was;
  }
}
