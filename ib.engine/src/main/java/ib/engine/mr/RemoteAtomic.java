package ib.engine.mr;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * Executes atomic operations on registered memory. They are atomic with those of all other queue
 * pairs and with the machine's own (VarHandle access to the segment), so the device reports {@code
 * ATOMIC_GLOB}. Each responder has one. Only the thread that holds the queue pair's claim may call
 * these methods.
 */
public final class RemoteAtomic {
  /** The operation. */
  public enum Op {
    /** Compare and swap. */
    COMPARE_SWAP,
    /** Fetch and add. */
    FETCH_ADD,
    /** Write. */
    WRITE
  }

  private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();

  private long original;

  /** Creates the executor of one responder. */
  public RemoteAtomic() {}

  /** {@return the value before the last operation} */
  public long original() {
    return original;
  }

  /**
   * Executes an operation on 8 bytes.
   *
   * @param op the operation
   * @param key key of the memory
   * @param version result of {@link Key#admit}
   * @param address address of the 8 bytes
   * @param operand value to store or to add
   * @param compare value to compare with
   * @return {@link Copier#OK}; {@link Copier#TARGET} when the memory is no longer registered,
   *     read-only, not aligned, or of a mapped file that was cut off
   */
  public int execute(Op op, Key key, long version, long address, long operand, long compare) {
    key.enter();
    try {
      return change(op, key, version, address, operand, compare);
    } finally {
      key.leave();
    }
  }

  private int change(Op op, Key key, long version, long address, long operand, long compare) {
    int place = key.place(address);
    MemorySegment target = key.segment(place);
    long offset = address - key.start(place);
    if (!key.live(version)) {
      return Copier.TARGET;
    }
    try {
      if (target.isMapped()) {
        Copier.touch(target, offset);
      }
      switch (op) {
        case COMPARE_SWAP ->
            original = (long) LONG.compareAndExchange(target, offset, compare, operand);
        case FETCH_ADD -> original = (long) LONG.getAndAdd(target, offset, operand);
        case WRITE -> LONG.setVolatile(target, offset, operand);
      }
      return Copier.OK;
    } catch (IllegalStateException
        | IllegalArgumentException
        | IndexOutOfBoundsException
        | UnsupportedOperationException
        | InternalError notPossible) {
      return Copier.TARGET;
    }
  }
}
