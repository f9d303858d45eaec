package ib.engine.cq;

import ib.core.verbs.Cqe;
import ib.core.verbs.WorkCompletion;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * The entries of a completion queue: many producers (queue pairs on any thread), many pollers
 * (S18). An {@link Entry} has its own validity word ({@code index + 1}), published by one release
 * store; a poller copies an entry out and then takes it by CAS on the head, so no entry is ever
 * held by a slow poller.
 *
 * <p>No entry is overwritten: a producer that finds the ring full gets {@link #FULL}, and the queue
 * fails (CQ_ERR). After the ring is closed (resize), producers use the next ring; pollers follow
 * when they have emptied this one.
 */
public final class CompletionRing extends ConsumerCursors {
  /** Result of {@link #claim}: all entries are in use. */
  public static final long FULL = -1;

  /** Result of {@link #claim}: the ring is closed; claim in {@link #next}. */
  public static final long CLOSED = -2;

  private static final int MAX_SCAN = 64;
  private static final long CLOSED_BIT = Long.MIN_VALUE;
  private static final VarHandle TAIL;
  private static final VarHandle HEAD;
  private static final VarHandle GUESS;

  static {
    try {
      TAIL = MethodHandles.lookup().findVarHandle(CompletionRing.class, "tail", long.class);
      HEAD = MethodHandles.lookup().findVarHandle(CompletionRing.class, "head", long.class);
      GUESS = MethodHandles.lookup().findVarHandle(CompletionRing.class, "guess", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final long[] words;
  private final @Nullable Cqe[] cqes;
  private final int capacity;
  private final int mask;
  private volatile @Nullable CompletionRing next;
  private volatile boolean withCqe; // whether any entry ever had a callback
  private volatile long end = Long.MAX_VALUE; // index after the last entry; void until closed

  /**
   * Makes an empty ring.
   *
   * @param least least number of entries, at least 1
   */
  public CompletionRing(int least) {
    capacity = Integer.highestOneBit(Math.max(1, 2 * least - 1));
    mask = capacity - 1;
    words = new long[Math.multiplyExact(capacity, 1 << Entry.SHIFT)];
    cqes = new @Nullable Cqe[capacity];
  }

  /** {@return the number of entries, used or not} */
  public int capacity() {
    return capacity;
  }

  /**
   * {@return the number of entries that are claimed and not polled; more than there ever were at
   * one moment, if the head moves meanwhile}
   */
  public int size() {
    long h = head;
    return (int) (tail() - h);
  }

  /** {@return the index that the next poll reads} */
  public long head() {
    return head;
  }

  /** {@return index after the newest claim; claims that got {@link #CLOSED} do not count} */
  public long tail() {
    long t = tail;
    return t < 0 ? end : t;
  }

  /**
   * Tells whether no poller has taken an entry since the head was read.
   *
   * @param index the head as it was read
   * @return whether the next poll still reads this entry
   */
  public boolean isHead(long index) {
    return head == index;
  }

  // ---- producers ----

  /** {@return the index of a new entry, or {@link #FULL} or {@link #CLOSED}} */
  public long claim() {
    long t = (long) TAIL.getAndAdd(this, 1L);
    if (t < 0) {
      return CLOSED;
    }
    if (t - (long) GUESS.getAcquire(this) >= capacity) {
      long h = head; // not read back from the guess: another producer may set a lower one
      GUESS.setRelease(this, h);
      if (t - h >= capacity) {
        return FULL;
      }
    }
    return t;
  }

  private int base(long index) {
    return ((int) index & mask) << Entry.SHIFT;
  }

  /**
   * Writes an entry and publishes it; for the producer that claimed it.
   *
   * @param index the entry
   * @param wrId work request id
   * @param what packed by {@link #what}
   * @param lengths byteLen in the lower, immData in the upper half
   * @param numbers qpn in the lower, srcQp in the upper half
   * @param path slid, pkeyIndex, path bits and mss, 16 bits each from the lowest
   * @param place place and serial of the queue pair
   * @param end index after the request in its queue, 0 when there is nothing to release
   * @param cqe the callback of a managed queue, or null
   */
  public void publish(
      long index,
      long wrId,
      long what,
      long lengths,
      long numbers,
      long path,
      long place,
      long end,
      @Nullable Cqe cqe) {
    int b = base(index);
    long[] w = words;
    w[b + Entry.WR_ID] = wrId;
    w[b + Entry.WHAT] = what;
    w[b + Entry.LENGTHS] = lengths;
    w[b + Entry.NUMBERS] = numbers;
    w[b + Entry.PATH] = path;
    w[b + Entry.PLACE] = place;
    w[b + Entry.END] = end;
    if (cqe != null || withCqe) {
      if (!withCqe) {
        withCqe = true;
      }
      cqes[(int) index & mask] = cqe;
    }
    Entry.publishRelease(w, b, index);
  }

  /**
   * Packs the second word of an entry.
   *
   * @param status ordinal
   * @param opcode ordinal
   * @param flags bits of {@code WcFlags}
   * @param sl service level
   * @param vendorError 32 bits
   * @return the word
   */
  public static long what(int status, int opcode, int flags, int sl, int vendorError) {
    return status | opcode << 8 | flags << 16 | (long) sl << 24 | (long) vendorError << 32;
  }

  // ---- pollers ----

  /**
   * Tells whether an entry is published, by an acquire load.
   *
   * @param index not before the head
   * @return whether the entry is published
   */
  public boolean valid(long index) {
    return Entry.isPublishedAcquire(words, base(index), index);
  }

  /**
   * Reads a field of a valid entry; void unless the {@link #take} that follows succeeds.
   *
   * @param index the entry
   * @param word 1 to 7
   * @return the word
   */
  public long word(long index, int word) {
    return words[base(index) + word];
  }

  /**
   * Copies valid entries that are all of one work queue; void unless the {@link #take} that follows
   * succeeds.
   *
   * @param index the first
   * @param into where to
   * @param from the first place there
   * @param to the place after the last
   * @return how many were copied
   */
  int copy(long index, WorkCompletion[] into, int from, int to) {
    int first = base(index);
    int n = 0;
    while (from + n < to && valid(index + n)) {
      int b = base(index + n);
      if (n > 0 && !Entry.isSameQueue(words, first, b)) {
        break;
      }
      WorkCompletion wc = into[from + n];
      wc.cqe(cqe(index + n));
      Entry.read(words, b, wc);
      n++;
    }
    return n;
  }

  /**
   * Reads the callback of a managed queue; void unless the {@link #take} that follows succeeds.
   *
   * @param index the entry
   * @return the callback or null
   */
  public @Nullable Cqe cqe(long index) {
    return withCqe ? cqes[(int) index & mask] : null;
  }

  /**
   * Takes valid entries; any thread.
   *
   * @param index the first, the head as it was read
   * @param n number of entries, all valid
   * @return whether the caller has taken them; if not, another poller was faster
   */
  public boolean take(long index, int n) {
    return HEAD.compareAndSet(this, index, index + n);
  }

  /** {@return whether a producer may have claimed an entry and not published it yet} */
  public boolean unpublished() {
    long t = tail();
    long i = head;
    if (t - i > MAX_SCAN) {
      return true; // one notification too many costs less than a look at all entries
    }
    while (i < t) {
      if (!valid(i) && i >= head) {
        return true;
      }
      i++;
    }
    return false;
  }

  /** {@return whether {@link #unpublished} is true of this ring or of one that follows it} */
  public boolean anyUnpublished() {
    for (CompletionRing c = this; c != null; c = c.next) {
      if (c.unpublished()) {
        return true;
      }
    }
    return false;
  }

  // ---- resize ----

  /**
   * Closes the ring, so that producers use the next one.
   *
   * @param successor the next ring
   */
  public void close(CompletionRing successor) {
    next = successor;
    long t;
    do {
      t = tail;
      end = t; // before a producer can be sent on: who polls then must be able to follow
    } while (!TAIL.compareAndSet(this, t, t | CLOSED_BIT));
  }

  /** {@return the ring that follows, null before {@link #close}} */
  public @Nullable CompletionRing next() {
    return next;
  }

  /** {@return the next ring; only for a closed ring} */
  public CompletionRing successor() {
    CompletionRing n = next;
    if (n == null) {
      throw new IllegalStateException("closed without a successor");
    }
    return n;
  }

  /** {@return whether the ring is closed and every entry was taken} */
  public boolean drained() {
    return head == end && tail < 0 && head == end; // only the end of a closed ring is final
  }
}
