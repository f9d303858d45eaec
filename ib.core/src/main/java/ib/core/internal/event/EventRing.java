package ib.core.internal.event;

import ib.core.verbs.EventType;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A bounded queue of events. Any thread offers, one thread polls; neither takes a lock, waits or
 * allocates (S12).
 *
 * <p>One word holds the tail, the number of losses and the closed bit. A single compare-and-set
 * therefore decides for each offer whether the event gets a slot (which then holds the number of
 * losses before it), is lost because the ring is full, or came after the close. The reader sees the
 * number of losses at the place where they happened, and no event enters after {@link #close}.
 */
final class EventRing {
  /** The result of an offer. */
  enum Offer {
    /** The ring holds the event. */
    QUEUED,
    /** The ring was full; the loss is counted. */
    LOST,
    /** The ring is closed. */
    CLOSED
  }

  /** An event, or a number of lost events, as {@link #poll} returns it. */
  static final class Entry {
    /** The type, or null when this entry stands for losses. */
    @Nullable EventType type;

    int port;
    long timeNs;

    /** The number of events lost at this place; 0 when this entry is an event. */
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
  // index + 1 of the event in the slot, written after the event; the reader then may take it
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

  /** Takes the oldest event, or the losses before it. Only one thread polls at a time. */
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
      // if this succeeds, the tail has not moved: no event has followed the losses
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
      return false; // the thread that claimed the slot wakes the reader when it has written it
    }
    if (lostBefore[i] > 0) { // the losses before the event come first; the event stays
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

  /** {@return whether a poll would return an entry} */
  boolean hasWork() {
    long w = word.get();
    int h = head;
    return (int) w == h ? lost(w) != 0 : published.get(h & (capacity - 1)) == h + 1;
  }

  /**
   * Closes the ring: it refuses every later offer. The events accepted before stay to be polled.
   *
   * @return false when the ring was closed before
   */
  boolean close() {
    return word.getAndUpdate(w -> w | CLOSED_BIT) >= 0;
  }

  /** {@return the number of events accepted and not polled, plus the losses not polled} */
  int size() {
    long w = word.get();
    return (int) w - head + lost(w);
  }

  /** {@return whether the ring is closed and all events and losses have been polled} */
  boolean isDone() {
    long w = word.get();
    return w < 0 && (int) w == head && lost(w) == 0;
  }

  private static int lost(long w) {
    return (int) (w >>> LOST_SHIFT) & LOST_MAX;
  }
}
