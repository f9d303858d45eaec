package ib.engine.ring;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The common part of the two work queues: a bounded ring of slots for many posters. A poster claims
 * slots by one CAS on the tail, fills them and publishes each by one release store of its word. The
 * word is {@code index + 1}, so a word of an earlier lap is never mistaken. No data path thread
 * ever waits for a poster.
 *
 * <p>A request is outstanding until its completion was polled (IBA 10.8.5). So a completion queue
 * with as many entries as its work queues have slots cannot overrun, and an overrun is always a
 * sizing error of the consumer. The consumer of a queue {@link #tell tells} of a request that has a
 * completion, puts the completion into its queue, and {@link #retire retires} the request. Pollers
 * {@link #release} what they have polled. The package page of {@code ib.engine.cq} says who writes
 * what, and in which order it is read.
 *
 * <p>End of life: after {@link #seal} every claim fails, and the sealing thread takes every slot
 * with {@link #kill}. A poster that published its slot after that detects it by {@link #retract}.
 * So each request is either flushed or refused, never both and never neither.
 */
public abstract class SlotRing extends ReleaseCursor {
  /** Result of {@link #claim}: the ring has too few free slots. */
  public static final long FULL = -1;

  /** Result of {@link #claim}: the ring is sealed. */
  public static final long CLOSED = -2;

  static final VarHandle WORD = MethodHandles.arrayElementVarHandle(long[].class);
  private static final long SEALED = Long.MIN_VALUE;
  private static final VarHandle TAIL;
  private static final VarHandle HEAD;
  private static final VarHandle RELEASED;
  private static final VarHandle GUESS;
  private static final VarHandle TOLD;

  static {
    try {
      TAIL = MethodHandles.lookup().findVarHandle(SlotRing.class, "tail", long.class);
      HEAD = MethodHandles.lookup().findVarHandle(SlotRing.class, "head", long.class);
      RELEASED = MethodHandles.lookup().findVarHandle(SlotRing.class, "released", long.class);
      GUESS = MethodHandles.lookup().findVarHandle(SlotRing.class, "guess", long.class);
      TOLD = MethodHandles.lookup().findVarHandle(SlotRing.class, "toldEnd", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** Words of all slots; the first of each slot is its sequence word. */
  final long[] words;

  private final int capacity;
  private final int mask;
  private final int stride;
  private long sealHead; // published by the seal

  SlotRing(int least, int wordsPerSlot) {
    int slots = Integer.highestOneBit(Math.max(1, 2 * least - 1));
    this.capacity = least == 0 ? 0 : slots;
    this.mask = slots - 1;
    this.stride = wordsPerSlot;
    this.words = new long[Math.multiplyExact(slots, wordsPerSlot)];
  }

  /**
   * In place of one whose memory is to go, which is sealed now if it was not: sealed, of one slot,
   * and as large to look at.
   */
  SlotRing(SlotRing before) {
    if (!before.sealed()) {
      before.seal();
    }
    this.capacity = before.capacity;
    this.mask = 0;
    this.stride = before.stride;
    this.words = new long[stride];
    begin(before.tail());
    seal();
  }

  /**
   * Goes on with the indices of the ring before it, which is sealed, so that a completion of that
   * one frees no slot of this; for who made it and has not shown it to any thread.
   *
   * @param first index of the first request
   */
  public final void begin(long first) {
    tail = first;
    guess = first;
    head = first;
    toldEnd = first;
    released = first;
  }

  /** {@return the number of slots} */
  public final int capacity() {
    return capacity;
  }

  /** {@return the number of slots that are claimed and not retired} */
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

  /** {@return whether the ring is sealed} */
  public final boolean sealed() {
    return tail < 0;
  }

  /**
   * {@return the number of a slot, from 0}
   *
   * @param index the slot's index
   */
  public final int slot(long index) {
    return (int) index & mask;
  }

  /** {@return the words of all slots} */
  public final long[] words() {
    return words;
  }

  /**
   * {@return where the words of a slot begin}
   *
   * @param index the slot's index
   */
  public final int base(long index) {
    return slot(index) * stride;
  }

  /**
   * Claims slots; any thread.
   *
   * @param n number of slots, at least 1
   * @return index of the first, or {@link #FULL} or {@link #CLOSED}
   */
  public final long claim(int n) {
    for (; ; ) {
      long t = tail;
      if (t < 0) {
        return CLOSED;
      }
      if (t + n - (long) GUESS.getAcquire(this) > capacity) {
        long f = released; // at least these are free, and the consumer does not write this line
        if (t + n - f > capacity) {
          f = free();
        }
        GUESS.setRelease(this, f); // not read back: another poster may set a lower one
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

  /**
   * Slots before this index are free. The order of the three loads matters: each request between
   * the {@code toldEnd} and the head that are seen here has no completion.
   */
  long free() {
    long h = head;
    long told = (long) TOLD.getAcquire(this);
    long r = released;
    return r == told ? Math.max(r, h) : r;
  }

  /** {@return the number of free slots at this moment} */
  public final int room() {
    return (int) Math.max(0, capacity + free() - tail());
  }

  /**
   * Frees the slots of requests whose completions were polled, and of those without one among them;
   * any thread, in any order.
   *
   * @param end index after the last of them
   */
  public final void release(long end) {
    for (long r = released; r < end; r = released) {
      if (RELEASED.compareAndSet(this, r, end)) {
        return;
      }
    }
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
   * Tells whether a slot is published, by an acquire load.
   *
   * @param index the slot's index
   * @return whether the slot is published and {@link #kill} has not taken it
   */
  public final boolean published(long index) {
    return (long) WORD.getAcquire(words, base(index)) == index + 1;
  }

  /**
   * Notes that the oldest request has a completion; for the single consumer, before the completion
   * is in its queue and before {@link #retire}.
   *
   * @param index the oldest index
   */
  public final void tell(long index) {
    TOLD.setRelease(this, index + 1);
  }

  /**
   * Ends the oldest request; for the single consumer, after its completion is in its queue, so that
   * a drain never misses one. A poster may fill the slot anew from here on, or once its completion
   * is polled.
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
   * Makes all later claims fail; for the claim holder of the queue pair, so that no consumer runs.
   */
  public final void seal() {
    sealHead = head;
    TAIL.getAndBitwiseOr(this, SEALED);
  }

  /**
   * Takes a slot of a sealed ring; for the thread that sealed it.
   *
   * @param index the slot's index
   * @return whether the slot was published: then the caller must complete the request
   */
  public final boolean kill(long index) {
    long was = (long) WORD.getAndSet(words, base(index), -(index + 1));
    return was == index + 1;
  }

  /**
   * Takes a request back after the ring was found sealed; for its poster, after publishing. The
   * sealing thread takes an unpublished slot only in two cases. Either the poster has claimed the
   * queue pair in between (a full memory fence), or the seal is older than any store can be
   * delayed.
   *
   * @param index index of the first slot of the batch
   * @return true if the request will never complete; false if it was or will be completed
   */
  public final boolean retract(long index) {
    return index >= sealHead && WORD.compareAndSet(words, base(index), index + 1, -(index + 1));
  }
}
