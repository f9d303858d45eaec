package ib.engine.ring;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * What the two work queues have in common: a bounded ring of slots for many posters. A poster
 * claims slots by one CAS on the tail, fills them and publishes each by one release store of its
 * word ({@code index + 1}, so a word of an earlier lap is never mistaken). Nobody ever waits for a
 * poster on the data path.
 *
 * <p>A request is outstanding until its completion was polled (IBA 10.8.5): so whoever polls has
 * room for as many completions as his queues have slots, and an overrun is always the consumer's
 * own. {@link #head} goes on when a request is completed, {@link #release} when its slot is free.
 *
 * <p>End of life: {@link #seal} refuses further claims; the killer takes every published slot with
 * {@link #kill}; a poster that was held up so long that it was given up finds that out by {@link
 * #retract}. So each request is either flushed or refused, never both and never neither.
 */
public abstract class SlotRing extends ReleaseCursor {
  /** Result of {@link #claim}: no room. */
  public static final long FULL = -1;

  /** Result of {@link #claim}: sealed. */
  public static final long CLOSED = -2;

  static final VarHandle WORD = MethodHandles.arrayElementVarHandle(long[].class);
  private static final long SEALED = Long.MIN_VALUE;
  private static final VarHandle TAIL;
  private static final VarHandle HEAD;
  private static final VarHandle RELEASED;
  private static final VarHandle GUESS;

  static {
    try {
      TAIL = MethodHandles.lookup().findVarHandle(SlotRing.class, "tail", long.class);
      HEAD = MethodHandles.lookup().findVarHandle(SlotRing.class, "head", long.class);
      RELEASED = MethodHandles.lookup().findVarHandle(SlotRing.class, "released", long.class);
      GUESS = MethodHandles.lookup().findVarHandle(SlotRing.class, "guess", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** Words of all slots; the first of each slot is its sequence word. */
  final long[] words;

  private final int capacity;
  private final int mask;
  private final int shift;
  private long sealHead; // published by the seal

  SlotRing(int least, int wordsPerSlot) {
    int slots = Integer.highestOneBit(Math.max(1, 2 * least - 1));
    this.capacity = least == 0 ? 0 : slots;
    this.mask = slots - 1;
    this.shift = 32 - Integer.numberOfLeadingZeros(wordsPerSlot - 1);
    this.words = new long[slots << shift];
  }

  /** {@return how many requests fit} */
  public final int capacity() {
    return capacity;
  }

  /** {@return requests claimed and not retired} */
  public final int size() {
    long h = head; // first, so that the difference is not negative
    return (int) ((tail & ~SEALED) - h);
  }

  /** {@return index of the oldest request} */
  public final long head() {
    return head;
  }

  /** {@return index after the newest claim} */
  public final long tail() {
    return tail & ~SEALED;
  }

  /** {@return whether it was sealed} */
  public final boolean sealed() {
    return tail < 0;
  }

  final int slot(long index) {
    return (int) index & mask;
  }

  final int base(long index) {
    return slot(index) << shift;
  }

  /**
   * Claims slots; any thread.
   *
   * @param n how many, at least 1
   * @return index of the first, or {@link #FULL} or {@link #CLOSED}
   */
  public final long claim(int n) {
    for (; ; ) {
      long t = tail;
      if (t < 0) {
        return CLOSED;
      }
      if (t + n - (long) GUESS.getAcquire(this) > capacity) {
        long f = free(); // not read back from the guess: another poster may set that to less
        GUESS.setRelease(this, f);
        if (t + n - f > capacity) {
          return FULL;
        }
      }
      if (TAIL.compareAndSet(this, t, t + n)) {
        return t;
      }
      Thread.onSpinWait();
    }
  }

  /** Slots before this index are free; head too, for what outlived a reset is released in vain. */
  private long free() {
    return Math.min(released, head);
  }

  /** {@return requests that a poster can add at this moment} */
  public final int room() {
    return (int) Math.max(0, capacity + free() - tail());
  }

  /**
   * Gives slots back to the posters, after their requests were retired: any thread.
   *
   * @param n how many: their completions were polled, or there are none
   */
  public final void release(int n) {
    RELEASED.getAndAdd(this, (long) n);
  }

  /**
   * Publishes a slot; for the poster that claimed it.
   *
   * @param index the slot's index
   */
  public final void publish(long index) {
    WORD.setRelease(words, base(index), index + 1);
  }

  /**
   * Asks for a slot's state.
   *
   * @param index the slot's index
   * @return whether it is published and was not taken by {@link #kill}
   */
  public final boolean published(long index) {
    return (long) WORD.getAcquire(words, base(index)) == index + 1;
  }

  /**
   * Ends the oldest request; for the single consumer. Its slot is free when it is released too.
   *
   * @param index the oldest index
   */
  public final void retire(long index) {
    HEAD.setRelease(this, index + 1);
  }

  /** Takes the oldest slot in competition with other consumers. */
  final boolean take(long index) {
    return HEAD.compareAndSet(this, index, index + 1);
  }

  /**
   * Refuses all claims from now on; for the holder of the queue pair's claim, so that no consumer
   * runs.
   */
  public final void seal() {
    sealHead = head;
    TAIL.getAndBitwiseOr(this, SEALED);
  }

  /**
   * Takes a slot of a sealed ring; for the killer.
   *
   * @param index the slot's index
   * @return whether it was published: then it must be completed
   */
  public final boolean kill(long index) {
    long was = (long) WORD.getAndSet(words, base(index), -(index + 1));
    return was == index + 1;
  }

  /**
   * Takes a request back after the ring was found sealed; for its poster, after publishing. Who
   * seals gives a slot up only when the poster has claimed the queue pair in between (a full fence)
   * or when the seal is older than any store can be under way.
   *
   * @param index index of the first slot of the batch
   * @return true when it was given up by the killer, so that it will never complete; false when it
   *     was or will be completed
   */
  public final boolean retract(long index) {
    return index >= sealHead && WORD.compareAndSet(words, base(index), index + 1, -(index + 1));
  }
}
