package ib.engine.ring;

import ib.core.verbs.SendFlags;
import ib.core.verbs.WrOpcode;
import ib.engine.mr.Sges;

/**
 * The word of a send request that says what its other words are; see {@link SendWords}. Who checks
 * a request that is still in its builder reads this word once, and asks here what it has read.
 */
public final class SendKind {
  static final int OPCODE = 0x3f;
  static final int FLAGS = 8;
  static final int FLAG_UNKNOWN = 0x80;
  static final int COUNT = 16;
  static final long BROKEN = 1L << 24;
  static final long INLINE = 1L << 25;
  static final long CALLBACK = 1L << 26;
  static final int BATCH = 32;
  static final int BYTES = 48;
  static final long COUNT_BITS = 0xffL << COUNT;
  static final long BATCH_BITS = 0xffffL << BATCH;
  static final long DATA_BITS = COUNT_BITS | INLINE | 0xffffL << BYTES;

  private static final long NOT_PLAIN = (0xff & ~SendFlags.ALL | SendFlags.INLINE) << FLAGS;
  private static final long ATOMICS =
      bit(WrOpcode.ATOMIC_CMP_AND_SWP) | bit(WrOpcode.ATOMIC_FETCH_AND_ADD);
  private static final long MEMORIES =
      bit(WrOpcode.FLUSH)
          | bit(WrOpcode.BIND_MW)
          | bit(WrOpcode.REG_MR)
          | bit(WrOpcode.LOCAL_INV)
          | bit(WrOpcode.ATOMIC_WRITE);

  /** Words of the operands of an atomic, before its elements. */
  static final int OPERANDS = 2;

  /** Words of a request on memory: length, rights, key. */
  static final int MEMORY = 3;

  private SendKind() {}

  private static long bit(WrOpcode opcode) {
    return 1L << opcode.value();
  }

  /** {@return the words that so many bytes of inline data take} */
  static int words(int bytes) {
    return (bytes + Long.BYTES - 1) / Long.BYTES;
  }

  /** {@return the words of data of a request} */
  static int words(long kind) {
    if ((kind & INLINE) != 0) {
      return words((int) (kind >>> BYTES));
    }
    boolean memory = (MEMORIES >>> opcode(kind) & 1) != 0;
    return memory ? MEMORY : operands(kind) + Sges.WORDS * count(kind);
  }

  /** {@return whether a request takes no elements: its opcode has none, or its data is inline} */
  static boolean hasNoElements(long kind) {
    return (kind & INLINE) != 0 || (MEMORIES >>> opcode(kind) & 1) != 0;
  }

  /** {@return the words before the elements of a request} */
  static int operands(long kind) {
    return (int) (ATOMICS >>> opcode(kind) & 1) * OPERANDS;
  }

  /**
   * {@return a value of {@code WrOpcode}}
   *
   * @param kind what {@link SendWords#kind} has returned
   */
  public static int opcode(long kind) {
    return (int) kind & OPCODE;
  }

  /**
   * {@return bits of {@code SendFlags}}
   *
   * @param kind what {@link SendWords#kind} has returned
   */
  public static int flags(long kind) {
    return (int) kind >>> FLAGS & 0xff;
  }

  /**
   * {@return whether the user wants a completion}
   *
   * @param kind what {@link SendWords#kind} has returned
   */
  public static boolean isSignaled(long kind) {
    return (kind & SendFlags.SIGNALED << FLAGS) != 0;
  }

  /** {@return whether a request has no inline data and no flag but those that any request has} */
  public static boolean isPlain(long kind) {
    return (kind & (INLINE | NOT_PLAIN)) == 0;
  }

  /** {@return whether no completion and no callback tells of a request that has succeeded} */
  public static boolean isSilent(long kind) {
    return (kind & (CALLBACK | SendFlags.SIGNALED << FLAGS)) == 0;
  }

  /**
   * {@return the number of elements}
   *
   * @param kind what {@link SendWords#kind} has returned
   */
  public static int count(long kind) {
    return (int) (kind >>> COUNT) & 0xff;
  }

  /**
   * {@return bytes of inline data, or -1 when the data is not inline}
   *
   * @param kind what {@link SendWords#kind} has returned
   */
  public static int inlineLength(long kind) {
    return (kind & INLINE) == 0 ? -1 : (int) (kind >>> BYTES);
  }

  /**
   * {@return whether the data is inline}
   *
   * @param kind what {@link SendWords#kind} or {@link SendWords#measured} has returned
   */
  static boolean isInline(long kind) {
    return (kind & INLINE) != 0;
  }

  /**
   * {@return bytes of the message}
   *
   * @param measured what {@link SendWords#measured} has returned
   */
  public static long measuredLength(long measured) {
    return measured >>> 32;
  }

  /**
   * {@return whether its poster could not fill it; then it completes with a protection error}
   *
   * @param kind what {@link SendWords#kind} has returned
   */
  public static boolean isBroken(long kind) {
    return (kind & BROKEN) != 0;
  }
}
