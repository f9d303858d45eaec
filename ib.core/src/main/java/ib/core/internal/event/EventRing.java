package ib.core.internal.event;

import ib.core.verbs.EventType;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A bounded queue of events: any thread offers, one thread polls; no lock, no wait, no allocation
 * (S12).
 *
 * <p>One word holds tail, losses and the closed bit, so that a single compare-and-set decides for
 * each offer whether it got a slot (and takes the losses before it along), was lost to a full ring,
 * or came after the close. Thus the number of losses stands where they happened, and after {@link
 * #close} nothing slips in.
 */
final class EventRing {
  /** What became of an offer. */
  enum Offer {
    /** It is in the ring. */
    QUEUED,
    /** The ring was full: counted. */
    LOST,
    /** The ring is closed. */
    CLOSED
  }

  /** What {@link #poll} fills. */
  static final class Entry {
    /** The type, or null when it stands for losses. */
    @Nullable EventType type;

    int port;
    long timeNs;

    /** Events lost at this place; 0 when it is an event. */
    int lost;
  }

  private static final long CLOSED_BIT = 1L << 63;
  private static final long TAIL_MASK = 0xffff_ffffL;
  private static final int LOST_SHIFT = 32;
  private static final int LOST_MAX = Integer.MAX_VALUE;

  private final int capacity;
  private final @Nullable EventType[] types;
  private final int[] ports;
  private final long[] times;
  private final int[] lostBefore;
  // index + 1 of the event in the slot, once it is written: the reader's permission
  private final AtomicIntegerArray published;
  // closed 1 | lost 31 | tail 32
  private final AtomicLong word = new AtomicLong();
  private volatile int head; // written by the polling thread only

  EventRing(int minCapacity) {
    capacity = Integer.highestOneBit(minCapacity - 1) << 1;
    types = new @Nullable EventType[capacity];
    ports = new int[capacity];
    times = new long[capacity];
    lostBefore = new int[capacity];
    published = new AtomicIntegerArray(capacity);
  }

  Offer offer(EventType type, int port, long timeNs) {
    while (true) {
      long w = word.get();
      if (w < 0) {
        return Offer.CLOSED;
      }
      int tail = (int) w;
      if (tail - head >= capacity) {
        long full = lost(w) == LOST_MAX ? w : w + (1L << LOST_SHIFT);
        if (word.compareAndSet(w, full)) {
          return Offer.LOST;
        }
      } else if (word.compareAndSet(w, (tail + 1) & TAIL_MASK)) {
        int i = tail & (capacity - 1);
        types[i] = type;
        ports[i] = port;
        times[i] = timeNs;
        lostBefore[i] = lost(w);
        published.set(i, tail + 1);
        return Offer.QUEUED;
      }
    }
  }

  /** Takes the oldest event, or the losses before it. For one thread. */
  boolean poll(Entry out) {
    while (true) {
      long w = word.get();
      int h = head;
      if ((int) w != h) {
        return take(h, out);
      }
      int lost = lost(w);
      if (lost == 0) {
        return false;
      }
      // the tail has not moved when this succeeds: the losses really are the latest there is
      if (word.compareAndSet(w, w & (CLOSED_BIT | TAIL_MASK))) {
        out.type = null;
        out.lost = lost;
        return true;
      }
    }
  }

  private boolean take(int h, Entry out) {
    int i = h & (capacity - 1);
    if (published.get(i) != h + 1) {
      return false; // claimed; who claimed it wakes us when it is written
    }
    if (lostBefore[i] > 0) { // first the losses before it, alone; the slot stays
      out.type = null;
      out.lost = lostBefore[i];
      lostBefore[i] = 0;
      return true;
    }
    out.type = types[i];
    out.port = ports[i];
    out.timeNs = times[i];
    out.lost = 0;
    head = h + 1;
    return true;
  }

  /** {@return whether a poll would give something} */
  boolean hasWork() {
    long w = word.get();
    int h = head;
    return (int) w == h ? lost(w) != 0 : published.get(h & (capacity - 1)) == h + 1;
  }

  /**
   * From now on every offer is refused; what was accepted before stays to be polled.
   *
   * @return false when it was closed before
   */
  boolean close() {
    return word.getAndUpdate(w -> w | CLOSED_BIT) >= 0;
  }

  /** {@return events accepted and not polled, and losses not told of} */
  int size() {
    long w = word.get();
    return (int) w - head + lost(w);
  }

  /** {@return whether it is closed and everything accepted has been polled} */
  boolean isDone() {
    long w = word.get();
    return w < 0 && (int) w == head && lost(w) == 0;
  }

  private static int lost(long w) {
    return (int) (w >>> LOST_SHIFT) & LOST_MAX;
  }
}
