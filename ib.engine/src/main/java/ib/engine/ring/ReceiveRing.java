package ib.engine.ring;

import ib.core.verbs.Cqe;
import ib.core.verbs.RecvWr;
import org.jspecify.annotations.Nullable;

/**
 * A receive queue: many posters; one consumer, or many when it is shared. One of many copies a slot
 * and then takes it by CAS, so a slow consumer never holds a slot; the copy is void when the CAS
 * fails, and the slot is free at once. The only consumer leaves a request in its slot until its
 * completion is in its queue.
 */
public final class ReceiveRing extends SlotRing {
  private static final int WR_ID = 1;
  private static final int COUNT = 2;
  private static final int SGES = 3;

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
    super(least, SGES + 2 * sgeMost);
    this.sgeMost = sgeMost;
    this.cqes = new @Nullable Cqe[Math.max(1, capacity())];
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
    words[b + WR_ID] = wrId;
    words[b + COUNT] = 1;
    words[b + SGES] = address;
    words[b + SGES + 1] = pack(lkey, length);
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
    words[base(index) + WR_ID] = 0;
    words[base(index) + COUNT] = 0;
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
    words[b + WR_ID] = wr.wrId();
    for (int i = 0; i < n; i++) {
      words[b + SGES + 2 * i] = wr.sgeAddr(i);
      words[b + SGES + 2 * i + 1] = pack(wr.sgeLkey(i), wr.sgeLength(i));
    }
    words[b + COUNT] = n;
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

  private static long pack(int lkey, int length) {
    return (long) lkey << 32 | (length & 0xffffffffL);
  }

  /**
   * Takes the oldest request of a shared queue; any consumer.
   *
   * @param into receives the copy
   * @return whether the ring had a published request
   */
  public boolean take(ReceiveWqe into) {
    for (; ; ) {
      long h = head();
      if (published(h)) {
        copy(h, into);
        if (take(h)) {
          into.end = 0;
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

  /**
   * Copies the oldest request, which stays where it is; for the only consumer.
   *
   * @param into receives the copy
   * @return whether the ring had a published request
   */
  public boolean peek(ReceiveWqe into) {
    long h = head();
    if (!published(h)) {
      return false;
    }
    copy(h, into);
    into.end = h + 1;
    return true;
  }

  /**
   * Kills the oldest request of a sealed ring; for the thread that sealed it.
   *
   * @param into receives the copy
   * @return whether the caller must complete the request; else it is retired
   */
  public boolean killOldest(ReceiveWqe into) {
    long h = head();
    boolean was = kill(h);
    copy(h, into);
    into.end = h + 1;
    if (!was) {
      retire(h);
    }
    return was;
  }

  private void copy(long index, ReceiveWqe into) {
    int b = base(index);
    int n = Math.min((int) words[b + COUNT], sgeMost); // may be torn: then the take fails
    into.wrId = words[b + WR_ID];
    Cqe cqe = withCqe ? cqes[slot(index)] : null;
    if (cqe != null || into.cqe != null) { // a reference store costs a barrier
      into.cqe = cqe;
    }
    into.sges.clear();
    for (int i = 0; i < n; i++) {
      long keyAndLength = words[b + SGES + 2 * i + 1];
      into.sges.add((int) (keyAndLength >>> 32), words[b + SGES + 2 * i], (int) keyAndLength);
    }
  }
}
