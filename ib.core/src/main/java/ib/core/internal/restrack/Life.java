package ib.core.internal.restrack;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The life of an object in one word: state, how many objects use it, how many introspection readers
 * look at it. So a use is taken only while the object lives, and closing begins only while there is
 * none: no lock, no moment in between (B11).
 */
final class Life {
  /** States, in their order. */
  enum State {
    /** Being made by the driver. */
    RESERVED,
    /** In use. */
    LIVE,
    /** Hidden; being destroyed. */
    CLOSING,
    /** Destroyed by its owner, or never made. */
    CLOSED,
    /** Destroyed since its client or its device went away. */
    POISONED
  }

  private static final State[] STATES = State.values();
  private static final int STATE_SHIFT = 56;
  private static final int READER_SHIFT = 32;
  private static final long READER = 1L << READER_SHIFT;
  private static final long READERS = 0xff_ffffL << READER_SHIFT;
  private static final long USERS = 0xffff_ffffL;
  private static final VarHandle WORD;

  static {
    try {
      WORD = MethodHandles.lookup().findVarHandle(Life.class, "word", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private volatile long word;

  Life(State first) {
    word = bits(first);
  }

  private static long bits(State s) {
    return (long) s.ordinal() << STATE_SHIFT;
  }

  private static State state(long w) {
    return STATES[(int) (w >>> STATE_SHIFT)];
  }

  State state() {
    return state(word);
  }

  int users() {
    return (int) (word & USERS);
  }

  int readers() {
    return (int) ((word & READERS) >>> READER_SHIFT);
  }

  /** Takes a use; {@return false when the object does not live}. */
  boolean use() {
    return addWhileLive(1);
  }

  void unuse() {
    WORD.getAndAdd(this, -1L);
  }

  /** Begins to look at the object; {@return false when it is hidden}. */
  boolean pin() {
    return addWhileLive(READER);
  }

  void unpin() {
    WORD.getAndAdd(this, -READER);
  }

  private boolean addWhileLive(long n) {
    for (; ; ) {
      long w = word;
      if (state(w) != State.LIVE) {
        return false;
      }
      if (WORD.compareAndSet(this, w, w + n)) {
        return true;
      }
    }
  }

  /** Goes from one state to another; {@return false when it is in neither the first state}. */
  boolean go(State from, State to) {
    for (; ; ) {
      long w = word;
      if (state(w) != from) {
        return false;
      }
      if (WORD.compareAndSet(this, w, w - bits(from) + bits(to))) {
        return true;
      }
    }
  }

  /** LIVE and without users to CLOSING; {@return false when it is not LIVE or has users}. */
  boolean beginClose() {
    for (; ; ) {
      long w = word;
      if (state(w) != State.LIVE || (w & USERS) != 0) {
        return false;
      }
      if (WORD.compareAndSet(this, w, w - bits(State.LIVE) + bits(State.CLOSING))) {
        return true;
      }
    }
  }
}
